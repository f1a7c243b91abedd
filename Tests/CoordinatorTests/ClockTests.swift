import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

/// A coordinator that restarts on a host whose clock was set meanwhile, with each step taken by hand.
@Suite("Clock changes between two starts", .timeLimit(.minutes(60)))
struct ClockTests {
    private static let day = Duration.seconds(86_400)
    /// The changes of the clock: a day back, ten days forward, and a little in both directions.
    private static let errors = [.zero - day, .zero - .seconds(5), .seconds(2), day * 10]

    /// One life of a coordinator, on a record for several lives.
    private final class Life {
        private let coordinator: SteppedCoordinator
        private let client = RoutingID([1])

        init(_ store: any Store, at now: Timestamp, retention: Retention = Retention()) throws {
            coordinator = try SteppedCoordinator(store, at: now, retention: retention)
            turn(at: now)
        }

        private var core: CoordinatorCore { coordinator.core }

        /// Ends turns of the coordinator until one turn has no actions.
        func turn(at now: Timestamp) {
            coordinator.now = now
            coordinator.settle()
        }

        /// Carries out all turns that are due in a time.
        ///
        /// - Returns: the end of the time.
        func run(from start: Timestamp, for time: Duration) -> Timestamp {
            let end = start + time
            var now = start
            while now < end {
                turn(at: now)
                core.wokeUp(at: now, expected: now)
                now = min(end, max(core.nextDeadline, now + .milliseconds(1)))
            }
            turn(at: end)
            return end
        }

        func submit(delay: Duration?, at now: Timestamp) throws {
            var entry = Entry()
            entry.delay = delay
            let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [entry])
            coordinator.now = now
            coordinator.ask(.submit(submission), 1, from: try #require(client))
            coordinator.settle()
        }

        /// Whether the first operation of a job still waits for its time.
        func isWaiting(_ job: UInt32) -> Bool {
            core.scheduler.record(of: OperationID(job: JobNumber(job), index: 0))?.state == .pending
        }

        /// Stops the coordinator in an orderly way.
        func stop(at now: Timestamp) {
            turn(at: now)
            core.commitClock()
            core.flush()
            turn(at: now)
        }
    }

    @Test(
        "D6 A delay keeps its remaining running time over three restarts, each with a changed clock",
        arguments: errors
    )
    func delays(_ error: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        var now = Timestamp(rawValue: 1_700_000_000_000_000)
        var life = try Life(store, at: now)
        try life.submit(delay: .seconds(3), at: now)
        for passed in [600, 700, 800] {
            now = life.run(from: now, for: .milliseconds(passed))
            #expect(life.isWaiting(1))
            life.stop(at: now)
            now = now + .seconds(1) + error
            life = try Life(store, at: now)
            #expect(life.isWaiting(1))
        }
        now = life.run(from: now, for: .milliseconds(890))
        #expect(life.isWaiting(1))
        _ = life.run(from: now, for: .milliseconds(20))
        #expect(!life.isWaiting(1))
    }

    @Test(
        "D6 A delay ends at most nine seconds late, and never early, after a kill and a change of the clock",
        arguments: errors
    )
    func killed(_ error: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        var now = Timestamp(rawValue: 1_700_000_000_000_000)
        var life = try Life(store, at: now)
        try life.submit(delay: .seconds(3600), at: now)
        now = life.run(from: now, for: .seconds(3000))
        now = now + error
        life = try Life(store, at: now)
        now = life.run(from: now, for: .seconds(599))
        #expect(life.isWaiting(1))
        _ = life.run(from: now, for: .seconds(10))
        #expect(!life.isWaiting(1))
    }

    @Test(
        "A finished job stays for its retention time, and no longer, over starts with a changed clock",
        arguments: errors
    )
    func retention(_ error: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        var now = Timestamp(rawValue: 1_700_000_000_000_000)
        let job = JobRecord(
            number: JobNumber(1),
            submittedAt: now,
            order: 1,
            submission: Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        )
        var record = OperationRecord(id: OperationID(job: job.number, index: 0), state: .finished)
        record.outcome = .succeeded
        var counts = JobCounts()
        counts.succeeded = 1
        try store.commit([.job(job), .operation(record), .jobFinished(job.number, counts, now), .clock(now, at: now)])
        let week = Retention(age: Self.day * 7, operations: nil)
        // Three days, twice, and then some more.
        for _ in 0..<2 {
            let life = try Life(store, at: now, retention: week)
            now = now + Self.day * 3
            life.turn(at: now)
            #expect(try store.job(job.number) != nil)
            life.stop(at: now)
            now = now + error
        }
        let life = try Life(store, at: now, retention: week)
        life.turn(at: now + .seconds(86_000))
        #expect(try store.job(job.number) != nil)
        life.turn(at: now + .seconds(86_600))
        #expect(try store.job(job.number) == nil)
    }
}
