@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Retries", .timeLimit(.minutes(60)))
struct RetryTests {
    /// Runs dispatched attempts until the given number are over, and returns them.
    ///
    /// - Parameter fails: the elements of arrays, and the single operations (nil), that fail; other operations leave a
    ///   result.
    private func run(
        _ count: Int,
        on worker: Peer,
        _ session: SessionID,
        fails: (Int64?) -> Bool
    ) throws -> [Assignment] {
        var assignments: [Assignment] = []
        while assignments.count < count {
            let received = try worker.receiveAttempts()
            let completions = received.map { assignment in
                let isFailure = fails(assignment.arrayNumber)
                return Completion(
                    token: assignment.token,
                    operation: assignment.operation,
                    result: AttemptResult(end: .exited(isFailure ? 1 : 0), result: isFailure ? nil : [1])
                )
            }
            let report = AttemptReport(started: received.map { AttemptStart($0.token) }, completions: completions)
            try worker.send(WorkerMessage.report(session, report).encoded())
            assignments += received
        }
        return assignments
    }

    private func finish(_ job: JobNumber, asked client: Peer) throws -> JobCounts {
        let reply = try client.askUntilAnswered(.wait([.job(job)], queue: nil, atMost: .seconds(3600), waiter: nil))
        guard case .progress(let progress) = reply, progress.isFinished else { throw Unexpected(answer: "\(reply)") }
        return progress.counts
    }

    @Test("ST7 D11 A retry makes new operations of failed and skipped operations, with their array numbers and inputs")
    func partOfAnArray() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = SessionID(rawValue: 7)
        _ = try worker.join("w1", session: session.rawValue, slots: 8)
        let submission = Submission(
            name: "night",
            templates: [Template(work: Work(.noOperation))],
            entries: [
                Entry(name: "many", array: .lines(["a", "b", "c", "d"])),
                Entry(name: "sum", dependencies: [Dependency(on: .entry(0), condition: .success)]),
            ]
        )
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        _ = try run(4, on: worker, session) { $0 == 1 || $0 == 3 }
        let first = try finish(job, asked: client)
        #expect((first.succeeded, first.failed, first.skipped) == (2, 2, 1))

        let reply = try client.ask(.retry(job, key: "once"))
        guard case .job(let retry, operations: 3, isNew: true) = reply else { throw Unexpected(answer: "\(reply)") }
        #expect(try client.ask(.retry(job, key: "once")) == .job(retry, operations: 3, isNew: false))
        let elements = try run(2, on: worker, session) { _ in false }
        #expect(Set(elements.map(\.arrayNumber)) == [1, 3])
        #expect(Set(elements.map(\.arrayItem)) == ["b", "d"])
        let sum = try #require(try run(1, on: worker, session) { _ in false }.first)
        #expect(sum.name == "sum")
        #expect(sum.hasInputs)
        let second = try finish(retry, asked: client)
        #expect(second.succeeded == 3)

        guard case .refused(let refusal) = try client.ask(.retry(retry, key: "twice")) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .invalid)
        try harness.stop()
    }

    /// Cancels jobs and waits for their ends.
    private func end(_ jobs: [JobNumber], asked client: Peer) throws {
        _ = try client.ask(.cancel(jobs.map { .job($0) }, queue: nil))
        for job in jobs { _ = try finish(job, asked: client) }
    }

    private func keyed(_ count: Int, _ key: String) -> Submission {
        var submission = Submission.noOperations(Array(repeating: [], count: count))
        submission.key = key
        return submission
    }

    @Test("D11 D13 The key of a retry belongs to what was asked: anything else with the key is refused")
    func keys() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let (job, other) = (JobNumber(1), JobNumber(2))
        for count in [4, 3] { _ = try client.ask(.submit(.noOperations(Array(repeating: [], count: count)))) }
        try end([job, other], asked: client)
        let (first, second) = (
            Address.operation(OperationID(job: JobNumber(1), index: 0)),
            Address.operation(OperationID(job: JobNumber(1), index: 1))
        )

        // The first request, equal requests in other forms, and requests that differ from the first in a single respect.
        let whole = { (key: String) in Request.retry(job, cancelled: true, key: key) }
        let part = { (key: String) in Request.retry(job, operations: [first, second], cancelled: true, key: key) }
        let turned = { (key: String) in
            Request.retry(job, operations: [second, first, second], cancelled: true, key: key)
        }
        let submitted = { (key: String) in Request.submit(self.keyed(4, key)) }
        let others: [(String) -> Request] = [
            { .retry(other, cancelled: true, key: $0) }, { .retry(JobNumber(1000), cancelled: true, key: $0) },
            { .retry(job, operations: [first], cancelled: true, key: $0) },
            { .retry(job, groups: [1], cancelled: true, key: $0) }, { .retry(job, key: $0) },
            { .retry(job, cancelled: true, dependents: false, key: $0) }, { .submit(self.keyed(3, $0)) },
        ]
        let cases: [(key: String, same: [(String) -> Request], different: [(String) -> Request])] = [
            ("whole", [whole], others + [part, submitted]), ("part", [part, turned], others + [whole, submitted]),
            ("submitted", [submitted], others + [whole, part]),
        ]
        var jobs: [JobNumber] = []
        for (key, same, _) in cases {
            // Both requests are under way at the same time.
            let numbers = try [same[0], same[same.count - 1]].map { try client.begin($0(key)) }
            let replies = try client.answers(to: numbers).map(\.reply)
            guard case .job(let new, _, _)? = replies.first else { throw Unexpected(answer: "\(replies)") }
            #expect(replies.allSatisfy { if case .job(new, _, _) = $0 { true } else { false } }, "\(replies)")
            jobs.append(new)
        }
        #expect(Set(jobs).count == cases.count)
        // First the jobs are unfinished, and then only the record knows them.
        for isFinished in [false, true] {
            if isFinished { try end(jobs, asked: client) }
            for ((key, same, different), new) in zip(cases, jobs) {
                for request in same {
                    let reply = try client.ask(request(key))
                    guard case .job(new, _, isNew: false) = reply else { throw Unexpected(answer: "\(key): \(reply)") }
                }
                for request in different {
                    let reply = try client.ask(request(key))
                    guard case .refused(let refusal) = reply else { throw Unexpected(answer: "\(key): \(reply)") }
                    #expect(refusal.code == .keyConflict, "\(request(key)): \(refusal)")
                }
            }
        }
        try harness.stop()
    }

    @Test("D11 D13 Of different retries that are under way with one key, one becomes a job", arguments: [2, 3, 7])
    func race(_ count: Int) throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        _ = try client.ask(.submit(.noOperations(Array(repeating: [], count: count))))
        try end([JobNumber(1)], asked: client)
        let numbers = try (0..<count).map { index in
            let address = Address.operation(OperationID(job: JobNumber(1), index: UInt32(index)))
            return try client.begin(.retry(JobNumber(1), operations: [address], cancelled: true, key: "one"))
        }
        let replies = try client.answers(to: numbers).map(\.reply)
        let refused = replies.filter {
            if case .refused(let refusal) = $0 { refusal.code == .keyConflict } else { false }
        }
        #expect(refused.count == count - 1, "\(replies)")
        #expect(replies.contains(.job(JobNumber(2), operations: 1, isNew: true)), "\(replies)")
        try harness.stop()
    }
}
