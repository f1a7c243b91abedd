import Operations
import Testing
import Wire
import ZeroMQ

/// Something did not come in time.
struct Overdue: Error {}

/// Something else came than a test waited for.
struct Unexpected: Error {
    let message: WorkerMessage
}

/// A coordinator that does what a test says; confined to the test's thread.
final class FakeCoordinator {
    /// How long a test waits for what has to come; a failure, not a way to order events.
    static let patience = Duration.seconds(20)

    let endpoint: String
    private let context: Context
    private let socket: Socket
    private let poller = Poller()
    private var peer: RoutingID?
    private(set) var session = SessionID(rawValue: 0)
    private let epoch: UInt32
    private var nextSerial: UInt64 = 1

    init(at endpoint: String = "tcp://127.0.0.1:*", epoch: UInt32 = 1) throws {
        self.epoch = epoch
        context = try Context()
        socket = try Socket(.router, in: context)
        try socket.bindPatiently(endpoint)
        self.endpoint = try socket.lastEndpoint
        _ = poller.add(socket)
    }

    /// Goes away; another one may take its endpoint.
    func close() {
        socket.close()
        context.terminate()
    }

    /// The next message that is no heartbeat, waited for.
    func next() throws -> WorkerMessage {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            guard let routed = try socket.receiveRouted() else {
                try poller.poll(timeout: .seconds(1))
                continue
            }
            peer = routed.sender
            let message = try routed.message.withUnsafeBytes { try WorkerMessage(decoding: $0) }
            if case .heartbeat = message { continue }
            return message
        }
        throw Overdue()
    }

    func send(_ message: CoordinatorMessage) throws {
        try send(bytes: message.encoded())
    }

    func send(bytes: [UInt8]) throws {
        let peer = try #require(peer)
        guard case .sent = try socket.send(bytes, to: peer) else { throw Overdue() }
    }

    /// Waits for a hello, and takes the worker in.
    @discardableResult
    func greet(stale: [AttemptToken] = []) throws -> WorkerHello {
        let message = try next()
        guard case .hello(let hello) = message else { throw Unexpected(message: message) }
        session = hello.session
        let welcome = Welcome(
            protocolVersion: ProtocolVersion.newest,
            session: hello.session,
            epoch: epoch,
            // Longer than any test waits: a fake coordinator says nothing by itself.
            heartbeatInterval: .seconds(60),
            staleAttempts: stale
        )
        try send(.welcome(welcome))
        return hello
    }

    /// Sends one attempt to run.
    @discardableResult
    func dispatch(_ work: Work, change: (inout DispatchBatch.Item) -> Void = { _ in }) throws -> DispatchBatch.Item {
        var item = DispatchBatch.Item(
            token: AttemptToken(epoch: epoch, serial: nextSerial),
            operation: OperationID(job: JobNumber(12), index: UInt32(nextSerial)),
            attempt: 1,
            work: 0,
            queue: 0
        )
        nextSerial += 1
        change(&item)
        try send(.dispatch(DispatchBatch(works: [work], queues: ["images"], items: [item])))
        return item
    }

    /// Waits for so many completions, and acknowledges them unless that is not wanted.
    func completions(_ count: Int = 1, acknowledging: Bool = true) throws -> [Completion] {
        var all: [Completion] = []
        while all.count < count {
            let message = try next()
            guard case .completions(let from, let completions) = message else { throw Unexpected(message: message) }
            #expect(from == session)
            all += completions
            if acknowledging { try send(.acknowledge(completions.map(\.token))) }
        }
        return all
    }

    /// Runs one attempt to its end.
    func run(_ work: Work, change: (inout DispatchBatch.Item) -> Void = { _ in }) throws -> AttemptResult {
        let item = try dispatch(work, change: change)
        let completion = try #require(try completions().first)
        #expect(completion.token == item.token)
        #expect(completion.operation == item.operation)
        return completion.result
    }

    /// Runs a shell script to its end.
    func run(script: String, change: (inout DispatchBatch.Item) -> Void = { _ in }) throws -> AttemptResult {
        try run(.shell(script), change: change)
    }

    /// Reads a piece of standard output; nil where the worker has none.
    func output(
        of item: DispatchBatch.Item,
        _ stream: OutputStream = .standardOutput,
        offset: UInt64 = 0,
        limit: UInt32 = 1 << 20
    ) throws -> OutputChunk? {
        try send(.readOutput(request: 77, item.token, item.operation, stream, offset: offset, limit: limit))
        let message = try next()
        guard case .output(77, let chunk) = message else { throw Unexpected(message: message) }
        return chunk
    }
}

extension Work {
    /// A script for the shell.
    static func shell(_ script: String) -> Work {
        Work(.commands([["/bin/sh", "-c", script]]))
    }
}

extension OutputTail {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Socket {
    /// Binds, again if need be: a process that another test starts at this moment has a copy of the descriptor that an
    /// earlier coordinator has just closed.
    fileprivate func bindPatiently(_ endpoint: String) throws {
        let deadline = ContinuousClock.now + FakeCoordinator.patience
        while true {
            do throws(ZeroMQError) {
                return try bind(endpoint)
            } catch {
                guard error.reason == .addressInUse, ContinuousClock.now < deadline else { throw error }
            }
        }
    }
}
