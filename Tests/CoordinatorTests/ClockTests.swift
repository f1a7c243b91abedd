import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonLogging
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
        let core: CoordinatorCore
        private let store: any Store
        private let client = RoutingID([1])

        init(_ store: any Store, at now: Timestamp, retention: Retention = Retention()) throws {
            let options = CoordinatorOptions(
                listen: "",
                storePath: "",
                retention: retention,
                version: "test",
                logger: Logger(label: "coordinator", level: .critical)
            )
            self.store = store
            core = CoordinatorCore(options, state: try store.open(), endpoint: "", seed: 1, at: now)
            try turn(at: now)
        }

        /// Ends a turn, and carries out all actions, including the actions of actions.
        func turn(at now: Timestamp) throws {
            core.endTurn(at: now, isDrained: true)
            var actions = core.takeActions()
            while !actions.isEmpty {
                for action in actions {
                    switch action {
                    case .commit(let changes, let batch):
                        try store.commit(changes)
                        core.committed(batch, at: now)
                    case .ask(let question): core.receive(question.answer(store), at: now)
                    case .send, .handOver, .retryRecord: break
                    }
                }
                core.endTurn(at: now, isDrained: true)
                actions = core.takeActions()
            }
        }

        /// Carries out all turns that are due in a time.
        ///
        /// - Returns: the end of the time.
        func run(from start: Timestamp, for time: Duration) throws -> Timestamp {
            let end = start + time
            var now = start
            while now < end {
                try turn(at: now)
                core.wokeUp(at: now, expected: now)
                now = min(end, max(core.nextDeadline, now + .milliseconds(1)))
            }
            try turn(at: end)
            return end
        }

        func submit(delay: Duration?, at now: Timestamp) throws {
            var entry = Entry()
            entry.delay = delay
            let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [entry])
            let message = ClientMessage.request(1, .submit(submission)).encoded()
            core.receive(message.withUnsafeBytes { ReceivedMessage(decoding: $0) }, from: try #require(client), at: now)
            try turn(at: now)
        }

        /// Whether the first operation of a job still waits for its time.
        func isWaiting(_ job: UInt32) -> Bool {
            core.scheduler.record(of: OperationID(job: JobNumber(job), index: 0))?.state == .pending
        }

        /// Stops the coordinator in an orderly way.
        func stop(at now: Timestamp) throws {
            try turn(at: now)
            core.commitClock()
            core.flush()
            try turn(at: now)
        }
    }

    @Test(
        "D6 A delay keeps its remaining running time over three restarts, each with a changed clock",
        arguments: errors
    )
    func delays(_ error: Duration) throws {
        let store = try SQLiteStore(on: MemoryDisk())
        var now = Timestamp(rawValue: 1_700_000_000_000_000)
        var life = try Life(store, at: now)
        try life.submit(delay: .seconds(3), at: now)
        for passed in [600, 700, 800] {
            now = try life.run(from: now, for: .milliseconds(passed))
            #expect(life.isWaiting(1))
            try life.stop(at: now)
            now = now + .seconds(1) + error
            life = try Life(store, at: now)
            #expect(life.isWaiting(1))
        }
        now = try life.run(from: now, for: .milliseconds(890))
        #expect(life.isWaiting(1))
        _ = try life.run(from: now, for: .milliseconds(20))
        #expect(!life.isWaiting(1))
    }

    @Test(
        "D6 A delay ends at most nine seconds late, and never early, after a kill and a change of the clock",
        arguments: errors
    )
    func killed(_ error: Duration) throws {
        let store = try SQLiteStore(on: MemoryDisk())
        var now = Timestamp(rawValue: 1_700_000_000_000_000)
        var life = try Life(store, at: now)
        try life.submit(delay: .seconds(3600), at: now)
        now = try life.run(from: now, for: .seconds(3000))
        now = now + error
        life = try Life(store, at: now)
        now = try life.run(from: now, for: .seconds(599))
        #expect(life.isWaiting(1))
        _ = try life.run(from: now, for: .seconds(10))
        #expect(!life.isWaiting(1))
    }

    @Test(
        "A finished job stays for its retention time, and no longer, over starts with a changed clock",
        arguments: errors
    )
    func retention(_ error: Duration) throws {
        let store = try SQLiteStore(on: MemoryDisk())
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
            try life.turn(at: now)
            #expect(try store.job(job.number) != nil)
            try life.stop(at: now)
            now = now + error
        }
        let life = try Life(store, at: now, retention: week)
        try life.turn(at: now + .seconds(86_000))
        #expect(try store.job(job.number) != nil)
        try life.turn(at: now + .seconds(86_600))
        #expect(try store.job(job.number) == nil)
    }
}
