@_spi(Baton) import BatonCoordinator
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
    private let store: SQLStore
    private let coordinator: SteppedCoordinator
    private let client: RoutingID

    /// Two jobs have finished, and the first exceeds the limit by one.
    init() throws {
        client = try #require(RoutingID([1]))
        store = try SQLStore(on: MemoryDisk())
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
        coordinator = try SteppedCoordinator(store, at: start, retention: Retention(age: nil, operations: 1))
    }

    /// Ends turns of the coordinator until one turn has no actions.
    ///
    /// - Returns: the replies that were sent.
    private func turn(at now: Timestamp) throws -> [Reply] {
        coordinator.now = now
        coordinator.settle()
        return try coordinator.takeReplies().map(\.reply)
    }

    private func ask(_ request: Request, at now: Timestamp) {
        coordinator.now = now
        coordinator.ask(request, 1, from: client)
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

    @Test("FI9 A finished job whose files are kept stays for that time")
    func keptFiles() throws {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: ContentDigest.length)))
        let store = try SQLStore(on: MemoryDisk())
        for number in UInt32(1)...3 {
            var work = Work(.commands([["make"]]))
            work.outputs = ["x"]
            var submission = Submission(templates: [Template(work: work)], entries: [Entry()])
            if number == 2 { submission.settings.keepFiles = .seconds(1000) }
            let job = JobRecord(
                number: JobNumber(number),
                submittedAt: start,
                order: UInt64(number),
                submission: submission
            )
            var record = OperationRecord(id: OperationID(job: job.number, index: 0), state: .finished)
            (record.outcome, record.attempt, record.hasFiles) = (.succeeded, 1, true)
            var counts = JobCounts()
            counts.succeeded = 1
            let files = [KeptFile(path: "x", size: 4, mode: 0o644, digest: digest)]
            try store.commit([
                .clock(start, at: start), .job(job), .files(record.id, attempt: 1, files), .operation(record),
                .jobFinished(job.number, counts, start),
            ])
        }
        let coordinator = try SteppedCoordinator(store, at: start, retention: Retention(age: nil, operations: 1))
        func jobs(at now: Timestamp) throws -> [UInt32] {
            coordinator.now = now
            coordinator.settle()
            return try store.jobs(before: nil, limit: 9).map(\.number.rawValue)
        }
        for (seconds, expected) in [(0, [3, 2]), (900, [3, 2]), (1100, [3])] as [(Int64, [UInt32])] {
            let left = try jobs(at: start + .seconds(seconds))
            #expect(left == expected, "after \(seconds) s")
        }
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
