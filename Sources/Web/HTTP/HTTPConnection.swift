import CBatonMicroHTTPD

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Synchronization

/// A connection of a client: what goes on there, and until when.
///
/// The daemon closes the descriptor only behind ``close()``, and so it is valid under the lock before.
final class HTTPConnection: Sendable {
    /// Unique in the server.
    let number: UInt64
    let peer: HTTPPeer
    let isEncrypted: Bool
    let descriptor: Int32
    private let limits: HTTPLimits

    private enum Phase {
        /// The request, or the first of the connection, is on its way.
        case arriving
        case handling
        case answering
        /// The next request has not begun.
        case idle
        /// The connection was given up, and is closed by the daemon soon.
        case ending
        case closed
    }

    private struct State {
        var phase = Phase.arriving
        var deadline: ContinuousClock.Instant?
        /// When the present request began, with the connection or with its first line.
        var requestStart: ContinuousClock.Instant
        /// Whether a request on the connection has shown whom it comes from.
        var hasKnownSender = false
        /// The end of the last answer.
        var idleStart: ContinuousClock.Instant
        var isHalfClosed = false
        /// Whether the present answer is a stream, which may be silent for long.
        var isStreaming = false
        var exchange: HTTPExchange?
    }

    private let state: Mutex<State>

    init(number: UInt64, peer: HTTPPeer, isEncrypted: Bool, descriptor: Int32, limits: HTTPLimits) {
        self.number = number
        self.peer = peer
        self.isEncrypted = isEncrypted
        self.descriptor = descriptor
        self.limits = limits
        let now = ContinuousClock.now
        let deadline = now + min(limits.headTime, limits.requestTime)
        state = Mutex(State(deadline: deadline, requestStart: now, idleStart: now))
    }

    /// A request begins; the first one has begun with the connection.
    func begin(_ exchange: HTTPExchange) {
        state.withLock { state in
            state.exchange = exchange
            guard state.phase == .idle else { return }
            let most = min(limits.headTime, limits.requestTime)
            let time = state.isHalfClosed ? min(most, limits.halfClosedTime) : most
            state.requestStart = .now
            (state.phase, state.deadline) = (.arriving, state.requestStart + time)
        }
    }

    /// The head of the request has arrived, and the request is taken: its body has the rest of the time.
    func noteHead() {
        state.withLock { state in
            guard state.phase == .arriving, !state.isHalfClosed else { return }
            state.deadline = state.requestStart + limits.requestTime
        }
    }

    /// A request has shown whom it comes from: the connection gives way to no other one from now on.
    func noteKnownSender() { state.withLock { $0.hasKnownSender = true } }

    /// Since when the connection of an unknown sender has waited for its client: for a request, for the rest of one, or until the client
    /// takes the answer; nil for any other connection.
    var waitsSince: ContinuousClock.Instant? {
        state.withLock { state in
            guard !state.hasKnownSender else { return nil }
            return switch state.phase {
            case .arriving: state.requestStart
            case .answering: state.isStreaming ? nil : state.requestStart
            case .idle: state.idleStart
            case .handling, .ending, .closed: nil
            }
        }
    }

    /// Ends the connection without an answer; the daemon closes it in its next turn.
    func end() {
        state.withLock { state in
            guard state.phase != .closed else { return }
            (state.phase, state.deadline) = (.ending, nil)
            shutdown(descriptor, Self.bothSides)
        }
    }

    /// The request has arrived and is handled.
    ///
    /// - Returns: false if the connection was given up before.
    func beginHandling() -> Bool {
        state.withLock { state in
            guard state.phase == .arriving else { return false }
            state.phase = .handling
            state.deadline = state.isHalfClosed ? .now + limits.halfClosedTime : nil
            return true
        }
    }

    /// The answer is sent; what it takes is between the daemon and the client.
    ///
    /// - Returns: false if the connection was given up before.
    func beginAnswer(isStream: Bool) -> Bool {
        state.withLock { state in
            guard state.phase == .arriving || state.phase == .handling else { return false }
            (state.phase, state.deadline, state.isStreaming) = (.answering, nil, isStream)
            if isStream { limitSystemBuffer() }
            return true
        }
    }

