@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
import Foundation
import Testing
@_spi(Baton) import BatonWire

@Suite("Completion hooks over a restart", .timeLimit(.minutes(60)))
struct HookTests {
    /// Waits for the hook of operation 1/0, and returns its work.
    private func hook(for worker: Peer) throws -> Work {
        while true {
            guard case .dispatch(let batch)? = try worker.receiveAsWorker(), let item = batch.items.first else {
                continue
            }
            #expect(item.assignment.operation == OperationID(job: JobNumber(1), index: 0))
            #expect(item.assignment.hookOutcome == .failed)
            return batch.works[Int(item.work)]
        }
    }

    @Test(
        "CM9 A hook that has not run is dispatched again after a restart, with the same work, timeout and grace period"
    )
    func restart() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let work = Work(
            .commands([["false"]]),
            environment: ["COLOUR": "blue"],
            directory: "/tmp",
            standardInput: "/dev/zero",
            timeout: .seconds(7),
            gracePeriod: .forever
        )
        let submission = Submission(templates: [Template(work: work, onFinish: ["tell", "me"])], entries: [Entry()])
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        guard case .dispatch(let batch)? = try worker.receiveAsWorker(), let item = batch.items.first else {
            throw Unexpected(answer: "no attempt")
        }
        let completion = Completion(
            token: item.assignment.token,
            operation: item.assignment.operation,
            result: AttemptResult(end: .exited(1))
        )
        let report = AttemptReport(started: [AttemptStart(item.assignment.token)], completions: [completion])
        try worker.send(WorkerMessage.report(session, report).encoded())
        let expected = Work(
            .commands([["tell", "me"]]),
            environment: ["COLOUR": "blue"],
            directory: "/tmp",
            timeout: .seconds(7),
            gracePeriod: .forever
        )
        #expect(try hook(for: worker) == expected)
        try harness.stop()

        let again = try Harness(directory: harness.directory) { $0.configuration.reconcileWindow = .milliseconds(1) }
        let other = try Peer(again.server.endpoint)
        _ = try other.join("w2", session: 8)
        #expect(try hook(for: other) == expected)
        try again.stop()
    }

    @Test("The run of a hook is not among the attempts that a worker has run")
    func history() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        var submission = Submission(
            templates: [Template(work: Work(.commands([["true"]])), onFinish: ["tell"])],
            entries: [Entry()]
        )
        submission.settings.hooks = JobHooks([.finish: ["tell"], .success: ["tell"]])
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        // The operation, its hook, and two hooks of the job.
        var ended = 0
        while ended < 4 {
            guard let message = try worker.receiveAsWorker() else { throw Unexpected(answer: "nothing") }
            guard case .dispatch(let batch) = message else { continue }
            ended += batch.items.count
            try worker.report(batch.items.map { .success($0.assignment.token, $0.assignment.operation) }, of: session)
        }
        try worker.settle(session)
        guard case .document(let bytes) = try client.ask(.document(.worker("w1"))) else {
            throw Unexpected(answer: "no document")
        }
        let document = try JSONDecoder().decode(WorkerDocument.self, from: Data(bytes))
        #expect(document.succeeded == 1)
        #expect(document.ended.map(\.operation) == [OperationID(job: JobNumber(1), index: 0)])
    }
}
