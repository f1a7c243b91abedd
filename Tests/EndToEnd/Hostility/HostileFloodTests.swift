@_spi(Baton) import BatonKeys
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// D8 at length: a coordinator under a flood of hostile messages.
///
/// `BATON_HOSTILE_FRAMES` sets the number of messages, 100,000 by default; `BATON_TEST_SEED` repeats a run.
@Suite("A flood of hostile messages", .timeLimit(.minutes(60)))
struct HostileFloodTests {
    @Test("D8 A flood of hostile messages leaves the coordinator's memory bounded, and other peers are served")
    func flood() async throws {
        let variables = ProcessInfo.processInfo.environment
        let seed = variables["BATON_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        let count = variables["BATON_HOSTILE_FRAMES"].flatMap(Int.init) ?? 100_000
        print("hostile frames: \(count), seed \(seed)")
        try await withCluster(workers: nil) { cluster in
            try await cluster.startCoordinator()
            let (endpoint, process) = (cluster.endpoint, try #require(cluster.coordinator?.processID))
            let (client, worker) = (try cluster.security(as: .client), try cluster.security(as: .worker))
            let growth = try await onThreadOfItsOwn {
                let flood = try Flood(endpoint, client: client, worker: worker, process, seed: seed)
                return try flood.send(count)
            }
            print("the coordinator's memory has grown by \(growth >> 10) KiB")
            #expect(growth < Flood.mostGrowth, "it has grown by \(growth >> 10) KiB, seed \(seed)")
        }
    }
}

/// Several connections that send hostile messages, beside a well-behaved client and a well-behaved worker.
private final class Flood {
    /// The most by which the coordinator's resident memory may grow, in bytes, for any number of messages.
    ///
    /// Each of the four connections may keep 8 MiB of unread answers, 64 messages that the coordinator has received and
    /// not yet read, and 1,024 waits. The process may keep the record's page cache of 2 MiB, and memory that the
    /// allocator does not return after the peak. A leak of 100 bytes for each of a million messages exceeds the limit.
    static let mostGrowth = 64 << 20

    /// The number of messages after which the well-behaved client and worker must have been served.
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

    /// - Parameters:
    ///   - clientSecurity: the protection of connections with a client's key; half of the hostile connections have it.
    ///   - workerSecurity: the protection of connections with a worker's key.
    init(
        _ endpoint: String,
        client clientSecurity: SocketSecurity,
        worker workerSecurity: SocketSecurity,
        _ process: pid_t,
        seed: UInt64
    ) throws {
        self.process = process
        self.seed = seed
        messages = HostileMessages(seed: seed)
        var random = SplitMix(seed: ~seed)
        session = SessionID(rawValue: random.next())
        context = try Context()
        let context = context
        hostile = try [(clientSecurity, 1), (clientSecurity, nil), (workerSecurity, 1), (workerSecurity, nil)].map {
            try Dealer(endpoint, in: context, security: $0, mostUnread: $1)
        }
        client = try Dealer(endpoint, in: context, security: clientSecurity)
        worker = try Dealer(endpoint, in: context, security: workerSecurity)
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

    /// Sends the given number of messages.
    ///
    /// - Returns: the growth of the coordinator's resident memory since the first tenth of the messages.
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
            // The first connection never reads its answers.
            for reader in hostile.dropFirst() { try reader.drain() }
            if number < count / 10 { memory = try residentMemory() }
        }
        for sender in hostile { try awaitLastAnswer(of: sender) }
        try serve()
        return try residentMemory() - memory
    }

    /// Submits a job and waits until the worker has executed the job.
    private func serve() throws {
        let submission = Submission(
            queueNames: [Self.queue],
            templates: [Template(work: Work(.noOperation), qualityOfService: .userInteractive)],
            entries: [Entry(priority: .veryHigh)]
        )
        guard case .job(let job, _, _) = try answer(to: .submit(submission)) else {
            throw Failure("no job, seed \(seed)")
        }
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(60), waiter: nil)
        while true {
            guard case .progress(let progress) = try answer(to: wait) else {
                throw Failure("the job has not ended, seed \(seed)")
            }
            if progress.isFinished { return }
        }
    }

    /// Sends a request of the well-behaved client, and lets the worker work until the answer comes.
    private func answer(to request: Request) throws -> Reply {
        let number = try client.begin(request)
        let deadline = ContinuousClock.now + .seconds(3600)
        while ContinuousClock.now < deadline {
            try work()
            while let bytes = try client.receive(within: .milliseconds(1)) {
                if case .reply(number, let reply) = try ClientReply(decoding: bytes) { return reply }
            }
        }
        throw Failure("no answer to \(request), seed \(seed)")
    }

    /// Ends every attempt that the worker has received, of any client's job.
    private func work() throws {
        while let bytes = try worker.receiveNow() {
            switch try CoordinatorMessage(decoding: bytes) {
            case .dispatch(let batch):
                let completions = batch.items.map(\.assignment).map {
                    Completion(token: $0.token, operation: $0.operation, result: AttemptResult(end: .exited(0)))
                }
                try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
            case .recall:
                // All recalled attempts have ended already.
                break
            case .refused(let refusal):
                throw Failure("the worker was refused: \(refusal.message) Seed \(seed)")
            default: break
            }
        }
        try worker.send(WorkerMessage.heartbeat(session, number: 1).encoded())
    }

    /// Waits until the coordinator has read all messages of a connection, by a last request and its answer.
    private func awaitLastAnswer(of sender: Dealer) throws {
        // A connection loses answers when it has not read for long, so the loop repeats the request. A busy machine may take minutes
        // for the answers before, so only a silence ends the loop.
        var silentRounds = 0
        while silentRounds < 60 {
            let last = ClientMessage.request(.max, .document(.status)).encoded()
            try sender.send(last)
            silentRounds += 1
            let deadline = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < deadline {
                try work()
                while let bytes = try sender.receive(within: .milliseconds(1)) {
                    if case .reply(.max, _)? = try? ClientReply(decoding: bytes) { return }
                    silentRounds = 0
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
