import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// A coordinator without threads and sockets, and three workers: one of them is to run an operation that needs a file, and the other two
/// keep the file.
final class TransferScene {
    /// A message over a connection for files.
    enum Message: Equatable {
        case said(CoordinatorMessage)
        case passed(PassedPiece)
    }

    let coordinator: SteppedCoordinator
    /// The bytes of the file.
    let content: [UInt8]
    let file: KeptFile
    /// The operation that left the file.
    private(set) var producer = OperationID(job: JobNumber(1), index: 0)
    /// The attempt that needs the file, and the number of its worker.
    private(set) var token = AttemptToken(epoch: 1, serial: 1)
    private(set) var asker = 0
    private var received: [RoutingID: [Message]] = [:]
    private(set) var replies: [Reply] = []
    private var dispatched: [(worker: Int, assignment: Assignment)] = []
    private var nextRequest: UInt64 = 1

    static let client = RoutingID(inProcess: 1)

    /// The files that the worker with the attempt was told to copy before the test begins.
    private(set) var copiesTold: [KeptFile] = []

    /// - Parameters:
    ///   - size: the number of bytes of the file.
    ///   - copies: how many workers are to keep the file.
    ///   - silence: how long a worker may be silent before it is suspect, and before it is lost: nobody is, in the time of a test.
    init(
        size: Int = 1000,
        copies: Int = 1,
        silence: (suspectAfter: Duration, lostAfter: Duration) = (.seconds(36_000), .seconds(36_000))
    ) throws {
        var bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 * 7) }
        while bytes.count < size { bytes += bytes }
        content = Array(bytes.prefix(size))
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 9, count: ContentDigest.length)))
        file = KeptFile(path: "out/a.bin", size: Int64(size), mode: 0o644, digest: digest)
        var configuration = Configuration()
        configuration.suspectAfter = silence.suspectAfter
        configuration.lostAfter = silence.lostAfter
        coordinator = try SteppedCoordinator(
            try SQLStore(on: MemoryDisk()),
            at: Timestamp(rawValue: 1_700_000_000_000_000),
            configuration: configuration
        )
        for worker in 0..<3 { join(worker) }
        try produce(copies)
    }

    static func session(_ worker: Int) -> SessionID { SessionID(rawValue: 100 + UInt64(worker)) }
    static func peer(_ worker: Int) -> RoutingID { RoutingID(inProcess: 10 + UInt64(worker)) }
    /// A connection for files of a worker.
    static func files(_ worker: Int, _ number: UInt64 = 0) -> RoutingID {
        RoutingID(inProcess: 1000 + 100 * number + UInt64(worker))
    }

    /// The workers that keep the file.
    var holders: [Int] { (0..<3).filter { $0 != asker } }

    private func join(_ worker: Int) {
        let hello = WorkerHello(
            version: "test",
            name: "w\(worker)",
            session: Self.session(worker),
            slots: 1,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: UInt64(worker) + 1),
            sessionNumber: 1,
            attempts: [],
            id: WorkerID(rawValue: 50 + UInt64(worker))
        )
        say(.hello(hello), as: worker)
        say(.filesHeld(Self.session(worker), [], isFirst: true), as: worker)
    }

    /// Has a file made, and the operation that needs it sent to a worker that does not have it.
    private func produce(_ copies: Int) throws {
        var work = Work(.commands([["make"]]))
        work.outputs = ["out/*"]
        work.copies = copies
        let submission = Submission(
            templates: [Template(work: work), Template(work: Work(.commands([["use"]])))],
            entries: [
                Entry(template: 0), Entry(template: 1, dependencies: [Dependency(on: .entry(0), condition: .success)]),
            ]
        )
        ask(.submit(submission))
        let first = try #require(dispatched.first)
        producer = first.assignment.operation
        for worker in 0..<3 where worker != first.worker {
            say(.filesHeld(Self.session(worker), [file.digest], isFirst: false), as: worker)
        }
        var result = AttemptResult(end: .exited(0))
        result.files = [file]
        let end = Completion(token: first.assignment.token, operation: producer, result: result)
        say(.report(Self.session(first.worker), AttemptReport(completions: [end])), as: first.worker)
        for worker in 0..<3 { say(.filesHeld(Self.session(worker), [file.digest], isFirst: false), as: worker) }
        let second = try #require(dispatched.first { $0.assignment.operation != producer })
        (asker, token) = (second.worker, second.assignment.token)
        say(.filesDropped(Self.session(asker), [file.digest]), as: asker)
        copiesTold = takeAll()[Self.peer(asker), default: []].flatMap { message -> [KeptFile] in
            if case .said(.copyFiles(let files)) = message { files } else { [] }
        }
    }

    // MARK: - What is said

    func say(_ message: WorkerMessage, as worker: Int, over peer: RoutingID? = nil) {
        coordinator.receive(message.encoded(), from: peer ?? Self.peer(worker))
        settle()
    }

    func ask(_ request: Request, from peer: RoutingID = TransferScene.client) {
        coordinator.ask(request, nextRequest, from: peer)
        nextRequest += 1
        settle()
    }

    /// Opens the connections for files of all workers.
    func connectAll() {
        for worker in 0..<3 { connect(worker) }
    }

    func connect(_ worker: Int, _ number: UInt64 = 0) {
        say(.fileConnection(Self.session(worker)), as: worker, over: Self.files(worker, number))
    }

    /// Asks for a piece as the worker with the attempt.
    func fetch(_ number: UInt64, offset: UInt64 = 0, limit: UInt32 = 100) {
        say(
            .fetchPiece(Self.session(asker), number: number, token, file.digest, offset: offset, limit: limit),
            as: asker,
            over: Self.files(asker)
        )
    }

    /// Answers as a worker that keeps the file.
    func give(_ piece: PassedPiece, as worker: Int, over peer: RoutingID? = nil) {
        coordinator.receive(piece.encoded(), from: peer ?? Self.files(worker))
        settle()
    }

    /// The right answer to a request.
    func piece(_ asked: Asked) -> PassedPiece {
        let start = Int(asked.offset)
        let bytes = Array(content[start..<min(content.count, start + Int(asked.limit))])
        let piece = FilePiece(offset: asked.offset, size: UInt64(content.count), bytes: bytes)
        return PassedPiece(number: asked.number, echo: asked.echo, piece: piece)
    }

    /// Lets time pass.
    ///
    /// - Parameter alive: the workers that give signs of life meanwhile.
    func pass(_ duration: Duration, alive: [Int] = []) {
        let end = coordinator.now + duration
        while coordinator.now < end {
            coordinator.now = min(end, coordinator.now + .seconds(1))
            for worker in alive { say(.filesHeld(Self.session(worker), [], isFirst: false), as: worker) }
            settle()
        }
    }

    func settle() {
        coordinator.settle(flushes: true)
        for (bytes, peer) in coordinator.takeMessages() {
            do {
                if peer == Self.client || peer.inProcessNumber.map({ $0 < 10 }) == true {
                    let message = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
                    if case .reply(_, let reply) = message { replies.append(reply) }
                } else if bytes.withUnsafeBytes({ PassedPiece.isPiece($0) }) {
                    received[peer, default: []].append(
                        .passed(try bytes.withUnsafeBytes { try PassedPiece(decoding: $0) })
                    )
                } else {
                    let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                    if case .dispatch(let batch) = message, let worker = (0..<3).first(where: { Self.peer($0) == peer })
                    {
                        dispatched += batch.items.map { (worker: worker, assignment: $0.assignment) }
                    }
                    received[peer, default: []].append(.said(message))
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    // MARK: - What is answered

    /// A request that a holder has received.
    struct Asked: Equatable {
        var worker: Int
        var number: UInt64
        var echo: UInt64
        var offset: UInt64
        var limit: UInt32
    }

    private func takeAll() -> [RoutingID: [Message]] {
        defer { received = [:] }
        return received
    }

    /// Takes the messages over a connection since the last call.
    func take(_ peer: RoutingID) -> [Message] { received.removeValue(forKey: peer) ?? [] }

    /// Takes the requests that the holders have received since the last call, and leaves the answers to the worker with the attempt.
    func takeAsked(over number: UInt64 = 0) -> [Asked] {
        holders.flatMap { worker in
            take(Self.files(worker, number)).compactMap { message in
                guard case .said(.readPiece(let number, let echo, file.digest, let offset, let limit)) = message else {
                    return nil
                }
                return Asked(worker: worker, number: number, echo: echo, offset: offset, limit: limit)
            }
        }
    }

    /// Takes what the worker with the attempt has got since the last call.
    func takeAnswers() -> [Message] { take(Self.files(asker)) }

    /// Takes the answers to the client since the last call.
    func takeReplies() -> [Reply] {
        defer { replies = [] }
        return replies
    }
}
