import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Retries of a job that others retry at the same time: the coordinator decides, however the answers of its record interleave.
@Suite("Second retries", .timeLimit(.minutes(60)))
struct SecondRetryTests {
    private let job = JobNumber(1)
    private let coordinator: SteppedCoordinator
    private let clients: [RoutingID]

    init() throws {
        coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
        clients = try (1...4).map { try #require(RoutingID([$0])) }
        coordinator.ask(.submit(.noOperations([[], []])), 1, from: clients[0])
        coordinator.settle(flushes: true)
        coordinator.ask(.cancel([.job(job)], queue: nil), 2, from: clients[0])
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
    }

    /// The answer to a single request.
    private func ask(_ request: Request) throws -> Reply {
        coordinator.ask(request, 9, from: clients[0])
        coordinator.settle(flushes: true)
        return try #require(try coordinator.takeReplies().first?.reply)
    }

    /// Asks for retries and submissions at the same time, in an order: the record has answered none of them before all are asked.
    ///
    /// - Parameter ends: whether each new job ends before the next step.
    /// - Returns: the replies in the order of the requests.
    private func askTogether(_ requests: [Request], ends: Bool) throws -> [Reply] {
        coordinator.asksQuestions = false
        for (client, request) in zip(clients, requests) {
            coordinator.ask(request, 3, from: client)
            coordinator.settle(flushes: true)
        }
        var replies: [RoutingID: Reply] = [:]
        while !coordinator.questions.isEmpty {
            coordinator.askQuestion()
            coordinator.settle(flushes: true)
            for (peer, reply) in try coordinator.takeReplies() {
                #expect(replies.updateValue(reply, forKey: peer) == nil)
                guard ends, case .job(let new, _, isNew: true) = reply else { continue }
                coordinator.ask(.cancel([.job(new)], queue: nil), 4, from: try #require(RoutingID([99])))
                coordinator.settle(flushes: true)
                _ = coordinator.takeMessages()
            }
        }
        coordinator.asksQuestions = true
        return try clients.prefix(requests.count).map { try #require(replies[$0]) }
    }

    private func refusal(_ reply: Reply) -> Refusal? { if case .refused(let refusal) = reply { refusal } else { nil } }

    // Two at once passed both: the command line and the web interface looked for earlier retries before they asked for one.
    @Test("D11 Of several first retries of a job at the same time, one becomes a job", arguments: [false, true])
    func together(ends: Bool) throws {
        let part = [Address.operation(OperationID(job: job, index: 1))]
        let replies = try askTogether(
            [
                .retry(job, cancelled: true, again: false, key: "a"),
                .retry(job, operations: part, cancelled: true, again: false, key: "b"),
                .retry(job, cancelled: true, again: false, key: "a"),
                .retry(job, cancelled: true, again: false, key: "c"),
            ],
            ends: ends
        )
        // The first of them, in whatever order; the same request, sent again, is answered with its job.
        let new = replies.filter { if case .job(JobNumber(2), _, isNew: true) = $0 { true } else { false } }
        let known = replies.filter { if case .job(JobNumber(2), _, isNew: false) = $0 { true } else { false } }
        let refusals = replies.compactMap { refusal($0) }
        #expect(new.count == 1 && new.count + known.count + refusals.count == 4, "\(replies)")
        #expect(known.count == (refusal(replies[0]) == nil ? 1 : 0), "\(replies)")
        for refusal in refusals {
            #expect(refusal == Refusal(.retried, "Job 1 was retried already, as 2: \(ends ? "cancelled" : "ready")."))
        }
        #expect(coordinator.batches.joined().count { if case .job = $0 { true } else { false } } == 2)
    }

    // The record has said that there is no retry, and the first one waits for the decision on the submission with its key.
    @Test("D11 D13 Of two first retries of a job of which one waited for the decision on its key, one becomes a job")
    func afterDecisionOnKey() throws {
        let missing = Dependency(on: .existing(.job(JobNumber(77))))
        var refused = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(dependencies: [missing])]
        )
        refused.key = "a"
        let replies = try askTogether(
            [
                .retry(job, cancelled: true, again: false, key: "a"), .submit(refused),
                .retry(job, cancelled: true, again: false, key: "b"),
            ],
            ends: false
        )
        #expect(refusal(replies[1])?.code == .unknownDependency, "\(replies)")
        #expect([replies[0], replies[2]].count { refusal($0)?.code == .retried } == 1, "\(replies)")
        #expect(coordinator.batches.joined().count { if case .job = $0 { true } else { false } } == 2)
    }

    @Test("D11 Retries that permit another one all become jobs, and one that does not is refused after them")
    func permitted() throws {
        let replies = try askTogether(
            ["a", "b", "c"].map { .retry(job, cancelled: true, again: true, key: $0) },
            ends: false
        )
        #expect(replies.allSatisfy { if case .job(_, _, isNew: true) = $0 { true } else { false } }, "\(replies)")
        let refused = try ask(.retry(job, cancelled: true, again: false, key: "d"))
        #expect(refused == .refused(Refusal(.retried, "Job 1 was retried already, as 4: ready.")))
        // The first request, sent again in any form, is answered with its job.
        for again in [false, true] {
            guard case .job(_, _, isNew: false) = try ask(.retry(job, cancelled: true, again: again, key: "c")) else {
                Issue.record("not known")
                continue
            }
        }
    }

    @Test("D11 The latest retries tell of every retry since a moment, and of no other slot's")
    func slots() {
        var retries = LatestRetries()
        let moment = retries.moment
        retries.noteRetry(of: JobNumber(1))
        // 4096 later: a possible retry, of which the record then knows nothing.
        #expect(retries.mayHaveRetry(of: JobNumber(1), since: moment))
        #expect(retries.mayHaveRetry(of: JobNumber(4097), since: moment))
        #expect(!retries.mayHaveRetry(of: JobNumber(2), since: moment))
        #expect(!retries.mayHaveRetry(of: JobNumber(1), since: retries.moment))
    }
}
