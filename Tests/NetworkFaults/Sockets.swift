import Foundation
import Glibc

/// TCP on this host.
package enum Sockets {
    /// The address that every host has.
    package static let loopback = "127.0.0.1"

    /// A port without a listener, outside of the range of ports that the system assigns by itself.
    ///
    /// Another process may take the port before the caller does.
    package static func freePort(using random: inout some RandomNumberGenerator) throws -> UInt16 {
        let (socket, port) = try listenAtFreePort(using: &random)
        close(socket)
        return port
    }

    /// Listens at a port outside of the range of ports that the system assigns by itself.
    static func listenAtFreePort(
        using random: inout some RandomNumberGenerator
    ) throws -> (socket: Int32, port: UInt16) {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<30_000, using: &random)
            if let socket = try? listen(port: port) { return (socket, port) }
        }
        throw NetworkFailure("No free port was found between 20000 and 30000.")
    }

    /// Listens at a port of this host.
    private static func listen(port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(of: port, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 64) == 0 else {
            defer { close(socket) }
            throw NetworkFailure("Nobody can listen at port \(port): \(String(cString: strerror(errno))).")
        }
        return socket
    }

    /// Connects to a port of this host; nil without a listener.
    ///
    /// - Parameter host: one of the host's loopback addresses.
    package static func connect(port: UInt16, at host: String = loopback) -> Int32? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard withAddress(of: port, at: host, { Glibc.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return socket
    }

    /// Has the kernel keep no more bytes of a connection than about these until they are read.
    static func limitReceiveBuffer(of socket: Int32, to bytes: Int32) {
        var bytes = bytes
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withAddress(
        of port: UInt16,
        at host: String = loopback,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// The reason why a socket could not be made.
struct NetworkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
