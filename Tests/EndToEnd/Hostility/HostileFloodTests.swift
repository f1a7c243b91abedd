import Foundation
import BatonOperations
import Testing
import BatonWire
import BatonZeroMQ

/// D8 at length: a coordinator under a flood of what nobody means well.
///
/// `BATON_HOSTILE_FRAMES` says how many are sent, a hundred thousand unless given; `BATON_TEST_SEED` repeats a run.
@Suite(.timeLimit(.minutes(15)))
struct HostileFloodTests {
    @Test("D8 A flood of hostile messages costs no memory that stays, and everybody else is served all the time")
    func flood() async throws {
        let variables = ProcessInfo.processInfo.environment
        let seed = variables["BATON_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        let count = variables["BATON_HOSTILE_FRAMES"].flatMap(Int.init) ?? 100_000
        print("hostile frames: \(count), seed \(seed)")
        try await withCluster(workers: nil) { cluster in
            try await cluster.startCoordinator()
            let (endpoint, process) = (cluster.endpoint, try #require(cluster.coordinator?.processID))
            let growth = try await onThreadOfItsOwn {
                let flood = try Flood(endpoint, process, seed: seed)
                return try flood.send(count)
            }
            print("the coordinator's memory has grown by \(growth >> 10) KiB")
            #expect(growth < Flood.mostGrowth, "it has grown by \(growth >> 10) KiB, seed \(seed)")
        }
    }
}

/// Several connections that send hostile messages, and a client and a worker beside them that mean well.
private final class Flood {
    /// The most by which the coordinator's resident memory may grow, in bytes, however many messages come.
    ///
    /// What may stay: for each of the four connections the answers that its client does not read, 8 MiB,
    /// the messages that were received and not yet looked at, 64, and 1,024 waits; and for all the record's cache of
    /// pages, 2 MiB, and what the allocator keeps of the peak. A leak of 100 bytes for each of a million messages is more
    /// than that.
    static let mostGrowth = 64 << 20

    /// After how many messages those who mean well have to have been served.
    private static let period = 2_500
    private static let queue = "well-meant"

    private let process: pid_t
    private let seed: UInt64
    private var messages: HostileMessages
    private let context: Context
    private let hostile: [Dealer]
    private let client: Dealer
    private let worker: Dealer
    private let session: SessionID

    init(_ endpoint: String, _ process: pid_t, seed: UInt64) throws {
        self.process = process
        self.seed = seed
        messages = HostileMessages(seed: seed)
        var random = SplitMix(seed: ~seed)
        session = SessionID(rawValue: random.next())
        context = try Context()
        let context = context
        hostile = try [1, nil, nil, nil].map { try Dealer(endpoint, in: context, mostUnread: $0) }
        client = try Dealer(endpoint, in: context)
        worker = try Dealer(endpoint, in: context)
        let hello = WorkerHello(
            version: "test",
            name: "well-meaning",
            session: session,
            slots: 2,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: []
        )
        try worker.send(WorkerMessage.hello(hello).encoded())
    }

    /// Sends so many messages.
    ///
    /// - Returns: by how much the coordinator's resident memory has grown since the first tenth of them.
    func send(_ count: Int) throws -> Int {
        var memory = 0
        for number in 0..<count {
            let sender = hostile[number % hostile.count]
            for shot in messages.next() {
                switch shot {
                case .message(let bytes): try sender.send(bytes)
                case .frames(let frames): try sender.send(frames: frames)
                }
            }
            guard number % Self.period == Self.period - 1 else { continue }
            try serve()
            // The first of them never reads what it is answered.
            for reader in hostile.dropFirst() { try reader.drain() }
            if number < count / 10 { memory = try residentMemory() }
        }
        for sender in hostile { try awaitLastAnswer(of: sender) }
        try serve()
        return try residentMemory() - memory
    }

    /// Submits a job and waits until the worker has done it.
    private func serve() throws {
        let submission = Submission(
            queueNames: [Self.queue],
            templates: [Template(work: Work(.noOperation), qualityOfService: .userInteractive)],
            entries: [Entry(priority: .veryHigh)]
        )
        guard case .job(let job, _, _) = try answer(to: .submit(submission)) else {
            throw Failure("no job, seed \(seed)")
        }
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(30), waiter: nil)
        guard case .progress(let progress) = try answer(to: wait), progress.isFinished else {
            throw Failure("the job has not ended, seed \(seed)")
        }
    }

    /// Asks a question of the client that means well, while the worker works.
    private func answer(to request: Request) throws -> Reply {
        let number = try client.begin(request)
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            try work()
            while let bytes = try client.receive(within: .milliseconds(1)) {
                if case .reply(number, let reply) = try ClientReply(decoding: bytes) { return reply }
            }
        }
        throw Failure("no answer to \(request), seed \(seed)")
    }

    /// Does what the worker was told, whosever job it is.
    private func work() throws {
        while let bytes = try worker.receiveNow() {
            switch try CoordinatorMessage(decoding: bytes) {
            case .dispatch(let batch):
                let completions = batch.items.map {
                    Completion(token: $0.token, operation: $0.operation, result: AttemptResult(end: .exited(0)))
                }
                try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
            case .recall:
                // All of it has ended already.
                break
            case .refused(let refusal):
                throw Failure("the worker was refused: \(refusal.message) Seed \(seed)")
            default: break
            }
        }
        try worker.send(WorkerMessage.heartbeat(session, number: 1).encoded())
    }

    /// Waits until all that a connection sent was looked at: its last question is behind that.
    private func awaitLastAnswer(of sender: Dealer) throws {
        // One that has not read for long loses answers: it asks again once it has.
        for _ in 0..<60 {
            let last = ClientMessage.request(.max, .document(.status)).encoded()
            try sender.send(last)
            let deadline = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < deadline {
                try work()
                while let bytes = try sender.receive(within: .milliseconds(1)) {
                    if case .reply(.max, _)? = try? ClientReply(decoding: bytes) { return }
                }
            }
        }
        throw Failure("a hostile connection was not heard to its end, seed \(seed)")
    }

    private func residentMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    }
}

extension CoordinatorMessage {
    fileprivate init(decoding bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
    }
}

extension ClientReply {
    fileprivate init(decoding bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
    }
}
