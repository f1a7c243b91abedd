import Foundation
import Glibc
import Synchronization

/// A receiver of spans over HTTP on a thread of its own, which gives each request the next of some answers.
final class SpanReceiver: Sendable {
    /// The answer that takes the spans.
    static let taken = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private let listener: Int32
    /// The answers to the next requests; all later ones are taken.
    private let answers: Mutex<[String]>
    private let bodies = Mutex<[JSONValue]>([])
    let url: String

    /// - Parameter answers: the answers to the first requests; an empty one closes the connection.
    init(answers: [String] = []) throws {
        self.answers = Mutex(answers)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(self.listener, nil, nil)
                guard connection >= 0 else { return }
                serve(connection)
                close(connection)
            }
        }
    }

    /// Ends the thread.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The spans of all requests that were taken.
    var spans: [JSONValue] {
        bodies.withLock { bodies in
            bodies.flatMap(\.resourceSpans.elements).flatMap(\.scopeSpans.elements).flatMap(\.spans.elements)
        }
    }

    private func serve(_ connection: Int32) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let length = head.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            guard bytes.count - end.upperBound >= length else { continue }
            let answer = answers.withLock { $0.isEmpty ? Self.taken : $0.removeFirst() }
            if answer == Self.taken,
                let body = try? JSONValue(parsing: String(decoding: bytes[end.upperBound...], as: UTF8.self))
            {
                bodies.withLock { $0.append(body) }
            }
            _ = Array(answer.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            return
        }
    }
}
