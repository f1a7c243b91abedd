#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket that listens at a numerical address; owned by its holder.
struct HTTPListener {
    let descriptor: Int32
    let port: Int

    /// The most connections that wait to be accepted.
    private static let mostWaiting: Int32 = 128

    /// Binds an address and begins to listen.
    ///
    /// - Parameters:
    ///   - host: A numerical address; that of IPv6 may have brackets. `::` takes clients of IPv4 too.
    ///   - port: The port; 0 picks a free one.
    init(host: String, port: Int) throws(HTTPServerError) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Self.streamType
        var found: UnsafeMutablePointer<addrinfo>?
        let text = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard !text.isEmpty, (0...65_535).contains(port), getaddrinfo(text, String(port), &hints, &found) == 0,
            let address = found?.pointee, let bytes = address.ai_addr
        else {
            throw HTTPServerError(
                .badAddress,
                "\"\(host):\(port)\" is not an address to listen at. Give a numerical address and a port, such as 127.0.0.1:7462."
            )
        }
        defer { freeaddrinfo(found) }

        descriptor = Self.newSocket(address.ai_family)
        guard descriptor >= 0 else { throw Self.error(host: host, port: port, code: errno) }
        Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1)
        if address.ai_family == AF_INET6 { Self.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 0) }
        guard bind(descriptor, bytes, address.ai_addrlen) == 0, listen(descriptor, Self.mostWaiting) == 0,
            let actual = Self.port(of: descriptor)
        else {
            let code = errno
            close(descriptor)
            throw Self.error(host: host, port: port, code: code)
        }
        self.port = actual
    }

    #if canImport(Glibc)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
        private static let streamType = SOCK_STREAM
    #endif

    /// Frees the port, and closes the socket.
    static func end(_ descriptor: Int32) {
        shutDown(descriptor)
        close(descriptor)
    }

    /// Frees the port, also while a program that is just being started has a copy of the descriptor.
    static func shutDown(_ descriptor: Int32) {
        #if canImport(Glibc)
            shutdown(descriptor, Int32(SHUT_RDWR))
        #else
            shutdown(descriptor, SHUT_RDWR)
        #endif
    }

    /// Makes a socket that is closed in the programs that this program starts; otherwise such a program would keep the port.
    private static func newSocket(_ family: Int32) -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(family, streamType, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        #elseif canImport(Glibc)
            return socket(family, streamType | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            return socket(family, streamType | SOCK_CLOEXEC, 0)
        #endif
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The port that a socket is bound to.
    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                // The port has one place in the addresses of IPv4 and IPv6.
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }

    private static func error(host: String, port: Int, code: Int32) -> HTTPServerError {
        let address = "\(host):\(port)"
        switch code {
        case EADDRINUSE:
            return HTTPServerError(.addressInUse, "Another program listens at \(address). Name another port for HTTP.")
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return HTTPServerError(.addressNotAvailable, "This host has no address \(host) to listen at for HTTP.")
        case EACCES, EPERM:
            return HTTPServerError(.notPermitted, "This user may not listen at \(address). Name a port above 1023.")
        default:
            let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return HTTPServerError(.other, "Cannot listen at \(address): \(reason).")
        }
    }
}
