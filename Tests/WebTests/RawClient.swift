import Glibc

/// A client of bare sockets, so that tests can send what no library sends.
///
/// Calls block, so that tests call them on threads of their own, and give up after a time that no test reaches.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// An answer as it came.
    struct Answer {
        var status: Int
        var reason: String
        var headers: [(name: String, value: String)]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    let descriptor: Int32
    /// What was received and not yet read.
    private var buffer: [UInt8] = []

    /// Connects to a server of this host, from an address of this host.
    init(port: Int, host: String = "127.0.0.1", from source: String? = nil) throws {
        let isNew = host.contains(":")
        descriptor = socket(isNew ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        set(timeout: 3600)
        if let source {
            var address = Self.address(source, port: 0)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else { throw Failure(description: "cannot bind: \(errno)") }
        }
        let code: Int32
        if isNew {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var address = Self.address(host, port: port)
            code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard code == 0 else { throw Failure(description: "cannot connect: \(errno)") }
    }

    deinit { close(descriptor) }

    private static func address(_ host: String, port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    /// How long a receive waits.
    func set(timeout seconds: Int, microseconds: Int = 0) {
        var time = timeval(tv_sec: seconds, tv_usec: microseconds)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends bytes; false if the server has closed the connection.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends a text, in which each line ends as HTTP wants it.
    @discardableResult
    func send(_ text: String) -> Bool { send(text.replacing("\n", with: "\r\n").utf8) }

    /// Sends a request of one method and target, without a body.
    func get(_ target: String, method: String = "GET", headers: String = "") {
        send("\(method) \(target) HTTP/1.1\nHost: test\n\(headers)\n")
    }

    /// Ends the sending side.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the connection by a reset.
    func reset() {
        var choice = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &choice, socklen_t(MemoryLayout<linger>.size))
        // Closes the connection while the number stays taken, which the deinitialiser closes.
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(null, descriptor)
        close(null)
    }

    /// What one receive brought.
    enum Received { case some, end, timeout }

    /// Waits for bytes.
    func receive() throws -> Received {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 {
            buffer += bytes[..<count]
            return .some
        }
        if count == 0 || errno == ECONNRESET || errno == EPIPE { return .end }
        guard errno == EAGAIN else { throw Failure(description: "cannot receive: \(errno)") }
        return .timeout
    }

    /// Waits for more bytes, which have to come.
    private func receiveMore() throws {
        switch try receive() {
        case .some: return
        case .end:
            throw Failure(description: "the connection has ended behind \"\(String(decoding: buffer, as: UTF8.self))\"")
        case .timeout: throw Failure(description: "nothing comes behind \"\(String(decoding: buffer, as: UTF8.self))\"")
        }
    }

    /// Reads a count of bytes.
    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try receiveMore() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Reads a line, without its end.
    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self).trimmingSuffix("\r")
            }
            try receiveMore()
        }
    }

    /// Reads the beginning of an answer, up to its body.
    func head() throws -> Answer {
        let words = try line().split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure(description: "no answer begins with \(words)")
        }
        var answer = Answer(status: status, reason: String(words[2]), headers: [])
        while true {
            let line = try line()
            guard !line.isEmpty else { return answer }
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers.append((String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""))
        }
    }

    /// Reads the next chunk; empty at the end of the answer.
    func chunk() throws -> [UInt8] {
        guard let count = Int(try line(), radix: 16) else { throw Failure(description: "no chunk") }
        let bytes = try read(count)
        _ = try line()
        return bytes
    }

    /// Reads an answer in whole.
    func answer(isHead: Bool = false) throws -> Answer {
        var answer = try head()
        if isHead || answer.status < 200 || answer.status == 204 { return answer }
        if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            answer.body = try read(length)
        } else if answer["Transfer-Encoding"] == "chunked" {
            while case let bytes = try chunk(), !bytes.isEmpty { answer.body += bytes }
        } else {
            answer.body = try rest()
        }
        return answer
    }

    /// Reads until the server closes the connection.
    func rest() throws -> [UInt8] {
        while true {
            switch try receive() {
            case .some: continue
            case .timeout: throw Failure(description: "the connection does not end")
            case .end:
                defer { buffer = [] }
                return buffer
            }
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
