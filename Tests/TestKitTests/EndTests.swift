import Baton
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

/// A cluster of which something stays behind holds its test until the time limit.
@Suite("A test cluster: its end", .timeLimit(.minutes(60)))
struct EndTests {
    private struct Failure: Error {}

    @Test("The cluster ends while operations run: their tasks are cancelled, and nothing stays behind")
    func whileRunning() async throws {
        let (gate, journal) = (Gate(), Journal())
        let waiting: OperationTypes.Function = { _ in
            do {
                try await gate.pass()
            } catch {
                journal.note("cancelled")
            }
            return nil
        }
        var left: Left?
        try await TestRun.run(slots: 2, ["wait": waiting]) { run in
            left = try await Left(of: run.test)
            try await run.submit([Planned("wait"), Planned("wait"), Planned("wait")])
            await run.test.advance(by: .zero)
        }
        #expect(journal.all == ["cancelled", "cancelled"])
        try await #require(left).untilGone()
    }

    @Test("Nothing stays behind of a cluster whose operations used it")
    func ofTheLibrary() async throws {
        var left: Left?
        try await withTestCluster(operations: sampleOperations) { test in
            left = try await Left(of: test)
            let queue = test.cluster.queue()
            _ = try await queue.addOperation(Delegate(text: "a"))
            _ = try await queue.addOperation(Wait(gate: "behind"))
            await test.advance(by: .zero)
        }
        try await #require(left).untilGone()
    }

    @Test("A function that neither returns nor reacts does not keep the cluster")
    func suspendedForEver() async throws {
        let (orders, order) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let stubborn: OperationTypes.Function = { _ in
            await Task { for await _ in orders { return } }.value
            end.yield()
            return nil
        }
        var left: Left?
        try await TestRun.run(["stay": stubborn]) { run in
            left = try await Left(of: run.test)
            try await run.submit([Planned("stay")])
            await run.test.advance(by: .zero)
        }
        try await #require(left).untilGone()
        order.yield()
        for await _ in ends { break }
    }

    @Test("What the body returns or throws comes out, after the end of the cluster")
    func outcomes() async throws {
        #expect(try await withTestCluster { _ in 7 } == 7)
        await #expect(throws: Failure.self) { try await withTestCluster { _ in throw Failure() } }
        await #expect(throws: ClusterErrorCode.invalid) {
            try await TestRun.coded { try await withTestCluster(slots: -1) { _ in } }
        }
    }

    @Test("Outstanding and later requests fail, and a later change is refused")
    func requests() async throws {
        let outcomes = Journal()
        var kept: TestCluster?
        var channel: (any RequestChannel)?
        try await TestRun.run(slots: 0) { run in
            let job = try await run.submit([Planned(.noOperation)])
            run.channel.send(.wait([.job(job)], queue: nil, atMost: .seconds(60), waiter: nil), timeout: nil) {
                result in
                if case .failure(let error) = result { outcomes.note(error.code.rawValue) }
            }
            (kept, channel) = (run.test, run.channel)
        }
        #expect(outcomes.all == ["closed"])
        let (test, late) = (try #require(kept), try #require(channel))
        late.send(.document(.status), timeout: nil) { result in
            if case .failure(let error) = result { outcomes.note(error.code.rawValue) }
        }
        #expect(outcomes.all == ["closed", "closed"])
        await test.advance(by: .seconds(1))
        await #expect(throws: ClusterErrorCode.closed) { try await TestRun.coded { try await test.addWorker("w2") } }
        await #expect(throws: ClusterErrorCode.closed) {
            try await TestRun.coded { try await test.restartCoordinator() }
        }
    }

    @Test("A closed or forgotten request fails once, and its reply has no effect")
    func channels() async throws {
        try await TestRun.run(slots: 0) { run in
            let job = try await run.submit([Planned(.noOperation)])
            let outcomes = Journal()
            let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(60), waiter: nil)
            let number = run.channel.send(wait, timeout: nil) { result in
                if case .failure(let error) = result { outcomes.note(error.code.rawValue) }
            }
            run.channel.forget(number)
            run.channel.forget(number)
            #expect(outcomes.all == ["cancelled"])
            let other = run.test.channel()
            other.send(wait, timeout: nil) { result in
                if case .failure(let error) = result { outcomes.note(error.code.rawValue) }
            }
            other.close()
            other.close()
            #expect(outcomes.all == ["cancelled", "closed"])
            try await run.addWorker("w1", [:])
            await run.test.advance(by: .seconds(60))
            #expect(outcomes.all == ["cancelled", "closed"])
        }
    }

    @Test("The body runs where the test runs")
    @MainActor
    func isolation() async throws {
        var steps = 0
        try await withTestCluster { test in
            MainActor.assertIsolated()
            await test.advance(by: .seconds(1))
            steps += 1
        }
        #expect(steps == 1)
    }
}