    /// The request is over.
    func endRequest() {
        state.withLock { state in
            state.exchange = nil
            guard state.phase != .ending, state.phase != .closed else { return }
            state.idleStart = .now
            (state.phase, state.deadline) = (.idle, state.idleStart + limits.idleTime)
        }
    }

    /// The connection is about to be closed.
    func close() {
        state.withLock { state in (state.phase, state.deadline, state.exchange) = (.closed, nil, nil) }
    }

    /// The client sends nothing more.
    ///
    /// A request that has not arrived with what the system holds of it will not arrive. The daemon does not notice, if it has
    /// read the last bytes before.
    func noteHalfClosed() {
        state.withLock { state in
            guard !state.isHalfClosed else { return }
            state.isHalfClosed = true
            guard state.phase == .handling || state.phase == .arriving else { return }
            let deadline = ContinuousClock.now + limits.halfClosedTime
            state.deadline = min(state.deadline ?? deadline, deadline)
        }
    }

    /// The request that is going on, if any.
    var exchange: HTTPExchange? { state.withLock { $0.exchange } }

    /// The moment from which on ``endOverdue(at:tooSlow:)`` has something to do.
    var deadline: ContinuousClock.Instant? { state.withLock { $0.deadline } }

    /// Ends what has taken too long.
    ///
    /// - Parameter tooSlow: the answer to a request that has not arrived in time, as bytes.
    func endOverdue(at now: ContinuousClock.Instant, tooSlow: [UInt8]) {
        let abandoned = state.withLock { state -> HTTPExchange? in
            guard let deadline = state.deadline, deadline <= now else { return nil }
            state.deadline = nil
            switch state.phase {
            case .arriving:
                state.phase = .ending
                if !isEncrypted { send(tooSlow) }
                shutdown(descriptor, Self.bothSides)
            case .idle where hasReceived(since: state.idleStart, until: now):
                state.requestStart = now
                (state.phase, state.deadline) = (.arriving, now + min(limits.headTime, limits.requestTime))
            case .idle:
                state.phase = .ending
                shutdown(descriptor, Self.bothSides)
            case .handling: return state.exchange
            case .answering, .ending, .closed: break
            }
            return nil
        }
        abandoned?.clientLeft()
    }

    /// Sends a last answer beside the daemon, which takes none while a body arrives; the caller has the daemon close afterwards.
    func sendLast(_ bytes: [UInt8]) {
        state.withLock { state in
            guard state.phase == .arriving else { return }
            state.phase = .ending
            state.deadline = nil
            guard !isEncrypted else { return }
            send(bytes)
            shutdown(descriptor, Self.sendingSide)
        }
    }

    /// Whether a part of a request has come, although the daemon tells nothing before its first line is complete.
    private func hasReceived(since start: ContinuousClock.Instant, until now: ContinuousClock.Instant) -> Bool {
        let silence = cmicrohttpd_silence(descriptor)
        return silence >= 0 && .milliseconds(silence) + Self.clockTick < now - start
    }

    /// How late the system may take the time of an arrival: longer than a tick of its clock.
    private static let clockTick = Duration.milliseconds(20)

    #if canImport(Glibc)
        private static let bothSides = Int32(SHUT_RDWR)
        private static let sendingSide = Int32(SHUT_WR)
        private static let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    #else
        private static let bothSides = SHUT_RDWR
        private static let sendingSide = SHUT_WR
        private static let flags = MSG_DONTWAIT
    #endif

    /// Sends what fits into the system's buffer, which is empty before an answer.
    private func send(_ bytes: [UInt8]) {
        #if canImport(Darwin)
            _ = Darwin.send(descriptor, bytes, bytes.count, Self.flags)
        #elseif canImport(Glibc)
            _ = Glibc.send(descriptor, bytes, bytes.count, Self.flags)
        #else
            _ = Musl.send(descriptor, bytes, bytes.count, Self.flags)
        #endif
    }

    /// Keeps the system from holding megabytes for a slow client of a stream, which would get old news only.
    private func limitSystemBuffer() {
        var size = Int32(1 << 16)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
}
