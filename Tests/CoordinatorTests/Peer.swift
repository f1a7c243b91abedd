@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator in this process, with a record in a separate directory.
final class Harness {
    let directory: URL
    let server: CoordinatorServer

    init(directory: URL? = nil, configure: (inout CoordinatorOptions) -> Void = { _ in }) throws {
        self.directory =
            directory ?? FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        var options = CoordinatorOptions(
            listen: "tcp://127.0.0.1:*",
            store: .file(self.directory.appending(path: "baton.db").path),
            version: "test",
            logger: Logger(label: "coordinator", level: .critical)
        )
        // A peer of a test sends heartbeats only where its test says so, and may be slow beside other tests.
        options.configuration.suspectAfter = Peer.patience
        options.configuration.lostAfter = Peer.patience
        configure(&options)
        server = try CoordinatorServer(options)
    }

    /// Stops the coordinator; the record stays.
    func stop() throws {
        server.stop()
        try server.run()
    }

    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }
}

/// A connection that exchanges arbitrary messages with a coordinator.
final class Peer {
    /// The time limit for expected messages; a failure, not a way to order events.
    static let patience = Duration.seconds(3600)

    private let context: Context
    private let socket: Socket
    private let poller = Poller()
    private let source: Poller.Source
    /// What has come while the peer waited for something else.
    private var kept: [CoordinatorMessage] = []
    /// The dispatched attempts that ``receiveAttempt()`` has not returned.
    private var dispatched: [Assignment] = []
    private var number: UInt64 = 0
    /// When the requests were sent.
    private var begins: [UInt64: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - mostUnread: the most messages that the connection receives before a read; nil for no limit.
    ///   - security: the protection of the connection.
    ///   - routingID: the connection's address at the coordinator; nil for a made-up address.
    init(
        _ endpoint: String,
        mostUnread: Int? = nil,
        security: SocketSecurity = .none,
        routingID: RoutingID? = nil
    ) throws {
        context = try Context()
        var options = SocketOptions()
        options.receiveHighWaterMark = mostUnread ?? 0
        options.security = security
        options.routingID = routingID
        socket = try Socket(.dealer, in: context, options: options)
        source = poller.add(socket)
        try socket.connect(endpoint)
    }

    deinit {
        socket.close()
        context.terminate()
    }

    func send(_ bytes: [UInt8]) throws {
        _ = try socket.send(bytes)
    }

    func send(frames: [[UInt8]]) throws {
        _ = try socket.send(frames: frames)
    }

    /// The next message, or nil without a message within a time.
    func receive(within limit: Duration = Peer.patience) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let message = try socket.receive() { return message.bytes }
            _ = try poller.poll(timeout: max(.zero, deadline - ContinuousClock.now))
        }
        return nil
    }

    /// Sends a client's request and returns the answer, skipping other messages.
    func ask(_ request: Request) throws -> Reply {
        try answer(to: begin(request))
    }

    /// Sends a client's request.
    ///
    /// - Returns: the number of the request.
    func begin(_ request: Request) throws -> UInt64 {
        number += 1
        begins[number] = .now
        try send(ClientMessage.request(number, request).encoded())
        return number
    }

    /// Asks for a document, and reads it.
    func document<D: Document>(_ type: D.Type, _ request: DocumentRequest) throws -> D {
        let reply = try ask(.document(request))
        guard case .document(let bytes) = reply else { throw Unexpected(answer: "\(reply)") }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Returns the answer to a request, skipping other messages.
    func answer(to number: UInt64) throws -> Reply {
        while true {
            let bytes = try #require(try receive(), "no answer to request \(number)")
            if case .reply(number, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) {
                return reply
            }
        }
    }

    /// Whether the time of a wait or a watch of 50 s or longer may have passed: no earlier answer comes because of the time.
    func mayHaveEnded(_ number: UInt64) -> Bool {
        begins[number].map { ContinuousClock.now - $0 >= .seconds(49) } ?? false
    }

    /// Returns the answer to a wait or a watch of 50 s or longer, and repeats the request whenever its time has passed.
    ///
    /// The coordinator limits the time of a request to a minute, for which a busy machine may stop a process.
    func answer(to number: UInt64, repeating request: Request) throws -> Reply {
        var number = number
        while true {
            let reply = try answer(to: number)
            guard mayHaveEnded(number) else { return reply }
            switch reply {
            case .progress(let progress) where !progress.isFinished: break
            case .events(let page) where page.lines.isEmpty: break
            default: return reply
            }
            number = try begin(request)
        }
    }

    /// Sends a wait or a watch, and repeats the request whenever its time has passed.
    func askUntilAnswered(_ request: Request) throws -> Reply {
        try answer(to: begin(request), repeating: request)
    }

    /// Returns the answers to some requests, in whatever order they come.
    func answers(to numbers: [UInt64]) throws -> [(number: UInt64, reply: Reply)] {
        var missing = Set(numbers)
        var answers: [(number: UInt64, reply: Reply)] = []
        while !missing.isEmpty {
            let bytes = try #require(try receive(), "no answer to \(missing.count) requests")
            guard case .reply(let number, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }),
                missing.remove(number) != nil
            else { continue }
            answers.append((number, reply))
        }
        return answers
    }

    /// The answer to a request if it is the next message and has arrived; otherwise nil.
    func answerNow(to number: UInt64) throws -> Reply? {
        guard let bytes = try socket.receive()?.bytes,
            case .reply(number, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) })
        else { return nil }
        return reply
    }

    /// The next message to a worker, except heartbeats.
    func receiveAsWorker(within limit: Duration = Peer.patience) throws -> CoordinatorMessage? {
        if !kept.isEmpty { return kept.removeFirst() }
        while let bytes = try receive(within: limit) {
            let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            if case .heartbeat = message { continue }
            return message
        }
        return nil
    }

    /// Waits as a worker for the next attempt, and skips other messages; each call returns one attempt, also of a dispatch of several.
    func receiveAttempt() throws -> Assignment {
        while dispatched.isEmpty { dispatched = try receiveAttempts() }
        return dispatched.removeFirst()
    }

    /// Waits as a worker for the next dispatch, whatever comes before, and returns its attempts.
    func receiveAttempts() throws -> [Assignment] {
        while let message = try receiveAsWorker() {
            if case .dispatch(let batch) = message { return batch.items.map(\.assignment) }
        }
        throw Unexpected(answer: "no attempt")
    }

    /// Reports ends as a worker.
    func report(_ completions: [Completion], of session: SessionID) throws {
        try send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
    }

    /// Waits as a worker until the coordinator has read all earlier messages; ``receiveAsWorker(within:)`` returns later what it sends
    /// meanwhile.
    func settle(_ session: SessionID) throws {
        number += 1
        try send(WorkerMessage.heartbeat(session, number: number).encoded())
        while true {
            let bytes = try #require(try receive(), "no answer to a heartbeat")
            let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            if case .heartbeat(number) = message { return }
            if case .heartbeat = message { continue }
            kept.append(message)
        }
    }

    /// Says hello as a worker and returns the welcome.
    func join(
        _ name: String,
        session: UInt64,
        slots: UInt32 = 1,
        holding: [ClaimedAttempt] = [],
        id: WorkerID = .unknown,
        protocols: ProtocolRange = .own,
        types: [String] = [],
        optionVersion: Int = OperationOption.newestVersion
    ) throws -> Welcome {
        let hello = WorkerHello(
            protocols: protocols,
            version: "test",
            name: name,
            session: SessionID(rawValue: session),
            slots: slots,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: holding,
            types: types,
            id: id,
            optionVersion: optionVersion
        )
        try send(WorkerMessage.hello(hello).encoded())
        let answer = try receiveAsWorker()
        guard case .welcome(let welcome)? = answer else {
            throw Unexpected(answer: "\(String(describing: answer))")
        }
        return welcome
    }
}

extension Completion {
    /// The end of an attempt that exited with 0.
    static func success(_ token: AttemptToken, _ operation: OperationID) -> Completion {
        Completion(token: token, operation: operation, result: AttemptResult(end: .exited(0)))
    }
}

/// An answer that a test did not expect.
struct Unexpected: Error {
    var answer: String
}

extension Submission {
    /// No-op operations, with dependencies by position.
    static func noOperations(_ dependencies: [[Int]]) -> Submission {
        Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: dependencies.map {
                Entry(dependencies: $0.map { Dependency(on: .entry($0), condition: .success) })
            }
        )
    }
}
