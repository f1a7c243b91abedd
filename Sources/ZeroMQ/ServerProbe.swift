#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Looks for a server at a `tcp` endpoint step by step, to explain why it cannot be used.
///
/// The calls block.
@_spi(Baton) public struct ServerProbe: Sendable {
    /// An address to which the endpoint's host name leads.
    public struct Address: Sendable, CustomStringConvertible {
        /// The address and the port, such as `10.0.0.1:7461` or `[::1]:7461`.
        public let description: String
        private let bytes: [UInt8]

        /// The address as an endpoint, such as `tcp://10.0.0.1:7461`.
        public var endpoint: String { Endpoint.scheme + description }

        init(_ info: addrinfo) {
            bytes = Array(UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
            let code = getnameinfo(
                info.ai_addr,
                info.ai_addrlen,
                &host,
                socklen_t(host.count),
                &port,
                socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV
            )
            let (hostText, portText) = (Self.text(host), Self.text(port))
            let isBracketed = info.ai_family == AF_INET6
            description = code == 0 ? (isBracketed ? "[\(hostText)]" : hostText) + ":" + portText : "unknown"
        }

        private static func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }

        /// Opens a connection; the caller closes the descriptor.
        func connect(until deadline: ContinuousClock.Instant) -> Result<Int32, ConnectFailure> {
            startConnecting().flatMap { descriptor in
                let isDone = ServerProbe.wait(for: POLLOUT, of: descriptor, until: deadline)
                let failure = isDone ? Self.result(of: descriptor) : .silent
                guard let failure else { return .success(descriptor) }
                close(descriptor)
                return .failure(failure)
            }
        }

        /// Starts to open a connection, which is decided once the descriptor is writable; the caller closes the descriptor.
        func startConnecting() -> Result<Int32, ConnectFailure> {
            bytes.withUnsafeBytes { bytes in
                guard let address = bytes.bindMemory(to: sockaddr.self).baseAddress else {
                    return .failure(.system(EINVAL))
                }
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
                let descriptor = socket(Int32(address.pointee.sa_family), type, 0)
                guard descriptor >= 0 else { return .failure(.system(errno)) }
                guard systemConnect(descriptor, address, socklen_t(bytes.count)) == 0 || errno == EINPROGRESS else {
                    let code = errno
                    close(descriptor)
                    return .failure(.system(code))
                }
                return .success(descriptor)
            }
        }

        /// The failure of a decided connection; nil for an open one.
        static func result(of descriptor: Int32) -> ConnectFailure? {
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .system(errno) }
            return code == 0 ? nil : .system(code)
        }
    }

    /// The reason why no connection comes about.
    enum ConnectFailure: Error {
        /// Nothing has answered in time.
        case silent
        /// The system's error number.
        case system(Int32)
    }

    /// What a server's address answers to an attempt to connect.
    public enum Answer: Sendable {
        /// A process accepts connections.
        case accepted
        /// Nothing has answered in time: the host is away, or a firewall drops the packets.
        case silent
        /// The host refuses: no process listens at the port.
        case refused
        /// The system's reason in words.
        case failed(String)
    }

    /// The endpoint to connect to.
    public let endpoint: Endpoint

    /// The host of the endpoint: a name or an address.
    public var host: String { endpoint.host }

    /// Prepares to look at an endpoint.
    public init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
    }

    /// Prepares to look at an endpoint such as `tcp://host:7461`; nil for a malformed one.
    public init?(_ endpoint: String) {
        guard let endpoint = Endpoint(endpoint, for: .connecting) else { return nil }
        self.init(endpoint)
    }

    /// The addresses of the host, in the order in which to try them; empty if the host is unknown.
    ///
    /// The resolver of names may take a while.
    public var addresses: [Address] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(endpoint.host, endpoint.port, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [Address] = []
        var next = first
        while let info = next?.pointee {
            let address = Address(info)
            if !addresses.contains(where: { $0.description == address.description }) { addresses.append(address) }
            next = info.ai_next
        }
        return addresses
    }

    /// Connects to an address, and hangs up.
    public func answer(of address: Address, within limit: Duration) -> Answer {
        switch address.connect(until: .now + limit) {
        case .success(let descriptor):
            close(descriptor)
            return .accepted
        case .failure(.silent), .failure(.system(ETIMEDOUT)): return .silent
        case .failure(.system(ECONNREFUSED)): return .refused
        case .failure(.system(let code)):
            return .failed(strerror(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }

    /// Waits for an event of a descriptor.
    ///
    /// - Returns: whether the event has come.
    static func wait(for events: Int32, of descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&item, 1, Int32(clamping: max(.zero, deadline - .now).milliseconds)) == 1
    }
}

/// connect(2), whose name a caller's own function hides.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
