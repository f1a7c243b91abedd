@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// An expected message did not come in time.
struct Overdue: Error {}

/// Another message came than the test expected.
struct Unexpected: Error {
    let message: WorkerMessage
}

/// A coordinator under the control of a test; confined to the test's thread.
final class FakeCoordinator {
    /// The time limit for expected messages; a failure, not a way to order events.
    static let patience = Duration.seconds(3600)

    let endpoint: String
    private let context: Context
    private let socket: Socket
    private let keys: KeyedServer?
    private let authenticator: Authenticator?
    private let poller = Poller()
    private var peer: RoutingID?
    private(set) var session = SessionID(rawValue: 0)
    private let epoch: UInt32
    private let incarnation: Incarnation
    /// The answer to inquiries; nil for none, as from a coordinator of version 1.
    var leadership: Leadership?
    /// The inquiries that were answered or left without an answer, oldest first.
    private var inquiries: [LeaderInquiry] = []
    private var nextSerial: UInt64 = 1
    /// The attempts that the worker has reported as started, in a report or in a hello, oldest first.
    private(set) var started: [AttemptToken] = []
    /// The attempts that the worker has given back, oldest first.
    private(set) var returned: [AttemptToken] = []
    /// The reported ends of attempts; one message may have several.
    private var ends: [AttemptToken: AttemptEnd] = [:]
    private var hooks: Set<AttemptToken> = []
    /// The files that the worker says it keeps.
    private(set) var held: Set<ContentDigest> = []
    /// The files that the worker has found damaged.
    private(set) var damaged: Set<ContentDigest> = []
    /// Messages that arrived during waits for other messages.
    private var waiting: [WorkerMessage] = []

    init(
        at endpoint: String = LoopbackAddress.unique(),
        epoch: UInt32 = 1,
        incarnation: Incarnation = .unknown,
        keys: KeyedServer? = nil
    ) throws {
        self.epoch = epoch
        self.incarnation = incarnation
        self.keys = keys
        context = try Context()
        authenticator = keys == nil ? nil : try Authenticator(context: context)
        var options = SocketOptions()
        if let keys { options.security = keys.security }
        socket = try Socket(.router, in: context, options: options)
        try socket.bindPatiently(endpoint)
        self.endpoint = try socket.lastEndpoint
        _ = poller.add(socket)
        if let authenticator { _ = poller.add(authenticator) }
    }

    /// Closes the endpoint; another coordinator may bind it.
    func close() {
        socket.close()
        authenticator?.close()
        context.terminate()
    }

    /// Waits for the next message, except heartbeats, distances and reports without completions.
    func next() throws -> WorkerMessage {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while true {
            let message = try receive()
            if message.isForTests { return message }
        }
    }

    /// Waits until the given number of attempts have been given back.
    func awaitReturned(_ count: Int = 1) throws {
        while returned.count < count {
            let message = try receive()
            if message.isForTests { waiting.append(message) }
        }
    }

    /// Waits until what the worker keeps satisfies a condition.
    func awaitHeld(_ isDone: (Set<ContentDigest>) -> Bool) throws {
        while !isDone(held) {
            let message = try receive()
            if message.isForTests { waiting.append(message) }
        }
    }

    /// Waits until an attempt has been reported as started.
    func awaitStart(of token: AttemptToken) throws {
        while !started.contains(token) {
            let message = try receive()
            if message.isForTests { waiting.append(message) }
        }
    }

