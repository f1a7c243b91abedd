@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: time", .timeLimit(.minutes(60)))
struct TimeTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "No paper."
    }

    @Test("A delay is over when the clock has been moved so far, and not a microsecond earlier")
    func delay() async throws {
        try await TestRun.run { run in
            let job = try await run.submit([Planned(.noOperation).with { $0.delay = .seconds(10) }])
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).state == .pending)
            await run.test.advance(by: .microseconds(9_999_999))
            #expect(try await run.operation(job).state == .pending)
            await run.test.advance(by: .microseconds(1))
            #expect(try await run.operation(job).outcome == .succeeded)
            #expect(run.test.now == .seconds(10))
        }
    }

    @Test("Retries follow after exactly their backoff, which doubles")
    func backoff() async throws {
        let journal = Journal()
        let failing: OperationTypes.Function = { call in
            journal.note("\(call.attempt)")
            throw Failure()
        }
        try await TestRun.run(["fail": failing]) { run in
            let job = try await run.submit([
                Planned("fail").with {
                    $0.retries = 3
                    $0.retryDelay = .seconds(2)
                }
            ])
            await run.test.advance(by: .zero)
            var attempts: [Int] = [journal.all.count]
            for wait in [2, 4, 8] {
                await run.test.advance(by: .seconds(wait) - .microseconds(1))
                attempts.append(journal.all.count)
                await run.test.advance(by: .microseconds(1))
                attempts.append(journal.all.count)
            }
            #expect(attempts == [1, 1, 2, 2, 3, 3, 4])
            let operation = try await run.operation(job)
            #expect(operation.reason == .error && operation.message == "It threw an error: No paper.")
            #expect(operation.attempt == 4)
            await run.test.advance(by: .seconds(1_000))
            #expect(journal.all.count == 4)
        }
    }

    @Test("A timeout counts by the test's clock, and cancels the function's task")
    func timeout() async throws {
        let gate = Gate()
        let waiting: OperationTypes.Function = { _ in
            try await gate.pass()
            return nil
        }
        try await TestRun.run(["wait": waiting]) { run in
            let job = try await run.submit([Planned("wait", timeout: .seconds(30))])
            await run.test.advance(by: .seconds(29))
            #expect(try await run.operation(job).state == .executing)
            await run.test.advance(by: .seconds(1))
            let operation = try await run.operation(job)
            #expect(operation.reason == .timeout)
            #expect(operation.finishedAt == operation.submittedAt + .seconds(30))
        }
    }

    @Test("A function that ignores its timeout keeps its slot until it returns")
    func ignoredTimeout() async throws {
        let (orders, order) = AsyncStream<Void>.makeStream()
        let stubborn: OperationTypes.Function = { _ in
            // A task of its own is not cancelled along.
            await Task { for await _ in orders { return } }.value
            return nil
        }
        try await TestRun.run(["stay": stubborn]) { run in
            let job = try await run.submit([Planned("stay", timeout: .seconds(1)), Planned(.noOperation)])
            await run.test.advance(by: .seconds(20))
            #expect(try await run.states(job, 2) == [.executing, .ready])
            order.yield()
            _ = try await run.channel.wait(for: [.job(job)], every: .seconds(60))
            #expect(try await run.operation(job).reason == .timeout)
            #expect(try await run.operation(job, 1).outcome == .succeeded)
        }
    }

    @Test("A day passes as timer after timer, and what came up on the way has its own time")
    func day() async throws {
        try await TestRun.run(slots: 2) { run in
            let job = try await run.submit([
                Planned(.noOperation).with { $0.delay = .seconds(3_600) },
                Planned(.noOperation).with {
                    $0.delay = .seconds(7_200)
                    $0.after = [0]
                },
            ])
            await run.test.advance(by: .seconds(86_400))
            let first = try await run.operation(job)
            let second = try await run.operation(job, 1)
            #expect(first.finishedAt == first.submittedAt + .seconds(3_600))
            #expect(second.finishedAt == first.submittedAt + .seconds(7_200))
            #expect(run.test.now == .seconds(86_400))
        }
    }

    @Test("The clock has whole microseconds, and does not go backwards")
    func steps() async throws {
        try await TestRun.run { run in
            await run.test.advance(by: .nanoseconds(1))
            #expect(run.test.now == .microseconds(1))
            await run.test.advance(by: .seconds(-1))
            #expect(run.test.now == .microseconds(1))
        }
    }

    @Test("A request has its time limit by the test's clock")
    func requestTimeout() async throws {
        try await TestRun.run(slots: 0) { run in
            let job = try await run.submit([Planned(.noOperation)])
            let outcome = Journal()
            run.channel.send(
                .wait([.job(job)], queue: nil, atMost: .seconds(50), waiter: nil),
                timeout: .seconds(20)
            ) { result in
                if case .failure(let error) = result { outcome.note(error.code.rawValue) }
            }
            await run.test.advance(by: .seconds(19))
            #expect(outcome.all == [])
            await run.test.advance(by: .seconds(1))
            #expect(outcome.all == ["timedOut"])
        }
    }
}
