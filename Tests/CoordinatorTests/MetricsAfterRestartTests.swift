@_spi(Baton) import BatonDocuments
import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

/// What monitoring systems see before and after a restart of the coordinator, with each step taken by hand.
@Suite("Metrics after a restart", .timeLimit(.minutes(60)))
struct MetricsAfterRestartTests {
    /// One life of a coordinator with a client and a worker of two slots, on a record for several lives.
    private final class Life {
        private let coordinator: SteppedCoordinator
        private let client: RoutingID
        private let worker: RoutingID
        private var session = SessionID(rawValue: 1)
        private var number: UInt64 = 0
        private var replies: [UInt64: Reply] = [:]
        /// The attempts that the worker has, oldest first.
        private(set) var attempts: [DispatchBatch.Item] = []

        init(_ store: any Store, at now: Timestamp) throws {
            client = try #require(RoutingID([1]))
            worker = try #require(RoutingID([2]))
            coordinator = try SteppedCoordinator(store, at: now)
            try turn()
        }

        private var core: CoordinatorCore { coordinator.core }

        var now: Timestamp { coordinator.now }

        /// The batches of changes so far.
        var batches: [[RecordChange]] { coordinator.batches }

        /// Loses the way to the disk: no change is stored and no question answered any more.
        func loseDisk() {
            coordinator.storesChanges = false
            coordinator.asksQuestions = false
        }

        /// Ends turns of the coordinator until one turn has no actions.
        private func turn() throws {
            coordinator.settle(flushes: true)
            for (bytes, peer) in coordinator.takeMessages() { try deliver(bytes, to: peer) }
        }

        private func deliver(_ bytes: [UInt8], to peer: RoutingID) throws {
            if peer == client {
                if case .reply(let number, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) {
                    replies[number] = reply
                }
            } else if case .dispatch(let batch) = try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) {
                attempts += batch.items
            }
        }

        private func receive(_ bytes: [UInt8], from peer: RoutingID) throws {
            coordinator.receive(bytes, from: peer)
            try turn()
        }

        /// The answer to a request; nil without one.
        @discardableResult
        func ask(_ request: Request) throws -> Reply? {
            number += 1
            try receive(ClientMessage.request(number, request).encoded(), from: client)
            return replies[number]
        }

        /// The figures; nil if the record does not answer.
        func metrics() throws -> MetricsDocument? {
            guard case .document(let bytes)? = try ask(.document(.metrics)) else { return nil }
            return try JSONDecoder().decode(MetricsDocument.self, from: Data(bytes))
        }

        /// What has started in each second, as the last seconds show it.
        func started(inSeconds seconds: Int) -> [UInt64] {
            core.throughput.document(ofLast: seconds).buckets.map(\.started)
        }

        func submit(_ count: Int, to queue: String, retries: UInt16 = 0) throws {
            let submission = Submission(
                queueNames: [queue],
                templates: [Template(work: Work(.noOperation), retries: retries, retryDelay: .seconds(60))],
                entries: (0..<count).map { _ in Entry() }
            )
            try ask(.submit(submission))
        }

        /// Lets the worker join, with the attempts that it holds from an earlier session.
        func join(session number: UInt64, holding attempts: [DispatchBatch.Item] = []) throws {
            session = SessionID(rawValue: number)
            self.attempts = attempts
            let hello = WorkerHello(
                protocols: .own,
                version: "test",
                name: "w1",
                session: session,
                slots: 2,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: number,
                attempts: attempts.map {
                    ClaimedAttempt(
                        token: $0.assignment.token,
                        operation: $0.assignment.operation,
                        attempt: $0.assignment.attempt
                    )
                },
                types: [],
                id: WorkerID(rawValue: 5),
                optionVersion: OperationOption.newestVersion
            )
            try receive(WorkerMessage.hello(hello).encoded(), from: worker)
        }

        /// Tells that the oldest attempt of the worker has started.
        func start() throws {
            let item = try #require(attempts.first)
            let report = AttemptReport(started: [AttemptStart(item.assignment.token)])
            try receive(WorkerMessage.report(session, report).encoded(), from: worker)
        }

        /// Ends the oldest attempts of the worker.
        func end(_ count: Int, _ end: AttemptEnd = .exited(0)) throws {
            for _ in 0..<count {
                let item = try #require(attempts.first)
                attempts.removeFirst()
                let completion = Completion(
                    token: item.assignment.token,
                    operation: item.assignment.operation,
                    result: AttemptResult(end: end)
                )
                try receive(
                    WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded(),
                    from: worker
                )
            }
        }

