#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The addresses of the peers of a socket's connections, by descriptor.
///
/// A descriptor may have been closed and given to another connection before its first event was read. An address
/// therefore counts only once no event waits: libzmq reports the end of a connection before it closes the descriptor.
struct PeerAddresses {
    private var confirmed: [Int32: String] = [:]
    private var unconfirmed: [Int32: String] = [:]

    /// Looks up the peer of an accepted connection.
    mutating func add(_ descriptor: Int32) {
        confirmed[descriptor] = nil
        unconfirmed[descriptor] = Self.peer(of: descriptor)
    }

    /// Notes that all events before the latest lookups have been read.
    mutating func confirm() {
        guard !unconfirmed.isEmpty else { return }
        confirmed.merge(unconfirmed) { _, latest in latest }
        unconfirmed.removeAll(keepingCapacity: true)
    }

    /// Forgets a connection that has ended, and returns the address of its peer if it is certain.
    mutating func remove(_ descriptor: Int32) -> String? {
        unconfirmed[descriptor] = nil
        return confirmed.removeValue(forKey: descriptor)
    }

    /// The numeric address and the port of a connection's other end, such as `192.0.2.1:4711` or `[2001:db8::1]:4711`.
    private static func peer(of descriptor: Int32) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(descriptor, address, &length) == 0 else { return nil }
                var host = [CChar](repeating: 0, count: 64)
                var port = [CChar](repeating: 0, count: 8)
                let flags = NI_NUMERICHOST | NI_NUMERICSERV
                let code = getnameinfo(
                    address,
                    length,
                    &host,
                    socklen_t(host.count),
                    &port,
                    socklen_t(port.count),
                    flags
                )
                guard code == 0 else { return nil }
                let (hostText, portText) = (MappedAddress.plain(text(host)), text(port))
                return hostText.contains(":") ? "[\(hostText)]:\(portText)" : "\(hostText):\(portText)"
            }
        }
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
