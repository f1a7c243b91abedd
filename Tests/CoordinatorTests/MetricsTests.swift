@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("What monitoring systems see", .timeLimit(.minutes(60)))
struct MetricsTests {
    private func submit(_ client: Peer, queue: String) throws {
        let submission = Submission(
            queueNames: [queue],
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry()]
        )
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
    }

    @Test("The figures have the queues, the workers, the sizes of the record, and times of commits and turns")
    func figures() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        _ = try worker.join("w1", session: 7)
        try submit(client, queue: "images")
        try submit(client, queue: "sound-1")
        let figures = try client.document(MetricsDocument.self, .metrics)
        #expect(figures.queues.map(\.queue).sorted() == ["images", "sound-1"])
        #expect(figures.queues.allSatisfy { $0.submitted == 1 && $0.counts.unfinished == 1 })
        #expect(figures.workers.map(\.worker) == ["w1"] && figures.workers.first?.silentSeconds != nil)
        #expect(figures.workerStates["alive"] == 1 && figures.workerStates["lost"] == 0)
        #expect(figures.jobs.values.reduce(0, +) == 2)
        #expect(figures.recordFailing == false && figures.recordBytes ?? 0 > 0 && figures.recordLogBytes ?? 0 > 0)
        #expect((1...(figures.diskBytes ?? 0)).contains(figures.diskFreeBytes ?? 0))
        #expect(figures.commit.counts.reduce(0, +) > 0 && figures.turn.counts.reduce(0, +) > 0)
        #expect(figures.events > 0 && figures.epoch == 1)
        try harness.stop()
    }

    @Test("Workers that have left count as the documents show them, without figures of their own")
    func departedWorkers() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let (leaver, other) = (try Peer(harness.server.endpoint), try Peer(harness.server.endpoint))
        _ = try leaver.join("w1", session: 7)
        _ = try other.join("w2", session: 8)
        try leaver.send(WorkerMessage.goodbye(SessionID(rawValue: 7)).encoded())
        // The answer on the same connection comes after the departure.
        _ = try leaver.document(WorkersDocument.self, .allWorkers)
        let shown = try client.document(WorkersDocument.self, .allWorkers).workers
        let figures = try client.document(MetricsDocument.self, .metrics)
        #expect(shown.map(\.worker) == ["w1", "w2"] && shown.map(\.state) == [.left, .alive])
        #expect(figures.workerStates["left"] == 1 && figures.workerStates["alive"] == 1)
        #expect(figures.workers.map(\.worker) == ["w2"])
        try harness.stop()
    }

    @Test("The queues behind the first hundred are one, also if a queue has its name")
    func manyQueues() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        try submit(client, queue: "other")
        for number in 0..<120 { try submit(client, queue: "q\(number)") }
        let queues = try client.document(MetricsDocument.self, .metrics).queues
        #expect(queues.count == 101 && Set(queues.map(\.queue)).count == 101)
        #expect(queues.reduce(0) { $0 + $1.submitted } == 121)
        #expect(queues.first { $0.queue == "other" }?.submitted == 21)
        try harness.stop()
    }

    @Test(
        "A finished job tells its size, its queues, its start and its end, and an unfinished one when it will be done"
    )
    func job() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let submission = Submission(
            queueNames: ["b", "a"],
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(queue: 0), Entry(queue: 1), Entry(queue: 0)]
        )
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else {
            throw Unexpected(answer: "no job")
        }
        func shown() throws -> JobDocument { try client.document(JobDocument.self, .job(job, from: 0, limit: 1)) }
        let before = try shown()
        #expect(before.queues == ["b", "a"] && before.startedAt == nil && before.etaSeconds == nil)

        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, slots: 1).session
        var items: [DispatchBatch.Item] = []
        for number in 0..<3 {
            // Attempts may be sent ahead, and acknowledgements come in between.
            while items.isEmpty {
                guard let message = try worker.receiveAsWorker() else { throw Unexpected(answer: "no attempt") }
                if case .dispatch(let batch) = message { items += batch.items }
            }
            let item = items.removeFirst()
            let completion = Completion(
                token: item.assignment.token,
                operation: item.assignment.operation,
                result: AttemptResult(end: .exited(0))
            )
            try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
            let wait = Request.wait(
                [.operation(item.assignment.operation)],
                queue: nil,
                atMost: .seconds(3600),
                waiter: nil
            )
            _ = try client.askUntilAnswered(wait)
            let after = try shown()
            #expect(after.startedAt != nil && (after.finishedAt != nil) == (number == 2))
            #expect((after.etaSeconds != nil) == (number < 2), "operation \(number)")
        }
        try harness.stop()
    }
}
