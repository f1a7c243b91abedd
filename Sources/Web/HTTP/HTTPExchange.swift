import Synchronization

/// One request and its answer.
///
/// The daemon's thread goes through the steps; the task that handles the request, and whoever ends it, come from outside.
final class HTTPExchange: Sendable {
    /// What has to be done next.
    enum Step {
        /// The headers have to be read.
        case new
        /// The body arrives.
        case reading(HTTPRequestHead, most: Int)
        /// The request has arrived in whole, and is handled in the daemon's next turn.
        case arrived(HTTPRequestHead)
        /// The request is refused, and its body dropped.
        case refused(HTTPResponse)
        /// The connection is suspended, and a task makes the answer.
        case handling
        /// The connection is resumed, and the answer has to be sent.
        case answered(HTTPResponse)
        case answering(HTTPStream?)
        case over
    }

    private struct State {
        var step = Step.new
        var body: [UInt8] = []
        var task: Task<Void, Never>?
        /// The bytes of the body that were taken out of the budget.
        var bodyCount = 0
        /// Whether the server waits for this answer when it stops.
        var isAwaited = false
        var endsConnection = false
    }

    /// The target as the client sent it; nil in a first line without one.
    let target: String?
    let connection: HTTPConnection
    let handle: HTTPConnectionHandle
    private let answers: HTTPPendingCount
    private let bodies: HTTPBodyBudget
    private let state = Mutex(State())

    init(target: String?, connection: HTTPConnection, handle: HTTPConnectionHandle, engine: HTTPEngine) {
        self.target = target
        self.connection = connection
        self.handle = handle
        answers = engine.answers
        bodies = engine.bodies
    }

    var step: Step { state.withLock { $0.step } }

    /// Goes on to a step of the daemon's thread.
    func begin(_ step: Step) {
        state.withLock { state in
            if case .over = state.step { return }
            state.step = step
        }
    }

    /// Whether the connection ends behind the answer.
    var endsConnection: Bool { state.withLock { $0.endsConnection } }

    /// Has the connection end behind the answer.
    func endConnection() { state.withLock { $0.endsConnection = true } }

    /// The bytes of the body so far.
    func takeBody() -> [UInt8] {
        state.withLock { state in
            defer { state.body = [] }
            return state.body
        }
    }

    /// Adds bytes to the body.
    ///
    /// - Throws: ``HTTPFailure`` if the body is larger than `most`, or all bodies together are too large.
    func add(_ bytes: UnsafeRawBufferPointer, most: Int) throws(HTTPFailure) {
        let failure = state.withLock { state -> HTTPFailure? in
            guard bytes.count <= most - state.bodyCount else { return .bodyTooLarge(most: most) }
            guard bodies.take(bytes.count) else { return .bodiesTooLarge }
            state.bodyCount += bytes.count
            state.body.append(contentsOf: bytes)
            return nil
        }
        if let failure { throw failure }
    }

    /// Has a stop of the server wait for the end of this exchange, as long as it waits at all.
    func delayStop() {
        state.withLock { state in
            guard !state.isAwaited else { return }
            state.isAwaited = true
            answers.begin()
        }
    }

    /// Suspends the connection, and has a task make the answer.
    func handle(_ body: @escaping @Sendable () async -> HTTPResponse) {
        handle.suspend()
        begin(.handling)
        let task = Task { answer(await body()) }
        state.withLock { state in
            if case .handling = state.step { state.task = task }
        }
    }

    /// Hands over the answer and resumes the connection, if nobody has done so.
    func answer(_ response: HTTPResponse) {
        let isFirst = state.withLock { state in
            guard case .handling = state.step else { return false }
            state.step = .answered(response)
            state.task = nil
            // Under the lock, so that the connection is not suspended any more once a stop of the server has held the lock.
            handle.resume()
            return true
        }
        if !isFirst { response.stream?.discard() }
    }

    /// The client has left: the answer is of no interest.
    func clientLeft() {
        let (task, stream) = state.withLock { state -> (Task<Void, Never>?, HTTPStream?) in
            if case .answering(let stream) = state.step { return (nil, stream) }
            return (state.task, nil)
        }
        task?.cancel()
        stream?.abandon()
    }

    /// The server stops: answers in place of the task, and ends a stream.
    func stop(with response: @autoclosure () -> HTTPResponse) {
        let (task, stream) = state.withLock { state -> (Task<Void, Never>?, HTTPStream?) in
            switch state.step {
            case .handling: return (state.task, nil)
            case .answered(let response): return (nil, response.stream)
            case .answering(let stream): return (nil, stream)
            case .new, .reading, .arrived, .refused, .over: return (nil, nil)
            }
        }
        stream?.stop()
        // Before the cancellation, which could bring an answer of half the work.
        if case .handling = step { answer(response()) }
        task?.cancel()
    }

    /// The exchange is over; `isAnswered` tells whether the answer was sent in whole.
    func end(isAnswered: Bool) {
        let last = state.withLock { state in
            defer { (state.step, state.body, state.task, state.bodyCount) = (.over, [], nil, 0) }
            return state
        }
        last.task?.cancel()
        bodies.giveBack(last.bodyCount)
        switch last.step {
        case .answering(let stream): stream?.finish(isAnswered: isAnswered)
        case .answered(let response), .refused(let response): response.stream?.discard()
        case .new, .reading, .arrived, .handling, .over: break
        }
        if last.isAwaited { answers.end() }
    }
}
