#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads the security mechanism in the greeting with which a server begins each connection (ZMTP 3, ZeroMQ RFC 23).
///
/// libzmq does not show the greeting, and a server that requires CURVE often breaks a plain connection off before libzmq
/// has read that far.
@_spi(Baton) public enum ServerGreeting {
    /// The bytes of a greeting up to the end of the mechanism.
    private static let length = 32
    /// The bytes before the version: 0xFF, eight bytes of padding, 0x7F.
    private static let signatureLength = 10
    /// The bytes that name the mechanism, filled up with zeros.
    private static let mechanism = 12..<32

    /// The mechanism of the server at a `tcp` endpoint, such as `NULL` or `CURVE`; nil if no such greeting comes in time.
    ///
    /// The answer is plain text that anybody on the path may have sent. The call blocks, and the resolver of names may take
    /// longer than the limit: call it only to explain a failure.
    public static func mechanism(at endpoint: String, within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        guard let (host, port) = address(in: endpoint) else { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &addresses) == 0 else { return nil }
        defer { freeaddrinfo(addresses) }
        var next = addresses
        while let address = next?.pointee {
            if let greeting = greeting(from: address, until: deadline) { return mechanism(in: greeting) }
            next = address.ai_next
        }
        return nil
    }

    private static func address(in endpoint: String) -> (host: String, port: String)? {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
        let host = endpoint[..<colon].dropFirst("tcp://".count).drop { $0 == "[" }.prefix { $0 != "]" }
        return host.isEmpty ? nil : (String(host), String(endpoint[endpoint.index(after: colon)...]))
    }

    /// The first bytes of the server's greeting; nil if the server cannot be reached, or ends the connection earlier.
    private static func greeting(from address: addrinfo, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        let descriptor = socket(
            address.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS,
            wait(for: POLLOUT, of: descriptor, until: deadline)
        else { return nil }
        // The own signature and version: a server that has seen no mechanism yet has no reason to break off.
        let own: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3]
        guard send(descriptor, own, own.count, Int32(MSG_NOSIGNAL)) == own.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        var count = 0
        while count < length {
            guard wait(for: POLLIN, of: descriptor, until: deadline) else { return nil }
            let received = bytes.withUnsafeMutableBytes { bytes in
                recv(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, 0)
            }
            guard received > 0 else { return nil }
            count += received
        }
        return bytes
    }

    private static func wait(for events: Int32, of descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&item, 1, Int32(clamping: max(.zero, deadline - .now).milliseconds)) == 1
    }

    private static func mechanism(in greeting: [UInt8]) -> String? {
        // Version 3 was the first to name a mechanism.
        guard greeting[0] == 0xFF, greeting[signatureLength - 1] == 0x7F, greeting[signatureLength] >= 3 else {
            return nil
        }
        return String(decoding: greeting[mechanism].prefix { $0 != 0 }, as: UTF8.self)
    }
}
