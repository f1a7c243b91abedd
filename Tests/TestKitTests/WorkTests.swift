@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: what its workers run", .timeLimit(.minutes(60)))
struct WorkTests {
    @Test("A command fails, and the reason says that a test cluster runs none")
    func commands() async throws {
        try await TestRun.run { run in
            let job = try await run.submit([
                Planned(.commands([["true"]])), Planned(.noOperation).with { $0.needs = [0] },
            ])
            await run.test.advance(by: .zero)
            let operation = try await run.operation(job)
            #expect(operation.reason == .launch)
            #expect(
                operation.message
                    == "A test cluster runs no commands, only Swift operations and those that do nothing. "
                    + "Run commands in a cluster of processes."
            )
            #expect(try await run.operation(job, 1).outcome == .skipped)
        }
    }

    @Test("An operation waits for a worker that knows its type")
    func types() async throws {
        try await TestRun.run { run in
            let job = try await run.submit([Planned("echo", "hello")])
            await run.test.advance(by: .seconds(100))
            #expect(try await run.operation(job).state == .ready)
            try await run.addWorker("w2", ["echo": { $0.argument }])
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).worker == "w2")
            #expect(
                try await run.channel.result(of: .operation(OperationID(job: job, index: 0))) == Array("hello".utf8)
            )
        }
    }

    @Test("Processors and memory are there for any request")
    func resources() async throws {
        try await TestRun.run { run in
            var work = Work(.noOperation)
            work.memory = 1 << 40
            let submission = Submission(templates: [Template(work: work, cpus: 512_000)], entries: [Entry()])
            let job = try await run.channel.submit(submission).number
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).outcome == .succeeded)
        }
    }

    @Test("A cancelled function is asked to end, and its operation is cancelled when it has")
    func cancellation() async throws {
        let gate = Gate()
        let waiting: OperationTypes.Function = { _ in
            try await gate.pass()
            return nil
        }
        try await TestRun.run(["wait": waiting]) { run in
            let job = try await run.submit([Planned("wait"), Planned("wait")])
            await run.test.advance(by: .zero)
            _ = try await run.channel.change(.cancel([.job(job)], queue: nil))
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).outcome == .cancelled)
            #expect(try await run.operation(job, 1).outcome == .cancelled)
            #expect(gate.arrivals == 1)
        }
    }

    @Test("A worker that is asked to stop ends its functions, which run again elsewhere")
    func stop() async throws {
        let journal = Journal()
        let gate = Gate()
        let waiting: OperationTypes.Function = { call in
            journal.note(call.worker)
            try await gate.pass()
            return nil
        }
        try await TestRun.run(["wait": waiting]) { run in
            try await run.submit([Planned("wait")])
            await run.test.advance(by: .zero)
            try await run.addWorker("w2", ["wait": waiting])
            _ = try await run.channel.change(.stop(["w1"], isImmediate: true))
            await run.test.advance(by: .zero)
            #expect(journal.all == ["w1", "w2"])
            // Its name is free again.
            try await run.addWorker("w1", [:])
        }
    }

    @Test("Functions that block their threads do not hold each other up")
    func blocking() async throws {
        let rendezvous = Rendezvous(of: 8)
        let meeting: OperationTypes.Function = { _ in
            rendezvous.meet()
            return nil
        }
        try await TestRun.run(slots: 8, ["meet": meeting]) { run in
            let job = try await run.submit((0..<8).map { _ in Planned("meet") })
            await run.test.advance(by: .zero)
            #expect(try await run.states(job, 8) == Array(repeating: .finished, count: 8))
        }
    }
}