        /// Lets time pass, in turns of a second.
        func pass(_ seconds: Int) throws {
            for _ in 0..<seconds {
                coordinator.now = now + .seconds(1)
                core.wokeUp(at: now, expected: now)
                try turn()
            }
        }
    }

    private static let start = Timestamp(rawValue: 1_700_000_000_000_000)

    /// What a restart must not change.
    private func counters(_ figures: MetricsDocument) -> [String: UInt64] {
        var counters: [String: UInt64] = [:]
        for queue in figures.queues {
            counters["submitted \(queue.queue)"] = UInt64(queue.submitted)
            counters["unfinished \(queue.queue)"] = UInt64(queue.counts.unfinished)
            for outcome in Outcome.allCases { counters["\(outcome) \(queue.queue)"] = UInt64(queue.counts[outcome]) }
            #expect(queue.submitted == queue.counts.total, "\(queue.queue)")
        }
        for (end, count) in figures.attempts { counters["attempts \(end)"] = count }
        for (outcome, count) in figures.jobsFinished { counters["jobs \(outcome)"] = UInt64(count) }
        return counters
    }

    @Test("The counters go on after a restart in the middle of work, and the last seconds show no jump")
    func restart() throws {
        let store = try SQLStore(on: MemoryDisk())
        var life = try Life(store, at: Self.start)
        try life.join(session: 7)
        try life.submit(4, to: "images", retries: 1)
        try life.submit(3, to: "sound", retries: 1)
        try life.end(4)
        try life.end(1, .exited(3))
        try life.end(1)
        try life.start()
        let before = counters(try #require(try life.metrics()))
        #expect(before["submitted images"] == 4 && before["submitted sound"] == 3)
        #expect(before["attempts succeeded"] == 5 && before["attempts failed"] == 1, "\(before)")
        for start in [UInt64(8), 9] {
            let held = life.attempts
            life = try Life(store, at: life.now + .seconds(5))
            #expect(counters(try #require(try life.metrics())) == before)
            try life.join(session: start, holding: held)
            #expect(counters(try #require(try life.metrics())) == before)
            try life.pass(3)
            #expect(life.started(inSeconds: 10).allSatisfy { $0 == 0 }, "\(life.started(inSeconds: 10))")
        }
        // The failed operation waits for its second attempt.
        try life.pass(20)
        try #require(life.attempts.count == 1)
        try life.end(1)
        // A worker that nobody hears of for so long would be lost.
        try life.join(session: 10)
        try life.pass(30)
        try life.join(session: 11)
        try life.pass(30)
        while !life.attempts.isEmpty { try life.end(1) }
        let after = counters(try #require(try life.metrics()))
        #expect(after["submitted images"] == 4 && after["submitted sound"] == 3)
        #expect(after["succeeded images"] == 4 && after["succeeded sound"] == 3 && after["jobs succeeded"] == 2)
        #expect(after["attempts succeeded"] == 7 && after["attempts failed"] == 1, "\(after)")
        life = try Life(store, at: life.now)
        #expect(counters(try #require(try life.metrics())) == after)
    }

    @Test("A crash with a batch on its way loses counters and work together, and nothing counts twice afterwards")
    func crash() throws {
        let store = try SQLStore(on: MemoryDisk())
        var life = try Life(store, at: Self.start)
        try life.join(session: 7)
        try life.submit(2, to: "images")
        let held = life.attempts
        let before = counters(try #require(try life.metrics()))
        life.loseDisk()
        try life.end(2)
        try life.submit(5, to: "images")
        #expect(try life.metrics() == nil, "figures are not told before they are on disk")
        life = try Life(store, at: life.now)
        #expect(counters(try #require(try life.metrics())) == before)
        // The worker repeats the ends, which nobody has acknowledged, and the client its request.
        try life.join(session: 8, holding: held)
        try life.end(2)
        try life.submit(5, to: "images")
        let after = counters(try #require(try life.metrics()))
        #expect(after["submitted images"] == 7 && after["succeeded images"] == 2 && after["attempts succeeded"] == 2)
        #expect(after["jobs succeeded"] == 1)
    }

    @Test("A deleted queue keeps its counters, and a later one of its name continues them, before and after a restart")
    func deletedQueue() throws {
        let store = try SQLStore(on: MemoryDisk())
        var life = try Life(store, at: Self.start)
        try life.join(session: 7)
        try life.submit(2, to: "images")
        try life.end(2)
        let before = counters(try #require(try life.metrics()))
        try life.ask(.deleteQueue("images"))
        #expect(counters(try #require(try life.metrics())) == before)
        #expect(before["submitted images"] == 2 && before["succeeded images"] == 2)
        life = try Life(store, at: life.now)
        #expect(counters(try #require(try life.metrics())) == before)
        try life.submit(1, to: "images")
        let counts = counters(try #require(try life.metrics()))
        #expect(counts["submitted images"] == 3 && counts["succeeded images"] == 2 && counts["jobs succeeded"] == 1)
        life = try Life(store, at: life.now)
        #expect(counters(try #require(try life.metrics())) == counts)
    }

    @Test("A batch has totals once, of new queues and of those with new ends, and an idle coordinator writes none")
    func batches() throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        try life.join(session: 7)
        for number in 0..<20 { try life.submit(1, to: "q\(number)") }
        while !life.attempts.isEmpty { try life.end(1) }
        var queues: [String] = []
        for batch in life.batches {
            let totals = batch.compactMap { if case .totals(let totals) = $0 { totals } else { nil } }
            #expect(totals.count <= 1)
            let ended = batch.contains { if case .operation(let record) = $0 { record.outcome != nil } else { false } }
            let isNew = batch.contains { if case .queue = $0 { true } else { false } }
            #expect((totals.first?.queues.isEmpty == false) == (ended || isNew))
            queues += totals.flatMap(\.queues.keys)
        }
        #expect(queues.count == 40 && Set(queues).count == 20, "\(queues)")
        let count = life.batches.count
        try life.pass(60)
        for batch in life.batches[count...] {
            #expect(batch.allSatisfy { if case .totals = $0 { false } else { true } })
        }
    }
}
