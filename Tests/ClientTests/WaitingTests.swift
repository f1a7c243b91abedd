@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Waits of a client", .timeLimit(.minutes(60)))
struct WaitingTests {
    private func progress(executing: Int, succeeded: Int) -> WaitProgress {
        var counts = JobCounts()
        counts.executing = executing
        counts.succeeded = succeeded
        return WaitProgress(counts: counts, isFinished: executing == 0)
    }

    @Test("WA1 A wait asks again until everything is finished, and reports the progress of each answer")
    func asksAgain() async throws {
        let rest = Shared(3)
        let fake = try FakeCoordinator(answering: { number, request in
            guard request == .wait([.job(JobNumber(1))], queue: nil, atMost: .milliseconds(10), waiter: nil)
            else { return [] }
            let left = rest { rest in
                rest -= 1
                return rest
            }
            return [.send(.reply(number, .progress(progress(executing: left, succeeded: 3 - left))))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        var reported: [Int] = []
        let last = try await connection.wait(for: [.job(JobNumber(1))], every: .milliseconds(10)) {
            reported.append($0.counts.executing)
        }
        #expect(last == progress(executing: 0, succeeded: 3))
        #expect(reported == [2, 1, 0])
    }

    @Test("WA8 A wait is repeated until a coordinator answers, though several vanish without an answer")
    func restarts() async throws {
        let notices = AsyncStream<ClientNotice>.makeStream()
        let first = try FakeCoordinator(answering: { _, _ in [.vanish] })
        let connection = try ClientConnection(
            endpoint: first.endpoint,
            options: .patient
        ) { notices.continuation.yield($0) }
        async let outcome = connection.wait(for: [.job(JobNumber(1))], every: .seconds(1))
        var iterator = notices.stream.makeAsyncIterator()
        for _ in 1...2 {
            #expect(await iterator.next() == .away)
            let next = try FakeCoordinator(at: first.endpoint, answering: { _, _ in [.vanish] })
            #expect(await iterator.next() == .back)
            // The coordinator vanishes by itself when the wait is repeated.
            withExtendedLifetime(next) {}
        }
        #expect(await iterator.next() == .away)
        let final = try FakeCoordinator(
            at: first.endpoint,
            answering: { number, _ in [.send(.reply(number, .progress(progress(executing: 0, succeeded: 1))))] }
        )
        #expect(try await outcome.isFinished)
        final.stop()
    }

    @Test("WA3 A wait sends the waiting operation with each request, and throws the refusal with the path of the loop")
    func waiter() async throws {
        let waiter = OperationID(job: JobNumber(1), index: 2)
        let refusal = Refusal(.deadlock, "It waits for itself.", path: ["1/2", "1/2"])
        let asked = Shared<[Request]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            let times = asked { asked in
                asked.append(request)
                return asked.count
            }
            guard times == 3 else {
                return [.send(.reply(number, .progress(progress(executing: 1, succeeded: 0))))]
            }
            return [.send(.reply(number, .refused(refusal)))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let each = Request.wait([.job(JobNumber(1))], queue: "q", atMost: .milliseconds(10), waiter: waiter)
        await #expect(throws: ClientError.refused(refusal, each)) {
            try await connection.wait(for: [.job(JobNumber(1))], queue: "q", by: waiter, every: .milliseconds(10))
        }
        #expect(asked { $0 } == [each, each, each])
    }

    @Test("A wait ends at its deadline with the last progress, or with a time-out error while the coordinator is away")
    func deadline() async throws {
        let fake = try FakeCoordinator(answering: { number, _ in
            [.send(.reply(number, .progress(progress(executing: 1, succeeded: 0))))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let last = try await connection.wait(for: [.job(JobNumber(1))], until: .now, every: .seconds(1))
        #expect(!last.isFinished)
        fake.stop()
        let error = await #expect(throws: ClientError.self) {
            try await connection.wait(for: [.job(JobNumber(1))], until: .now, every: .seconds(1))
        }
        #expect(error?.code == .timedOut)
    }

    @Test(
        "A coordinator that cannot read a wait for output is asked without, and other refusals stand",
        arguments: [true, false]
    )
    func unreadOutputs(isUnread: Bool) async throws {
        let asked = Shared<[Bool]>([])
        let refusal = isUnread ? Refusal.unread(.malformed("the request's kind")) : Refusal(.notFound, "No.")
        let fake = try FakeCoordinator(answering: { number, request in
            guard case .wait(_, _, _, _, _, _, let outputs) = request else { return [] }
            asked { $0.append(outputs) }
            guard !outputs else { return [.send(.reply(number, .refused(refusal)))] }
            return [.send(.reply(number, .progress(progress(executing: 0, succeeded: 1))))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let operation = Address.operation(OperationID(job: JobNumber(1), index: 0))
        if isUnread {
            let end = try await connection.progress(of: [operation], atMost: .seconds(1), outputs: true)
            #expect(end == progress(executing: 0, succeeded: 1))
        } else {
            let error = await #expect(throws: ClientError.self) {
                try await connection.progress(of: [operation], atMost: .seconds(1), outputs: true)
            }
            #expect(error?.refusal == refusal)
        }
        #expect(asked { $0 } == (isUnread ? [true, false] : [true]))
    }

    @Test("A wait that wants the progress of executing operations asks for it each time")
    func partial() async throws {
        let asked = Shared<[Request]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            let times = asked { asked in
                asked.append(request)
                return asked.count
            }
            let progress = progress(executing: times == 1 ? 1 : 0, succeeded: 1)
            return [.send(.reply(number, .progress(progress)))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let last = try await connection.wait(for: [.job(JobNumber(1))], every: .milliseconds(10), partial: true)
        #expect(last.isFinished)
        let request = Request.wait(
            [.job(JobNumber(1))],
            queue: nil,
            atMost: .milliseconds(10),
            waiter: nil,
            partial: true
        )
        #expect(asked { $0 } == [request, request])
    }
}
