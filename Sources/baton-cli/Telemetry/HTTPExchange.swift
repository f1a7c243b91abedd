@_spi(Baton) import BatonTelemetry

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One request over HTTP/1.1 with its answer, on a connection of its own.
///
/// Foundation's client would bring libcurl and its libraries into every start of `baton`, and a program with static libraries could not
/// be linked without it.
struct HTTPExchange {
    /// How long an exchange may take.
    struct Limits {
        /// How long the connecting may take, and how long the server may be silent after that.
        var silence: Duration = .seconds(10)
        /// How long the whole may take, also with a server that sends a byte now and then.
        var whole: Duration = .seconds(30)
    }

    /// How often a thread that waits looks whether its task is cancelled.
    private static let look = Duration.milliseconds(200)
    private static let pieceLength = 64 << 10

    /// The reason for which there is no answer, as a part of a sentence about the server.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private let limits: Limits
    private let end: ContinuousClock.Instant

    /// Posts a body of JSON, and waits for the answer.
    ///
    /// The calling thread is blocked meanwhile; the cancellation of its task ends the exchange.
    static func post(
        _ body: [UInt8],
        to endpoint: TraceEndpoint,
        headers: [TraceHeader],
        within limits: Limits = Limits()
    ) throws(Failure) -> HTTPAnswer {
        var head = "POST \(endpoint.target) HTTP/1.1\r\nHost: \(endpoint.authority)\r\n"
        head += "User-Agent: baton/\(BatonVersion.current)\r\nContent-Type: application/json\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let end = ContinuousClock.now + limits.whole
        let descriptor = try connect(to: endpoint, within: limits, until: end)
        let exchange = HTTPExchange(descriptor: descriptor, limits: limits, end: end)
        defer { close(exchange.descriptor) }
        // A server that refuses a request may close the connection before it has read all.
        let sending = Result { () throws(Failure) in
            try exchange.send(Array(head.utf8))
            try exchange.send(body)
        }
        do throws(Failure) {
            return try exchange.answer()
        } catch {
            if case .failure(let earlier) = sending { throw earlier }
            throw error
        }
    }

    // MARK: Connecting

    private static func connect(
        to endpoint: TraceEndpoint,
        within limits: Limits,
        until end: ContinuousClock.Instant
    ) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = streamType
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &found)
        guard code == 0, let found else {
            throw Failure(description: "the host's name cannot be resolved: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        var failure = Failure(description: "the host has no address")
        var next: UnsafeMutablePointer<addrinfo>? = found
        while let address = next {
            do throws(Failure) {
                return try connect(to: address.pointee, within: limits, until: end)
            } catch {
                failure = error
            }
            next = address.pointee.ai_next
        }
        throw failure
    }

    private static func connect(
        to address: addrinfo,
        within limits: Limits,
        until end: ContinuousClock.Instant
    ) throws(Failure) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw Failure(description: reason(errno)) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var code: Int32 = 0
        if systemConnect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            code = errno
            if code == EINPROGRESS {
                code = ETIMEDOUT
                if isReady(descriptor, for: Int16(POLLOUT), within: limits, until: end) {
                    var length = socklen_t(MemoryLayout<Int32>.size)
                    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
                }
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw Failure(description: reason(code))
        }
        return descriptor
    }

    private static var streamType: Int32 {
        #if canImport(Darwin)
            SOCK_STREAM
        #else
            Int32(SOCK_STREAM.rawValue)
        #endif
    }

    // MARK: Sending and receiving

    private func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemSend(descriptor, UnsafeRawBufferPointer(rebasing: buffer[sent...]))
            }
            if count >= 0 {
                sent += count
            } else {
                try waitAfter(errno, for: Int16(POLLOUT))
            }
        }
    }

    private func answer() throws(Failure) -> HTTPAnswer {
        var reader = HTTPAnswerReader()
        var buffer = [UInt8](repeating: 0, count: Self.pieceLength)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else {
                do throws(Failure) {
                    try waitAfter(errno, for: Int16(POLLIN))
                } catch {
                    // The status counts, even if the body does not come to its end.
                    if let answer = try? reader.add([], isLast: true) { return answer }
                    throw error
                }
                continue
            }
            do throws(HTTPAnswerError) {
                if let answer = try reader.add(buffer[..<count], isLast: count == 0) { return answer }
            } catch {
                throw Failure(description: error.description)
            }
        }
    }

    /// Waits after a call that could not go on at once.
    private func waitAfter(_ code: Int32, for events: Int16) throws(Failure) {
        switch code {
        case EINTR: return
        case EAGAIN where Self.isReady(descriptor, for: events, within: limits, until: end): return
        case EAGAIN where Task.isCancelled: throw Failure(description: "the export has ended meanwhile")
        case EAGAIN where ContinuousClock.now >= end:
            throw Failure(
                description: "its answer has not come to an end within \(limits.whole.components.seconds) seconds"
            )
        case EAGAIN: throw Failure(description: "it has not answered for \(limits.silence.components.seconds) seconds")
        default: throw Failure(description: Self.reason(code))
        }
    }

    /// Whether a connection can go on; false if it cannot for long, after a moment, and once the task is cancelled.
    private static func isReady(
        _ descriptor: Int32,
        for events: Int16,
        within limits: Limits,
        until end: ContinuousClock.Instant
    ) -> Bool {
        let deadline = min(end, ContinuousClock.now + limits.silence)
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero, !Task.isCancelled else { return false }
            let count = poll(&entry, 1, Int32(min(rest, look).milliseconds))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    private static func reason(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Int32 {
    guard let address else { return -1 }
    return connect(descriptor, address, length)
}

private func systemSend(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        // The program ignores SIGPIPE.
        send(descriptor, buffer.baseAddress, buffer.count, 0)
    #else
        send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    #endif
}