    /// Receives and records the next message.
    private func receive() throws -> WorkerMessage {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            if let message = try take() { return message }
        }
        throw Overdue()
    }

    /// Answers an inquiry, if one has come; it does not wait, and any other message is lost.
    func serve() throws { _ = try take(waiting: .zero) }

    /// Waits a while for a message, and records it; nil if no message has come, or only a message over another connection of the worker.
    private func take(waiting time: Duration = .seconds(1)) throws -> WorkerMessage? {
        try admit()
        guard let routed = try socket.receiveRouted() else {
            try poller.poll(timeout: time)
            return nil
        }
        let message = try routed.message.withUnsafeBytes { try WorkerMessage(decoding: $0) }
        switch message {
        // The worker has a separate connection for files.
        case .fileConnection: return nil
        case .inquire(let inquiry):
            inquiries.append(inquiry)
            if let leadership {
                _ = try socket.send(CoordinatorMessage.leadership(leadership).encoded(), to: routed.sender)
            }
            return nil
        case .report(_, let report): note(report)
        case .filesHeld(_, let digests, let isFirst): held = isFirst ? Set(digests) : held.union(digests)
        case .filesDropped(_, let digests, let areDamaged):
            held.subtract(digests)
            if areDamaged { damaged.formUnion(digests) }
        default: break
        }
        peer = routed.sender
        return message
    }

    /// Waits for an inquiry, and removes it from the list; the inquiry is answered like all others.
    func awaitInquiry() throws -> LeaderInquiry {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            guard inquiries.isEmpty else { return inquiries.removeFirst() }
            if let message = try take(), message.isForTests { waiting.append(message) }
        }
        throw Overdue()
    }

    /// Decides on waiting handshakes.
    private func admit() throws {
        if let authenticator { try keys?.answer(authenticator) }
    }

    /// Decides on handshakes until a condition holds.
    func admit(until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            try admit()
            if isDone() { return }
            try poller.poll(timeout: .milliseconds(20))
        }
        throw Overdue()
    }

    /// Checks the rules that hold for every report.
    private func note(_ report: AttemptReport) {
        for token in report.started.map(\.token) {
            #expect(!started.contains(token), "\(token) is reported as started twice")
            #expect(!returned.contains(token), "\(token) starts after it was given back")
            #expect(!hooks.contains(token), "\(token) is a hook")
        }
        started += report.started.map(\.token)
        for token in report.returned { #expect(!started.contains(token), "\(token) is given back after its start") }
        returned += report.returned
        for completion in report.completions {
            let token = completion.token
            let isToldTwice = report.started.contains { $0.token == token }
            #expect(!isToldTwice, "\(token) is reported as started and as over")
            if !started.contains(token), !hooks.contains(token) { started.append(token) }
            ends[token] = completion.result.end
        }
    }

    func send(_ message: CoordinatorMessage) throws {
        try send(bytes: message.encoded())
    }

    func send(bytes: [UInt8]) throws {
        guard try hasSent(bytes) else { throw Overdue() }
    }

    /// Sends bytes to the worker of the last message, unless its connection is gone.
    private func hasSent(_ bytes: [UInt8]) throws -> Bool {
        let peer = try #require(peer)
        guard case .sent = try socket.send(bytes, to: peer) else { return false }
        return true
    }

    /// Waits for a hello, and welcomes the worker.
    ///
    /// - Parameters:
    ///   - operations: the keys of the worker's operations; nil as from a coordinator without keys.
    ///   - record: the identity of the record; unknown as from one without a record.
    @discardableResult
    func greet(
        stale: [AttemptToken] = [],
        operations: Secret? = nil,
        record: Incarnation = .unknown
    ) throws -> WorkerHello {
        while true {
            let message = try next()
            guard case .hello(let hello) = message else { throw Unexpected(message: message) }
            session = hello.session
            started = hello.attempts.filter { $0.phase != .waiting && !$0.isHook }.map(\.token)
            hooks = Set(hello.attempts.filter(\.isHook).map(\.token))
            let welcome = Welcome(
                protocolVersion: ProtocolVersion.newest,
                session: hello.session,
                epoch: epoch,
                incarnation: incarnation,
                // Longer than any test waits: a fake coordinator sends no heartbeats.
                heartbeatInterval: .seconds(3600),
                lease: .seconds(36_000),
                staleAttempts: stale,
                recalledAttempts: [],
                operations: operations,
                record: record
            )
            // A worker that has lost its patience says hello again.
            if try hasSent(CoordinatorMessage.welcome(welcome).encoded()) { return hello }
        }
    }

    /// Sends one attempt to run.
    @discardableResult
    func dispatch(_ work: Work, change: (inout Assignment) -> Void = { _ in }) throws -> Assignment {
        var assignment = Assignment(
            token: AttemptToken(epoch: epoch, serial: nextSerial),
            operation: OperationID(job: JobNumber(12), index: UInt32(nextSerial)),
            attempt: 1
        )
        nextSerial += 1
        change(&assignment)
        if assignment.isHook { hooks.insert(assignment.token) }
        let item = DispatchBatch.Item(assignment, work: 0, queue: 0)
        try send(.dispatch(DispatchBatch(works: [work], queues: ["images"], items: [item])))
        return assignment
    }

    /// Waits for the given number of completions, and acknowledges them unless told otherwise.
    func completions(_ count: Int = 1, acknowledging: Bool = true) throws -> [Completion] {
        var all: [Completion] = []
        while all.count < count {
            let message = try next()
            guard case .report(let from, let report) = message else { throw Unexpected(message: message) }
            #expect(from == session)
            all += report.completions
            if acknowledging { try send(.acknowledge(report.completions.map(\.token))) }
        }
        return all
    }

    /// Waits until an attempt is over and acknowledged, or has been given back.
    ///
    /// - Returns: nil for an attempt that was given back.
    func end(of token: AttemptToken) throws -> AttemptEnd? {
        while ends[token] == nil, !returned.contains(token) {
            let message = try receive()
            if case .report(_, let report) = message, report.completions.contains(where: { $0.token == token }) {
                break
            }
            if message.isForTests { waiting.append(message) }
        }
        guard let end = ends[token] else { return nil }
        try send(.acknowledge([token]))
        return end
    }

    /// Runs one attempt to its end.
    func run(_ work: Work, change: (inout Assignment) -> Void = { _ in }) throws -> AttemptResult {
        let assignment = try dispatch(work, change: change)
        let completion = try #require(try completions().first)
        #expect(completion.token == assignment.token)
        #expect(completion.operation == assignment.operation)
        return completion.result
    }

    /// Runs a shell script to its end.
    func run(script: String, change: (inout Assignment) -> Void = { _ in }) throws -> AttemptResult {
        try run(.shell(script), change: change)
    }

    /// Reads a piece of standard output; nil if the worker has none.
    func output(
        of attempt: Assignment,
        _ stream: OutputStream = .standardOutput,
        offset: UInt64 = 0,
        limit: UInt32 = 1 << 20
    ) throws -> OutputChunk? {
        try send(.readOutput(request: 77, attempt.token, attempt.operation, stream, offset: offset, limit: limit))
        let message = try next()
        guard case .output(77, let chunk) = message else { throw Unexpected(message: message) }
        return chunk
    }
}

extension WorkerMessage {
    /// Whether tests wait for the message; the fake coordinator records the other messages itself.
    fileprivate var isForTests: Bool {
        switch self {
        // A busy machine is as slow as a distance.
        case .heartbeat, .distance: false
        // The fake coordinator notes what the worker keeps.
        case .filesHeld, .filesDropped, .fetchProgress: false
        case .report(_, let report): !report.completions.isEmpty
        default: true
        }
    }
}

extension Work {
    /// A script for the shell, which is killed only in tests that set its grace period.
    static func shell(_ script: String) -> Work {
        Work(.commands([["/bin/sh", "-c", script]]), gracePeriod: .forever)
    }
}

extension OutputTail {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
