#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The host at the other end of a connection.
@_spi(Baton) public struct HTTPPeer: Hashable, Sendable {
    /// The numerical address; that of an IPv4 host does not depend on how the server is bound.
    public var address: String
    /// Whether the address is one of this host alone.
    public var isLoopback: Bool

    /// Creates the peer of a numerical address.
    public init(address: String) {
        let mapped = "::ffff:"
        let isMapped = address.lowercased().hasPrefix(mapped) && address.contains(".")
        self.address = isMapped ? String(address.dropFirst(mapped.count)) : address
        isLoopback = self.address == "::1" || self.address.hasPrefix("127.")
    }

    /// Reads the address of a connection.
    init(_ address: UnsafeRawPointer) {
        let address = address.assumingMemoryBound(to: sockaddr.self)
        let isOld = Int32(address.pointee.sa_family) == AF_INET
        let length = socklen_t(isOld ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        self.init(address: code == 0 ? string(text) : "unknown")
    }
}
