@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: order", .timeLimit(.minutes(60)))
struct OrderTests {
    /// A function that notes its argument.
    private static func noting(_ journal: Journal) -> OperationTypes.Function {
        { call in
            journal.note(String(decoding: call.argument, as: UTF8.self))
            return call.argument
        }
    }

    @Test("Operations run after their dependencies, and what needs a failed one is skipped")
    func dependencies() async throws {
        let journal = Journal()
        let failing: OperationTypes.Function = { _ in throw CancellationError() }
        try await TestRun.run(slots: 4, ["note": Self.noting(journal), "fail": failing]) { run in
            let job = try await run.submit([
                Planned("note", "d").with { $0.after = [1, 2] },
                Planned("note", "b").with { $0.needs = [3] },
                Planned("note", "c").with { $0.needs = [1] },
                Planned("note", "a"),
                Planned("fail"),
                Planned("note", "never").with { $0.needs = [4] },
            ])
            await run.test.advance(by: .zero)
            #expect(journal.all == ["a", "b", "c", "d"])
            #expect(try await run.states(job, 6) == Array(repeating: .finished, count: 6))
            #expect(try await run.operation(job, 4).reason == .error)
            #expect(try await run.operation(job, 5).outcome == .skipped)
            #expect(try await run.operation(job, 5).skippedBecauseOf == OperationID(job: job, index: 4))
            #expect(run.test.now == .zero)
        }
    }

    @Test("A function gets the results of its dependencies")
    func inputs() async throws {
        let journal = Journal()
        let reading: OperationTypes.Function = { call in
            for input in call.inputs {
                journal.note("\(input.name ?? "-") \(String(decoding: input.result ?? [], as: UTF8.self))")
            }
            return nil
        }
        try await TestRun.run(["note": Self.noting(Journal()), "read": reading]) { run in
            let job = try await run.submit([
                Planned("note", "one").named("a"), Planned(.noOperation).named("b"),
                Planned("read").with { $0.needs = [0, 1] },
            ])
            await run.test.advance(by: .zero)
            #expect(journal.all == ["a one", "b "])
            #expect(try await run.channel.result(of: .operation(OperationID(job: job, index: 0))) == Array("one".utf8))
            #expect(try await run.channel.result(of: .operation(OperationID(job: job, index: 1))) == nil)
        }
    }

    @Test("Operations start in the order of their priorities, then of their additions")
    func priorities() async throws {
        let journal = Journal()
        try await TestRun.run(slots: 0) { run in
            let priorities: [Priority] = [.low, .normal, .veryHigh, .normal, .veryLow, .high]
            try await run.submit(
                priorities.enumerated().map { position, priority in
                    Planned("note", "\(position)").with { $0.priority = priority }
                }
            )
            try await run.addWorker("w1", ["note": Self.noting(journal)])
            await run.test.advance(by: .zero)
            #expect(journal.all == ["2", "5", "1", "3", "0", "4"])
        }
    }

    @Test("A later operation of a higher priority comes before earlier ones that have not started")
    func overtaking() async throws {
        let journal = Journal()
        let gate = Gate()
        let functions: [String: OperationTypes.Function] = [
            "note": Self.noting(journal),
            "wait": { _ in
                try await gate.pass()
                return nil
            },
        ]
        try await TestRun.run(functions) { run in
            // Short operations before, after which a cluster sends work ahead.
            try await run.submit((0..<100).map { _ in Planned(.noOperation) })
            try await run.submit([Planned("wait"), Planned("note", "a"), Planned("note", "b")])
            await run.test.advance(by: .zero)
            #expect(gate.arrivals == 1)
            try await run.submit([Planned("note", "c").with { $0.priority = .high }])
            gate.open()
            await run.test.advance(by: .zero)
            #expect(journal.all == ["c", "a", "b"])
        }
    }

    @Test("A barrier runs alone, after earlier and before later operations of its queue")
    func barrier() async throws {
        let journal = Journal()
        let gate = Gate()
        let functions: [String: OperationTypes.Function] = [
            "note": Self.noting(journal),
            "wait": { call in
                try await gate.pass()
                journal.note(String(decoding: call.argument, as: UTF8.self))
                return nil
            },
        ]
        try await TestRun.run(slots: 3, functions) { run in
            let job = try await run.submit([
                Planned("wait", "before"), Planned("note", "barrier").with { $0.isBarrier = true },
                Planned("note", "after"),
            ])
            try await run.submit([Planned("note", "elsewhere")], queue: "other")
            await run.test.advance(by: .zero)
            #expect(journal.all == ["elsewhere"])
            #expect(try await run.operation(job, 0).state == .executing)
            gate.open()
            await run.test.advance(by: .zero)
            #expect(journal.all == ["elsewhere", "before", "barrier", "after"])
        }
    }

    @Test("A suspended queue starts nothing, and goes on when it is resumed")
    func suspension() async throws {
        let journal = Journal()
        try await TestRun.run(["note": Self.noting(journal)]) { run in
            _ = try await run.channel.change(.setQueue(QueueChange(name: "default", isSuspended: true)))
            try await run.submit([Planned("note", "a")])
            await run.test.advance(by: .seconds(100))
            #expect(journal.all == [])
            _ = try await run.channel.change(.setQueue(QueueChange(name: "default", isSuspended: false)))
            await run.test.advance(by: .zero)
            #expect(journal.all == ["a"])
        }
    }

    @Test("A worker that comes later takes what has not started elsewhere")
    func secondWorker() async throws {
        let gate = Gate()
        let functions: [String: OperationTypes.Function] = [
            "wait": { _ in
                try await gate.pass()
                return nil
            }
        ]
        try await TestRun.run(functions) { run in
            try await run.submit((0..<50).map { _ in Planned(.noOperation) })
            let job = try await run.submit([Planned("wait"), Planned(.noOperation), Planned(.noOperation)])
            await run.test.advance(by: .zero)
            #expect(try await run.states(job, 3) == [.executing, .ready, .ready])
            try await run.addWorker("w2", [:])
            await run.test.advance(by: .zero)
            #expect(try await run.states(job, 3) == [.executing, .finished, .finished])
            #expect(try await run.operation(job, 1).worker == "w2")
        }
    }
}
