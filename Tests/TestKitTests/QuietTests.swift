@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: when it is quiet", .timeLimit(.minutes(60)))
struct QuietTests {
    /// An actor that functions share.
    private actor Counter {
        private(set) var count = 0

        func add() { count += 1 }
    }

    @Test("After each advance, functions that wait for nothing have returned")
    func returned() async throws {
        let counter = Counter()
        let counting: OperationTypes.Function = { call in
            // Child tasks, a common actor and yields: all of it is the function's own work.
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        await Task.yield()
                        await counter.add()
                    }
                }
            }
            await Task.yield()
            return call.argument
        }
        try await TestRun.run(slots: 4, ["count": counting]) { run in
            var total = 0
            for round in 0..<200 {
                let count = round % 7 + 1
                let job = try await run.submit((0..<count).map { _ in Planned("count") })
                await run.test.advance(by: .zero)
                total += count
                #expect(try await run.states(job, UInt32(count)).allSatisfy { $0 == .finished })
            }
            #expect(await counter.count == 3 * total)
        }
    }

    @Test("A function that waits for another operation goes on when that has ended")
    func waitingForAnother() async throws {
        let channels = Box<any RequestChannel>()
        let adding: OperationTypes.Function = { call in
            guard let channel = channels.value else { return nil }
            let job = try await channel.submit(TestRun.submission([Planned(.noOperation)], key: "\(call.operation)"))
            _ = try await channel.wait(for: [.job(job.number)], by: call.operation, every: .seconds(60))
            return Array("\(job.number)".utf8)
        }
        try await TestRun.run(slots: 2, ["add": adding]) { run in
            channels.value = run.test.channel()
            for _ in 0..<100 {
                let job = try await run.submit([Planned("add")])
                await run.test.advance(by: .zero)
                #expect(try await run.operation(job).outcome == .succeeded)
            }
            channels.value = nil
        }
    }

    @Test("A function that waits for itself is refused, as in a real cluster")
    func deadlock() async throws {
        let channels = Box<any RequestChannel>()
        let waiting: OperationTypes.Function = { call in
            _ = try await channels.value?.wait(for: [.job(call.operation.job)], by: call.operation, every: .seconds(60))
            return nil
        }
        try await TestRun.run(["wait": waiting]) { run in
            channels.value = run.test.channel()
            let job = try await run.submit([Planned("wait")])
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).reason == .error)
            channels.value = nil
        }
    }

    @Test("A function may move the clock")
    func advanceInside() async throws {
        let tests = Box<TestCluster>()
        let advancing: OperationTypes.Function = { _ in
            await tests.value?.advance(by: .seconds(10))
            return nil
        }
        try await TestRun.run(slots: 2, ["advance": advancing]) { run in
            tests.value = run.test
            let job = try await run.submit([Planned("advance"), Planned(.noOperation).with { $0.delay = .seconds(10) }])
            _ = try await run.channel.wait(for: [.job(job)], every: .seconds(60))
            #expect(run.test.now == .seconds(10))
            tests.value = nil
        }
    }

    @Test("An advance ends when its task is cancelled, though a function does not stand still")
    func cancelledAdvance() async throws {
        let rendezvous = Rendezvous(of: 2)
        let blocking: OperationTypes.Function = { _ in
            rendezvous.meet()
            return nil
        }
        try await TestRun.run(["block": blocking]) { run in
            try await run.submit([Planned("block")])
            let advance = Task { await run.test.advance(by: .seconds(1)) }
            advance.cancel()
            await advance.value
            #expect(run.test.now == .zero)
            rendezvous.meet()
            await run.test.advance(by: .zero)
        }
    }
}
