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
            guard case .dispatch(let batch)? = try worker.receiveAsWorker() else { continue }
            let received = batch.items.map(\.assignment)
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
        let reply = try client.ask(.wait([.job(job)], queue: nil, atMost: .seconds(20), waiter: nil))
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
}
