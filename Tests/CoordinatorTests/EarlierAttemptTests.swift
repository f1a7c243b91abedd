@_spi(Baton) import BatonDocuments
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Foundation
import Testing

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

@Suite("Earlier attempts in documents", .timeLimit(.minutes(60)))
struct EarlierAttemptTests {
    private let id = OperationID(job: JobNumber(1), index: 0)

    private func document(of reply: Reply) throws -> OperationDocument {
        guard case .document(let json) = reply else { throw Unexpected(answer: "\(reply)") }
        return try JSONDecoder().decode(OperationDocument.self, from: Data(json))
    }

    @Test("An operation lists its earlier attempts over restarts of the coordinator, and a job lists none")
    func restarts() throws {
        var harness = try Harness()
        defer { harness.remove() }
        let template = Template(work: Work(.noOperation), retries: 3, retryDelay: .zero)
        var client = try Peer(harness.server.endpoint)
        let submission = Submission(templates: [template], entries: [Entry()])
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        #expect(try document(of: client.ask(.document(.operation(.operation(id))))).attempts == [])
        for round in UInt32(1)...3 {
            let worker = try Peer(harness.server.endpoint)
            let session = UInt64(round)
            _ = try worker.join("w\(round)", session: session)
            let received = try worker.receiveAttempt()
            #expect(received.attempt == round)
            // The next attempt must not go to the same worker.
            try worker.send(WorkerMessage.leaving(SessionID(rawValue: session)).encoded())
            let result = AttemptResult(end: .exited(Int32(round)), microseconds: 5)
            let completion = Completion(
                token: received.token,
                operation: received.operation,
                result: result
            )
            let report = AttemptReport(completions: [completion])
            try worker.send(WorkerMessage.report(SessionID(rawValue: session), report).encoded())
            guard case .acknowledge? = try worker.receiveAsWorker() else { throw Unexpected(answer: "no answer") }
            try worker.send(WorkerMessage.goodbye(SessionID(rawValue: session)).encoded())
            try harness.stop()
            harness = try Harness(directory: harness.directory)
            client = try Peer(harness.server.endpoint)
            let operation = try document(of: client.ask(.document(.operation(.operation(id)))))
            let attempts = try #require(operation.attempts)
            #expect(attempts.map(\.attempt) == Array(1...round))
            #expect(attempts.map(\.exitStatus) == (1...Int32(round)).map { $0 })
            #expect(attempts.last?.worker == "w\(round)" && attempts.last?.reason == .exit)
            #expect(operation.attempt >= round && operation.state != .finished)
        }
        guard case .document(let json) = try client.ask(.document(.job(JobNumber(1), from: 0, limit: 10))) else {
            throw Unexpected(answer: "no document")
        }
        #expect(try JSONDecoder().decode(JobDocument.self, from: Data(json)).operations.map(\.attempts) == [nil])
        try harness.stop()
    }

    @Test("An attempt that ends between a request for its operation and the answer is not among the earlier attempts")
    func moment() throws {
        func attempt(_ number: UInt32) -> AttemptRecord {
            let now = Timestamp(rawValue: 1_700_000_000_000_000)
            return AttemptRecord(
                attempt: number,
                worker: "w1",
                startedAt: now,
                endedAt: now,
                reason: Reason(.exit, "It exited with status 3.")
            )
        }
        let store = try SQLStore(on: MemoryDisk())
        let now = Timestamp(rawValue: 1_700_000_000_000_000)
        let submission = Submission(templates: [Template(work: Work(.noOperation), retries: 9)], entries: [Entry()])
        var executing = OperationRecord(id: id, state: .executing)
        executing.attempt = 2
        executing.failures = 1
        executing.token = RecordToken(epoch: 1, serial: 2)
        executing.worker = "w1"
        _ = try store.open()
        try store.commit([
            .job(JobRecord(number: id.job, submittedAt: now, order: 1, submission: submission)),
            .attempt(id, attempt(1)), .operation(executing),
        ])
        let coordinator = try SteppedCoordinator(store, at: now)
        coordinator.endTurn()
        coordinator.asksQuestions = false
        coordinator.ask(.document(.operation(.operation(id))), 1, from: try #require(RoutingID([1])))
        coordinator.endTurn()
        #expect(coordinator.questions.count == 1)
        try store.commit([.attempt(id, attempt(2))])
        coordinator.askQuestion()
        coordinator.endTurn()
        let shown = try coordinator.takeReplies().map { try document(of: $0.reply) }
        #expect(shown.map(\.attempt) == [2] && shown.map(\.state) == [.executing])
        #expect(shown.first?.attempts?.map(\.attempt) == [1])
    }
}
