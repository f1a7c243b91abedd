@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A job of no-ops with a whole coordinator, apart from its sockets and threads: messages, decisions, commits in memory, answers.
///
/// A worker with two slots reports each message's attempts at once. A client may watch all events meanwhile, as most commands do.
final class CoordinatorCost {
    private static let worker = RoutingID(inProcess: 1)
    private static let client = RoutingID(inProcess: 2)
    private static let session = SessionID(rawValue: 1)

    private let core: CoordinatorCore
    private let shell: CoordinatorShell
    private let recorder: SteppedRecorder
    private var now = Timestamp(rawValue: 1_000_000)
    private var request: UInt64 = 0
    /// Whether the last turn has sent or recorded anything.
    private var hasActed = false
    /// The messages to the worker and to the client since they were last read.
    private var sent: [(bytes: [UInt8], peer: RoutingID)] = []

    /// Counts the instructions of the coordinator alone.
    static func run(operations: Int, isWatched: Bool) throws {
        let finished = try CoordinatorCost().finish(operations, isWatched: isWatched)
        precondition(finished == operations, "The job has not come to its end.")
    }

    private init() throws {
        let store = try SQLStore(on: MemoryDisk())
        let options = CoordinatorOptions(
            listen: "",
            store: .file(""),
            version: "cost",
            logger: Logger(label: "coordinator", level: .critical)
        )
        core = CoordinatorCore(options, state: try store.open(), endpoint: "", seed: 1, at: now)
        recorder = SteppedRecorder(store)
        shell = CoordinatorShell(core, post: recorder.post)
    }

    /// Runs a job to its end, and returns how many attempts have ended.
    private func finish(_ operations: Int, isWatched: Bool) throws -> Int {
        let hello = WorkerHello(
            version: "cost",
            name: "w1",
            session: Self.session,
            slots: 2,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: []
        )
        receive(WorkerMessage.hello(hello).encoded(), from: Self.worker)
        if isWatched { watch(since: nil) }
        let submission = Workload(.array, operations: operations, kind: .noOperation).submission(seed: 1)
        ask(.submit(submission))
        var finished = 0
        while !sent.isEmpty {
            let messages = sent
            sent = []
            for (bytes, peer) in messages {
                if peer == Self.worker {
                    finished += try report(on: bytes)
                } else if case .reply(_, .events(let page)) = try bytes.withUnsafeBytes({
                    try ClientReply(decoding: $0)
                }) {
                    watch(since: page.last)
                }
            }
        }
        return finished
    }

    /// Tells the coordinator that the attempts of a message have ended, and returns how many there are.
    private func report(on bytes: [UInt8]) throws -> Int {
        guard case .dispatch(let batch) = try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) else {
            return 0
        }
        let report = AttemptReport(
            started: batch.items.map { AttemptStart($0.assignment.token, age: 2000) },
            completions: batch.items.map { item in
                Completion(
                    token: item.assignment.token,
                    operation: item.assignment.operation,
                    result: AttemptResult(end: .exited(0), microseconds: 700),
                    age: 900
                )
            }
        )
        receive(WorkerMessage.report(Self.session, report).encoded(), from: Self.worker)
        return batch.items.count
    }

    private func watch(since number: UInt64?) { ask(.watch(since: number, limit: 1000, atMost: .seconds(10))) }

    private func ask(_ content: Request) {
        request += 1
        receive(ClientMessage.request(request, content).encoded(), from: Self.client)
    }

    /// Takes a message, and turns until nothing is left to do: the measured code.
    private func receive(_ bytes: [UInt8], from peer: RoutingID) {
        now = now + .milliseconds(1)
        measured {
            bytes.withUnsafeBytes { core.receive(ReceivedMessage(decoding: $0), from: peer, at: now) }
            repeat {
                hasActed = false
                core.endTurn(at: now, isDrained: true)
                let failures = recorder.carryOutActions(of: shell, in: self, at: now)
                precondition(failures.isEmpty, "The record cannot be written: \(failures).")
            } while hasActed
        }
    }
}

extension CoordinatorCost: CoordinatorSurroundings {
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        hasActed = true
        core.delivered(bytes.count, to: peer)
        sent.append((bytes, peer))
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) {}

    func record(_ work: RecorderInbox.Item) {
        hasActed = true
        recorder.put(work)
    }

    func retryRecord() {}

    func checkRecord() {}
}
