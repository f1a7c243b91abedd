@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: losses", .timeLimit(.minutes(60)))
struct LossTests {
    /// A function for a worker: notes the attempt and the worker, waits at the gate, and notes the end.
    private static func waiting(at gate: Gate, _ journal: Journal) -> OperationTypes.Function {
        { call in
            journal.note("\(call.attempt) on \(call.worker)")
            do {
                try await gate.pass()
            } catch {
                journal.note("\(call.attempt) cancelled")
                throw error
            }
            return Array(call.worker.utf8)
        }
    }

    @Test("The operations of a lost worker run again elsewhere, with the next number, once its silence is too long")
    func lostWorker() async throws {
        let (gate, journal) = (Gate(), Journal())
        let wait = Self.waiting(at: gate, journal)
        try await TestRun.run(["wait": wait]) { run in
            let job = try await run.submit([Planned("wait")])
            await run.test.advance(by: .seconds(5))
            try await run.addWorker("w2", ["wait": wait])
            try await run.test.loseWorker("w1")
            await run.test.advance(by: .seconds(30))
            #expect(journal.all == ["1 on w1", "1 cancelled"])
            #expect(try await run.operation(job).attempt == 1)
            await run.test.advance(by: .seconds(15))
            #expect(journal.all == ["1 on w1", "1 cancelled", "2 on w2"])
            gate.open()
            await run.test.advance(by: .zero)
            let operation = try await run.operation(job)
            #expect(operation.outcome == .succeeded && operation.attempt == 2 && operation.losses == 1)
            #expect(try await run.channel.result(of: .operation(OperationID(job: job, index: 0))) == Array("w2".utf8))
        }
    }

    @Test("What a lost worker's function does afterwards has no effect")
    func lateResult() async throws {
        let (orders, order) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let stubborn: OperationTypes.Function = { call in
            if call.attempt == 1 {
                await Task { for await _ in orders { return } }.value
                call.report(OperationProgress(fraction: 0.5, message: nil))
                end.yield()
            }
            return Array("attempt \(call.attempt)".utf8)
        }
        try await TestRun.run(["stay": stubborn]) { run in
            let job = try await run.submit([Planned("stay")])
            await run.test.advance(by: .zero)
            try await run.test.loseWorker("w1")
            try await run.addWorker("w2", ["stay": stubborn])
            await run.test.advance(by: .seconds(45))
            order.yield()
            for await _ in ends { break }
            await run.test.advance(by: .zero)
            let operation = try await run.operation(job)
            #expect(operation.attempt == 2 && operation.worker == "w2")
            #expect(
                try await run.channel.result(of: .operation(OperationID(job: job, index: 0)))
                    == Array("attempt 2".utf8)
            )
        }
    }

    @Test("A worker of a lost worker's name is the same worker, and its earlier attempts are lost at once")
    func workerAgain() async throws {
        let (gate, journal) = (Gate(), Journal())
        let wait = Self.waiting(at: gate, journal)
        try await TestRun.run(["wait": wait]) { run in
            try await run.submit([Planned("wait")])
            await run.test.advance(by: .zero)
            try await run.test.loseWorker("w1")
            await run.test.advance(by: .zero)
            try await run.addWorker("w1", ["wait": wait])
            await run.test.advance(by: .zero)
            #expect(journal.all == ["1 on w1", "1 cancelled", "2 on w1"])
        }
    }

    @Test("Workers have distinct names, and one that is unknown cannot be lost")
    func names() async throws {
        try await TestRun.run { run in
            await #expect(throws: ClusterErrorCode.invalid) {
                try await TestRun.coded { try await run.addWorker("w1", [:]) }
            }
            await #expect(throws: ClusterErrorCode.invalid) {
                try await TestRun.coded { try await run.addWorker("a b", [:]) }
            }
            await #expect(throws: ClusterErrorCode.invalid) {
                try await TestRun.coded { try await run.addWorker("w2", slots: 0, [:]) }
            }
            await #expect(throws: ClusterErrorCode.notFound) {
                try await TestRun.coded { try await run.test.loseWorker("w2") }
            }
        }
    }

    @Test("A coordinator that starts again adopts what runs, and runs nothing again")
    func restart() async throws {
        let (gate, journal) = (Gate(), Journal())
        try await TestRun.run(slots: 2, ["wait": Self.waiting(at: gate, journal)]) { run in
            let job = try await run.submit([Planned("wait"), Planned("wait"), Planned("wait")])
            await run.test.advance(by: .seconds(1))
            for _ in 1...3 { try await run.test.restartCoordinator() }
            await run.test.advance(by: .seconds(100))
            #expect(try await run.states(job, 3) == [.executing, .executing, .ready])
            gate.open()
            await run.test.advance(by: .zero)
            #expect(try await run.states(job, 3) == [.finished, .finished, .finished])
            #expect(journal.all.sorted() == ["1 on w1", "1 on w1", "1 on w1"])
        }
    }

    @Test("What ended before a restart stays ended, and what was ready starts afterwards")
    func restartWhileReady() async throws {
        try await TestRun.run(slots: 0) { run in
            let job = try await run.submit([
                Planned(.noOperation), Planned(.noOperation).with { $0.delay = .seconds(60) },
            ])
            try await run.test.restartCoordinator()
            try await run.addWorker("w1", [:])
            await run.test.advance(by: .seconds(5))
            #expect(try await run.states(job, 2) == [.finished, .pending])
            try await run.test.restartCoordinator()
            await run.test.advance(by: .seconds(55))
            #expect(try await run.states(job, 2) == [.finished, .finished])
        }
    }

    @Test("Waits and watches go on through a restart")
    func requestsThroughRestart() async throws {
        let gate = Gate()
        let waiting: OperationTypes.Function = { _ in
            try await gate.pass()
            return nil
        }
        try await TestRun.run(["wait": waiting]) { run in
            let job = try await run.submit([Planned("wait")])
            let heard = Journal()
            run.channel.send(.wait([.job(job)], queue: nil, atMost: .seconds(60), waiter: nil), timeout: nil) {
                result in
                if case .success(.progress(let progress)) = result { heard.note("finished: \(progress.isFinished)") }
            }
            await run.test.advance(by: .seconds(1))
            try await run.test.restartCoordinator()
            await run.test.advance(by: .seconds(1))
            #expect(heard.all == [])
            gate.open()
            await run.test.advance(by: .zero)
            #expect(heard.all == ["finished: true"])
        }
    }
}
