import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Requests that meet a full disk: clients of the web interface are told, and other clients wait.
@Suite("Requests that cannot be kept yet", .timeLimit(.minutes(60)))
struct UnkeptRequestTests {
    /// A coordinator without a thread, whose record is written when a test says so.
    private final class Driven {
        private let coordinator: SteppedCoordinator
        private(set) var replies: [RoutingID: [Reply]] = [:]
        private var number: UInt64 = 0

        init() throws {
            coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
            coordinator.storesChanges = false
            try endTurn()
            try commit()
        }

        func ask(_ request: Request, from peer: RoutingID) {
            number += 1
            coordinator.ask(request, number, from: peer)
        }

        /// Ends a turn, whose changes stay uncommitted; the record answers questions.
        func endTurn() throws {
            coordinator.endTurn()
            for (peer, reply) in try coordinator.takeReplies() { replies[peer, default: []].append(reply) }
        }

        func fail() throws {
            coordinator.open(.failed(StoreError(.full, "The disk is full.")))
            try endTurn()
        }

        /// Commits all that is uncommitted.
        func commit() throws {
            coordinator.storeChanges()
            coordinator.open(.recovered)
            try endTurn()
        }

        /// The codes of the refusals among the replies to a peer; nil for another reply.
        func codes(_ peer: RoutingID) -> [Refusal.Code?] {
            (replies[peer] ?? []).map { if case .refused(let refusal) = $0 { refusal.code } else { nil } }
        }
    }

    private static let web = RoutingID(inProcess: 1)
    private static let other = RoutingID(inProcess: 2)

    private static func submission(key: String?) -> Request {
        var submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        submission.key = key
        return .submit(submission)
    }

    @Test(
        "A submission by HTTP that meets a full disk is answered, and takes effect once there is room; by ZeroMQ it waits"
    )
    func submissions() throws {
        let driven = try Driven()
        let client = try #require(RoutingID([7]))
        driven.ask(Self.submission(key: "k"), from: Self.web)
        driven.ask(Self.submission(key: nil), from: client)
        try driven.endTurn()
        #expect(driven.replies.isEmpty)
        try driven.fail()
        #expect(driven.codes(Self.web) == [.unanswered] && driven.codes(client) == [])
        guard case .refused(let refusal)? = driven.replies[Self.web]?.first else { return }
        #expect(refusal.message.contains("The disk is full.") && refusal.message.contains("under its key"))

        // Under the same key nobody can tell more yet; another change is refused, and reading says what is wrong.
        driven.ask(Self.submission(key: "k"), from: Self.web)
        driven.ask(.setQueue(QueueChange(name: "q", isSuspended: true)), from: Self.other)
        driven.ask(.document(.status), from: Self.other)
        try driven.endTurn()
        #expect(driven.codes(Self.web) == [.unanswered, .unanswered])
        #expect(driven.codes(Self.other) == [.storage, .storage])

        try driven.commit()
        #expect(driven.codes(client) == [nil])
        // Nobody is answered twice.
        #expect(driven.codes(Self.web).count == 2 && driven.codes(Self.other).count == 2)
        driven.ask(Self.submission(key: "k"), from: Self.web)
        try driven.endTurn()
        try driven.commit()
        driven.ask(Self.submission(key: nil), from: Self.other)
        try driven.endTurn()
        try driven.commit()
        // The job of the key is one of two, and the next one the third.
        guard case .job(let job, operations: 1, isNew: false)? = driven.replies[Self.web]?.last,
            case .job(JobNumber(3), operations: 1, isNew: true)? = driven.replies[Self.other]?.last
        else {
            Issue.record("\(driven.replies)")
            return
        }
        #expect(job.rawValue <= 2)
    }

    @Test("A document that waits for a commit is refused, since reading changes nothing; each failure is told anew")
    func documents() throws {
        let driven = try Driven()
        for round in 1...3 {
            driven.ask(Self.submission(key: nil), from: Self.web)
            driven.ask(.document(.status), from: Self.other)
            try driven.endTurn()
            #expect(driven.codes(Self.web).count == round - 1)
            try driven.fail()
            try driven.fail()
            #expect(driven.codes(Self.web) == Array(repeating: .unanswered, count: round))
            #expect(driven.codes(Self.other) == Array(repeating: .storage, count: round))
            try driven.commit()
        }
    }
}
