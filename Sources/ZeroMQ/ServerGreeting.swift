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
    /// How long a server that serves the connection is watched after its greeting.
    private static let watch = Duration.milliseconds(400)
    /// The bytes that name the mechanism, filled up with zeros.
    private static let mechanism = 12..<32

    /// The mechanism of the server at a `tcp` endpoint, such as `NULL` or `CURVE`; nil if no such greeting comes in time.
    ///
    /// A server without free descriptors sends its greeting, and ends the connection before the peer has told any key. It has no
    /// mechanism either: its greeting explains no failed handshake. The call therefore takes 0.4 s longer than the greeting.
    ///
    /// The answer is plain text that anybody on the path may have sent. The call blocks, and the resolver of names may take
    /// longer than the limit: call it only to explain a failure.
    public static func mechanism(at endpoint: String, within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        for address in ServerProbe(endpoint)?.addresses ?? [] {
            if let greeting = greeting(from: address, until: deadline) { return mechanism(in: greeting) }
        }
        return nil
    }

    /// The first bytes of the server's greeting; nil if the server cannot be reached, or ends the connection earlier.
    private static func greeting(
        from address: ServerProbe.Address,
        until deadline: ContinuousClock.Instant
    ) -> [UInt8]? {
        guard case .success(let descriptor) = address.connect(until: deadline) else { return nil }
        defer { close(descriptor) }
        // The own signature and version: a server that has seen no mechanism yet has no reason to break off.
        let own: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3]
        guard send(descriptor, own, own.count, Int32(MSG_NOSIGNAL)) == own.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        var count = 0
        while count < length {
            guard ServerProbe.wait(for: POLLIN, of: descriptor, until: deadline) else { return nil }
            let received = bytes.withUnsafeMutableBytes { bytes in
                recv(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, 0)
            }
            guard received > 0 else { return nil }
            count += received
        }
        return isKeptOpen(descriptor) ? bytes : nil
    }

    /// Whether the server keeps a connection open whose handshake has not ended.
    private static func isKeptOpen(_ descriptor: Int32) -> Bool {
        let end = ContinuousClock.now + watch
        var rest = [UInt8](repeating: 0, count: 64)
        while ServerProbe.wait(for: POLLIN, of: descriptor, until: end) {
            // The rest of the greeting, or the end.
            guard recv(descriptor, &rest, rest.count, 0) > 0 else { return false }
        }
        return true
    }

    private static func mechanism(in greeting: [UInt8]) -> String? {
        // Version 3 was the first to name a mechanism.
        guard greeting[0] == 0xFF, greeting[signatureLength - 1] == 0x7F, greeting[signatureLength] >= 3 else {
            return nil
        }
        return String(decoding: greeting[mechanism].prefix { $0 != 0 }, as: UTF8.self)
    }
}
