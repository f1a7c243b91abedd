import Glibc

/// A TCP server that only accepts connections (in the kernel), like a server of another protocol.
package final class SilentServer: Sendable {
    package let endpoint: String
    private let descriptor: Int32

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Another server can listen at the address afterwards, while the kernel still remembers ended connections.
        var isReusable: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size))
        let host = LoopbackAddress.uniqueHost()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        endpoint = "tcp://\(host):\(UInt16(bigEndian: address.sin_port))"
        guard isListening else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    /// The next connection, waited for; nil after ``stop()``.
    package func accept() -> Int32? {
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection < 0 ? nil : connection
    }

    /// Accepts no further connection.
    package func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    struct Failure: Error {
        let code: Int32
    }
}
