@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Tests that the record keeps jobs that a request is about to need, with each step taken by hand.
@Suite("Removal of finished jobs", .timeLimit(.minutes(60)))
struct CoordinatorRemovalTests {
    private let start = Timestamp(rawValue: 1_000_000)
    private let store: SQLiteStore
    private let core: CoordinatorCore
    private let client: RoutingID

    /// Two jobs have finished, and the first exceeds the limit by one.
    init() throws {
        client = try #require(RoutingID([1]))
        store = try SQLiteStore(on: MemoryDisk())
        for number in UInt32(1)...2 {
            let submission = Submission(
                templates: [Template(work: Work(.noOperation))],
                entries: [Entry()]
            )
            let job = JobRecord(
                number: JobNumber(number),
                submittedAt: start,
                order: UInt64(number),
                submission: submission
            )
            var record = OperationRecord(id: OperationID(job: job.number, index: 0), state: .finished)
            record.outcome = .succeeded
            var counts = JobCounts()
            counts.succeeded = 1
            try store.commit([.job(job), .operation(record), .jobFinished(job.number, counts, start)])
        }
        let options = CoordinatorOptions(
            listen: "",
            storePath: "",
            retention: Retention(age: nil, operations: 1),
            version: "test",
            logger: Logger(label: "coordinator", level: .critical)
        )
        core = CoordinatorCore(options, state: try store.open(), endpoint: "", seed: 1, at: start)
    }

    /// Ends a turn, and carries out all actions, including the actions of actions.
    ///
    /// - Returns: the replies that were sent.
    private func turn(at now: Timestamp) throws -> [Reply] {
        core.endTurn(at: now, isDrained: true)
        var replies: [Reply] = []
        var actions = core.takeActions()
        while !actions.isEmpty {
            // Like the recorder: in order, and all commits before any notice.
            var notices: [() -> Void] = []
            for action in actions {
                switch action {
                case .send(let bytes, _):
                    let reply = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
                    if case .reply(_, let reply) = reply { replies.append(reply) }
                case .commit(let changes, let batch):
                    try store.commit(changes)
                    notices.append { core.committed(batch, at: now) }
                case .ask(let question):
                    let answer = question.answer(store)
                    notices.append { core.receive(answer, at: now) }
                case .handOver, .retryRecord: break
                }
            }
            for notice in notices { notice() }
            core.endTurn(at: now, isDrained: true)
            actions = core.takeActions()
        }
        return replies
    }

    private func ask(_ request: Request, at now: Timestamp) {
        let message = ClientMessage.request(1, request).encoded().withUnsafeBytes { ReceivedMessage(decoding: $0) }
        core.receive(message, from: client, at: now)
    }

    @Test("The oldest finished job is removed once the limit of kept operations is exceeded")
    func excess() throws {
        _ = try turn(at: start)
        #expect(try store.jobs(before: nil, limit: 9).map(\.number) == [JobNumber(2)])
    }

    @Test("A finished job is not removed while a submission that depends on it is arriving or unfinished")
    func dependency() throws {
        let dependency = Dependency(on: .existing(.job(JobNumber(1))), condition: .success)
        let submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(dependencies: [dependency])]
        )
        // The record is asked for the dependency, and asked to remove it before the submission goes on.
        ask(.submit(submission), at: start)
        #expect(try turn(at: start) == [.job(JobNumber(3), operations: 1, isNew: true)])
        _ = try turn(at: start + .seconds(120))
        #expect(try store.jobs(before: nil, limit: 9).map(\.number.rawValue) == [3, 2, 1])
    }

    @Test("A wait for a job that is about to be removed returns its outcome, and a later wait is refused as not found")
    func wait() throws {
        let request = Request.wait([.job(JobNumber(1))], queue: nil, atMost: .seconds(9), waiter: nil)
        ask(request, at: start)
        guard case .progress(let progress)? = try turn(at: start).first else { throw Unexpected(answer: "no progress") }
        #expect(progress.isFinished && progress.counts.succeeded == 1)
        let later = start + .seconds(120)
        _ = try turn(at: later)
        ask(request, at: later)
        guard case .refused(let refusal)? = try turn(at: later).first else { throw Unexpected(answer: "not refused") }
        #expect(refusal.code == .notFound)
    }
}
