import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonTestRecords
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

/// Large jobs, which come into the record in parts.
@Suite("Large jobs on their way into the record", .timeLimit(.minutes(60)))
struct ArrivalTests {
    private static let start = Timestamp(rawValue: 1_700_000_000_000_000)
    private static let peers = [1, 2].map { RoutingID(inProcess: $0) }

    /// A record that can be told to fail.
    private final class FailingStore: ForwardingStore {
        let base: SQLStore
        var fails = false

        init() throws { base = try SQLStore(on: MemoryDisk()) }

        func close() { base.close() }

        func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError) {
            if fails { throw StoreError(.full, "The disk is full.") }
            try base.store(&parts, of: job, rows: rows)
        }

        func removeFinished(
            beyond retention: Retention,
            except pinned: Set<JobNumber>,
            at now: Timestamp
        ) throws(StoreError) -> Bool {
            if fails { throw StoreError(.full, "The disk is full.") }
            return try base.removeFinished(beyond: retention, except: pinned, at: now)
        }
    }

    /// A job of three operations, which is large here.
    private static func large(key: String? = nil) -> Request {
        var submission = Submission.noOperations([[], [0], []])
        submission.key = key
        return .submit(submission)
    }

    private static func coordinator(_ store: any Store) throws -> SteppedCoordinator {
        let coordinator = try SteppedCoordinator(store, at: start, retention: .forever, rowsOfPart: 1)
        coordinator.settle(flushes: true)
        coordinator.asksQuestions = false
        return coordinator
    }

    /// Lets the record answer all questions, one by one.
    private static func finish(_ coordinator: SteppedCoordinator) {
        coordinator.settle(flushes: true)
        while !coordinator.questions.isEmpty {
            coordinator.askQuestion()
            coordinator.settle(flushes: true)
        }
    }

    private static func numbers(_ replies: [(peer: RoutingID, reply: Reply)]) -> [UInt32?] {
        replies.map { if case .job(let number, _, _) = $0.reply { number.rawValue } else { nil } }
    }

    @Test("Other jobs are accepted between the parts of a large job, which is unknown until it is whole")
    func others() throws {
        let store = try SQLStore(on: MemoryDisk())
        let coordinator = try Self.coordinator(store)
        coordinator.ask(Self.large(), 1, from: Self.peers[0])
        coordinator.settle(flushes: true)
        coordinator.askQuestion()
        coordinator.settle(flushes: true)
        #expect(try coordinator.takeReplies().isEmpty && coordinator.questions.count == 1)
        // The scheduler has operations of the job by now.
        #expect(coordinator.core.violations.isEmpty)
        #expect(!coordinator.core.isUnfinished(JobNumber(1)))
        coordinator.ask(.submit(.noOperations([[]])), 1, from: Self.peers[1])
        coordinator.settle(flushes: true)
        #expect(try Self.numbers(coordinator.takeReplies()) == [2])
        #expect(try store.jobs(before: nil, limit: 10).map(\.number) == [JobNumber(2)])
        Self.finish(coordinator)
        #expect(try Self.numbers(coordinator.takeReplies()) == [1])
        #expect(try store.jobs(before: nil, limit: 10).map(\.number) == [JobNumber(2), JobNumber(1)])
        #expect(try store.restoredJob(JobNumber(1))?.job.submission.entries.count == 3)
    }

    @Test("Others are answered between the turns in which the operations of a large job start")
    func starts() throws {
        let coordinator = try SteppedCoordinator(
            SQLStore(on: MemoryDisk()),
            at: Self.start,
            retention: .forever,
            configuration: Configuration(operationsPerTurn: 1),
            rowsOfPart: 100
        )
        coordinator.ask(.submit(.noOperations(Array(repeating: [], count: 30))), 1, from: Self.peers[0])
        for _ in 0..<10 where !coordinator.core.isUnfinished(JobNumber(1)) { coordinator.endTurn(flushes: true) }
        #expect(coordinator.core.scheduler.hasTurnLeft)
        coordinator.ask(.submit(.noOperations([[]])), 1, from: Self.peers[1])
        coordinator.endTurn(flushes: true)
        #expect(try Self.numbers(coordinator.takeReplies()).compactMap { $0 }.sorted() == [1, 2])
        #expect(coordinator.core.scheduler.hasTurnLeft)
        #expect(coordinator.core.violations.isEmpty)
        for _ in 0..<2 {
            #expect(coordinator.core.nextDeadline <= coordinator.now)
            coordinator.endTurn(flushes: true)
        }
        #expect(!coordinator.core.scheduler.hasTurnLeft)
    }

    @Test("D13 A large job that is submitted twice at once under a key becomes one job, also after a restart")
    func repeated() throws {
        let store = try SQLStore(on: MemoryDisk())
        let coordinator = try Self.coordinator(store)
        for peer in Self.peers { coordinator.ask(Self.large(key: "k"), 1, from: peer) }
        Self.finish(coordinator)
        let replies = try coordinator.takeReplies().map(\.reply)
        #expect(replies == [true, false].map { .job(JobNumber(1), operations: 3, isNew: $0) })
        // The job is known by now.
        coordinator.ask(Self.large(key: "k"), 2, from: Self.peers[0])
        Self.finish(coordinator)
        #expect(
            try coordinator.takeReplies().map(\.reply) == [.job(JobNumber(1), operations: 3, isNew: false)]
        )
    }

    @Test("D13 The key of a large job on its way is refused for an addition to another job")
    func keyOfAddition() throws {
        let coordinator = try Self.coordinator(SQLStore(on: MemoryDisk()))
        var open = Submission.noOperations([])
        open.isOpen = true
        coordinator.ask(.submit(open), 1, from: Self.peers[1])
        Self.finish(coordinator)
        coordinator.ask(Self.large(key: "k"), 1, from: Self.peers[0])
        for _ in 0..<2 {
            coordinator.settle(flushes: true)
            coordinator.askQuestion()
        }
        _ = coordinator.takeMessages()
        var addition = Submission.noOperations([[]])
        addition.key = "k"
        coordinator.ask(.add(addition, to: JobNumber(1)), 2, from: Self.peers[1])
        coordinator.settle(flushes: true)
        #expect(try coordinator.takeReplies().map(\.reply) == [.refused(.submissionUnderWay(withKey: "k"))])
        Self.finish(coordinator)
        #expect(try Self.numbers(coordinator.takeReplies()) == [2])
    }

    @Test("A large job whose rows cannot be stored is refused, its key is free, and the next one has another number")
    func full() throws {
        let store = try FailingStore()
        let coordinator = try Self.coordinator(store)
        coordinator.ask(Self.large(key: "k"), 1, from: Self.peers[0])
        coordinator.settle(flushes: true)
        for _ in 0..<2 {
            coordinator.askQuestion()
            coordinator.settle(flushes: true)
        }
        store.fails = true
        Self.finish(coordinator)
        let refusals = try coordinator.takeReplies().map(\.reply)
        guard case .refused(let refusal)? = refusals.first, refusals.count == 1 else {
            Issue.record("\(refusals)")
            return
        }
        #expect(coordinator.core.violations.isEmpty)
        #expect(refusal.code == .storage && refusal.message.contains("Nothing was changed"), "\(refusal)")
        // The rows are removed as soon as the disk permits, although no finished job is.
        #expect(try store.base.database?.number("SELECT count(*) FROM templates") == 1)
        store.fails = false
        coordinator.now = coordinator.now + .seconds(61)
        Self.finish(coordinator)
        #expect(try store.base.database?.number("SELECT count(*) FROM templates") == 0)
        coordinator.ask(Self.large(key: "k"), 2, from: Self.peers[0])
        Self.finish(coordinator)
        #expect(try Self.numbers(coordinator.takeReplies()) == [2])
    }

    @Test("A large job that nobody can run is refused as a small one is, and leaves no rows")
    func unplaceable() throws {
        let store = try SQLStore(on: MemoryDisk())
        let coordinator = try Self.coordinator(store)
        coordinator.join("w1", SessionID(rawValue: 1), from: Self.peers[1])
        _ = coordinator.takeMessages()
        var submission = Submission.noOperations([[], [], []])
        submission.templates[0].work.kind = .typed(type: "unknown", argument: [])
        submission.rejectsUnplaceable = true
        coordinator.ask(.submit(submission), 1, from: Self.peers[0])
        Self.finish(coordinator)
        let replies = try coordinator.takeReplies().map(\.reply)
        guard case .refused? = replies.first, replies.count == 1 else {
            Issue.record("\(replies)")
            return
        }
        #expect(try store.database?.number("SELECT count(*) FROM entries") == 0)
        #expect(try store.database?.number("SELECT count(*) FROM removed_jobs") == 0)
    }

    @Test("A large job is freed apart from what others wait for, once it has ended", arguments: [9_999, 10_000])
    func freed(count: Int) throws {
        let coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Self.start)
        var submission = Submission.noOperations(Array(repeating: [], count: count - 1))
        submission.key = "k"
        coordinator.ask(.submit(submission), 1, from: Self.peers[0])
        coordinator.settle(flushes: true)
        #expect(coordinator.freedCount == 0)
        coordinator.ask(.cancel([.job(JobNumber(1))], queue: nil), 2, from: Self.peers[0])
        coordinator.settle(flushes: true)
        #expect(!coordinator.core.isUnfinished(JobNumber(1)))
        #expect(coordinator.freedCount == (count == 10_000 ? 1 : 0))
    }

    @Test("A restart in the middle of a large job removes its rows, although nothing else is ever removed")
    func restart() throws {
        let disk = MemoryDisk()
        var coordinator: SteppedCoordinator? = try Self.coordinator(SQLStore(on: disk))
        coordinator?.ask(Self.large(), 1, from: Self.peers[0])
        coordinator?.settle(flushes: true)
        coordinator?.askQuestion()
        coordinator = nil
        let store = try SQLStore(on: disk)
        #expect(try store.database?.number("SELECT count(*) FROM removed_jobs") == 1)
        let later = try SteppedCoordinator(store, at: Self.start, retention: .forever, rowsOfPart: 1)
        later.settle(flushes: true)
        #expect(try store.database?.number("SELECT count(*) FROM removed_jobs") == 0)
        #expect(try store.database?.number("SELECT count(*) FROM templates") == 0)
        later.ask(Self.large(), 1, from: Self.peers[0])
        later.settle(flushes: true)
        #expect(try Self.numbers(later.takeReplies()) == [2])
    }
}
