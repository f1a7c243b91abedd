import Glibc

/// A plain TCP connection or listener on the loopback interface: a peer that does not speak ZMTP.
final class RawConnection {
    /// The socket, open as long as this object.
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A connection to the port of an endpoint such as `tcp://127.0.0.1:4711`.
    static func connected(to endpoint: String) throws -> RawConnection {
        let port = endpoint.split(separator: ":").last.flatMap { UInt16($0) }
        let connection = RawConnection(descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let code = withLoopbackAddress(port: port ?? 0) { connect(connection.descriptor, $0, $1) }
        guard code == 0 else { throw Overdue() }
        return connection
    }

    /// A listener at a free port.
    static func listening() throws -> RawConnection {
        let listener = RawConnection(descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let code = withLoopbackAddress(port: 0) { bind(listener.descriptor, $0, $1) }
        guard code == 0, listen(listener.descriptor, 8) == 0 else { throw Overdue() }
        return listener
    }

    /// The next connection, waited for.
    func accepted() throws -> RawConnection {
        let descriptor = accept(descriptor, nil, nil)
        guard descriptor >= 0 else { throw Overdue() }
        return RawConnection(descriptor: descriptor)
    }

    /// Sends as much as the peer takes before it hangs up.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Waits until the peer has sent a number of bytes or has closed the connection.
    func await(bytes count: Int) {
        var rest = count
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while rest > 0 {
            let length = read(descriptor, &buffer, min(rest, buffer.count))
            guard length > 0 else { return }
            rest -= length
        }
    }

    /// Says that nothing follows.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits until the peer has closed the connection.
    func awaitEnd() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }

    /// Where a listener listens.
    var endpoint: String { "tcp://" + ownAddress }

    /// The address and port of this end.
    var ownAddress: String {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    private static func withLoopbackAddress<Result>(
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
