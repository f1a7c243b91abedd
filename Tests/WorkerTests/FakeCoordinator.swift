import Operations
import Testing
import Wire
import ZeroMQ

/// Something did not come in time.
struct Overdue: Error {}

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
    private var nextSerial: UInt64 = 1

    init(at endpoint: String = "tcp://127.0.0.1:*") throws {
        context = try Context()
        socket = try Socket(.router, in: context)
        try socket.bind(endpoint)
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
        while true {
            guard case .hello(let hello) = try next() else { continue }
            session = hello.session
            try send(
                .welcome(
                    Welcome(
                        protocolVersion: ProtocolVersion.newest,
                        session: hello.session,
                        epoch: 1,
                        heartbeatInterval: .milliseconds(500),
                        staleAttempts: stale
                    )
                )
            )
            return hello
        }
    }

    /// Sends one attempt to run.
    @discardableResult
    func dispatch(_ work: Work, change: (inout DispatchBatch.Item) -> Void = { _ in }) throws -> DispatchBatch.Item {
        var item = DispatchBatch.Item(
            token: AttemptToken(epoch: 1, serial: nextSerial),
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
            guard case .completions(let from, let completions) = try next() else { continue }
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
        while true {
            guard case .output(let request, let chunk) = try next() else { continue }
            #expect(request == 77)
            return chunk
        }
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
