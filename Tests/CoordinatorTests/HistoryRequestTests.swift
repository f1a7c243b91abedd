@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Requests for the history of a job", .timeLimit(.minutes(60)))
struct HistoryRequestTests {
    /// A first operation that fails once, and a thousand elements that wait for it.
    private static let submission = Submission(
        name: "study",
        templates: [Template(work: Work(.noOperation), retries: 1, retryDelay: .zero)],
        entries: [
            Entry(name: "fetch"),
            Entry(
                name: "parts",
                dependencies: [Dependency(on: .entry(0), condition: .success)],
                array: .numbers(first: 0, step: 1, count: 1_000)
            ),
        ]
    )

    private func page(_ client: Peer, from: UInt32 = 0, limit: UInt32 = 5_000) throws -> HistoryPage {
        let reply = try client.ask(.history(HistorySelection(job: JobNumber(1), from: from, limit: limit)))
        guard case .history(let page) = reply else { throw Unexpected(answer: "\(reply)") }
        return page
    }

    /// Receives the next attempts, and reports their start or their end.
    private func takeAttempts(_ worker: Peer, _ session: SessionID, end: AttemptEnd?) throws -> [UInt32] {
        while let message = try worker.receiveAsWorker() {
            guard case .dispatch(let batch) = message else { continue }
            let assignments = batch.items.map(\.assignment)
            let completions = end.map { end in
                assignments.map {
                    Completion(
                        token: $0.token,
                        operation: $0.operation,
                        result: AttemptResult(end: end, microseconds: 5)
                    )
                }
            }
            let report = AttemptReport(
                started: completions == nil ? assignments.map { AttemptStart($0.token) } : [],
                completions: completions ?? []
            )
            try worker.send(WorkerMessage.report(session, report).encoded())
            return assignments.map(\.operation.index)
        }
        throw Unexpected(answer: "none")
    }

    @Test("A page shows the scheduler's states, neighbours with one history together, and the attempts of the record")
    func states() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        guard case .job = try client.ask(.submit(Self.submission)) else { throw Unexpected(answer: "no job") }
        let before = try page(client)
        #expect(before.operations.map(\.state) == [.ready, .pending] && before.operations.map(\.count) == [1, 1_000])
        #expect(
            before.operations[0].readyAt != nil && before.next == nil && before.workers.isEmpty
                && before.attempts.isEmpty
        )
        #expect(before.entries.map(\.name) == ["fetch", "parts"] && before.entries[1].dependencies.map(\.first) == [0])
        #expect(before.counts.pending == 1_000 && before.counts.ready == 1 && before.name == "study")

        let worker = try Peer(harness.server.endpoint)
        let session = SessionID(rawValue: 7)
        _ = try worker.join("w1", session: 7)
        #expect(try takeAttempts(worker, session, end: .exited(3)) == [0])
        #expect(try takeAttempts(worker, session, end: nil) == [0])
        var running = try page(client)
        // The report of the start travels on another connection.
        while running.operations.first?.state != .executing { running = try page(client) }
        #expect(running.attempts.map(\.attempt) == [1] && running.attempts.map(\.reason) == [.exit])
        #expect(running.attempts.first?.exitStatus == 3 && running.attempts.first?.worker == "w1")
        #expect(
            running.operations[0].attempt == 2 && running.operations[0].startedAt.map { $0 <= running.moment } == true
        )
        #expect(running.workers.map(\.name) == ["w1"] && running.finishedAt == nil)

        var next: UInt32? = 0
        var counts: [UInt32] = []
        while let from = next {
            let part = try page(client, from: from, limit: 400)
            #expect(part.from == from && part.entries.allSatisfy { $0.first == 0 || $0.count == 1_000 })
            #expect(from == 0 || part.workers.isEmpty && part.entries[0].dependencies.isEmpty)
            counts += part.operations.map(\.count)
            next = part.next
        }
        #expect(counts == [1, 399, 400, 201])
        try harness.stop()
    }
}
