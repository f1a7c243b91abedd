import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Completion hooks on a worker", .serialized, .timeLimit(.minutes(60)))
struct HookTests {
    @Test(
        "CM3 A hook gets its operation and each outcome in its environment, without a result or inputs",
        arguments: Outcome.allCases
    )
    func environment(outcome: Outcome) async throws {
        try await WorkerTest.run { test in
            var work = Work.shell("env; echo problem >&2; exit 3")
            work.environment = ["COLOUR": "blue", "BATON_RESULT": "not this"]
            let result = try test.coordinator.run(work) { item in
                item.hookOutcome = outcome
                item.attempt = 3
                item.name = "sepia"
                item.arrayNumber = 7
                item.arrayItem = "a b"
                item.hasInputs = true
            }
            #expect(result.end == .exited(3))
            #expect(result.standardError.text == "problem\n")
            #expect(result.result == nil)
            let lines = Set(result.standardOutput.text.split(separator: "\n").map(String.init))
            let expected = [
                "COLOUR=blue", "BATON_JOB=12", "BATON_OPERATION=12/1", "BATON_NAME=sepia", "BATON_QUEUE=images",
                "BATON_ATTEMPT=3", "BATON_INDEX=7", "BATON_ITEM=a b", "BATON_OUTCOME=\(outcome)",
                "BATON_COORDINATOR=\(test.coordinator.endpoint)",
            ]
            #expect(lines.isSuperset(of: expected))
            #expect(!lines.contains { $0.hasPrefix("BATON_RESULT=") || $0.hasPrefix("BATON_INPUTS=") })
        }
    }

    @Test("An attempt has no BATON_OUTCOME in its environment")
    func noOutcome() async throws {
        try await WorkerTest.run { test in
            let result = try test.coordinator.run(script: "echo ${BATON_OUTCOME-no}")
            #expect(result.standardOutput.text == "no\n")
        }
    }

    @Test("Hooks take no slot, at most four run at once, and the others start in the order of their arrival")
    func besideSlots() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let started = try Gate(test.directory + "/started")
            let gates = try (0..<6).map { try Gate(test.directory + "/gate\($0)") }
            for (index, gate) in gates.enumerated() {
                let script = "echo \(index) >'\(started.path)'; read line <'\(gate.path)'"
                try test.coordinator.dispatch(.shell(script)) { $0.hookOutcome = index == 0 ? nil : .succeeded }
                if index < 5 { #expect(try started.await() == "\(index)") }
            }
            // A started fifth hook would have come before this completion.
            try gates[0].open()
            #expect(try test.coordinator.completions().map(\.operation.index) == [1])
            try gates[2].open()
            #expect(try test.coordinator.completions().map(\.operation.index) == [3])
            #expect(try started.await() == "5")
            for index in [1, 3, 4, 5] { try gates[index].open() }
            #expect(Set(try test.coordinator.completions(4).map(\.operation.index)) == [2, 4, 5, 6])
            #expect(test.coordinator.started.map(\.serial) == [1])
        }
    }

    @Test("A hook that overruns its timeout is ended, and the hooks behind it run")
    func timeout() async throws {
        try await WorkerTest.run { test in
            let gate = try Gate(test.directory + "/never")
            var work = Work.shell("read line <'\(gate.path)'")
            work.timeout = .milliseconds(1)
            let hooks = try (0..<5).map { _ in try test.coordinator.dispatch(work) { $0.hookOutcome = .succeeded } }
            let completions = try test.coordinator.completions(hooks.count)
            #expect(Set(completions.map(\.token)) == Set(hooks.map(\.token)))
            #expect(completions.allSatisfy { $0.result.end == .timedOut })
        }
    }

    @Test("A running hook is ended by a cancellation and by a stop of the worker")
    func ending() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            let script = "trap 'exit 9' TERM; echo >'\(started.path)'; while :; do sleep 1; done"
            let cancelled = try test.coordinator.dispatch(.shell(script)) { $0.hookOutcome = .failed }
            _ = try started.await()
            try test.coordinator.send(.cancel([cancelled.token]))
            #expect(try test.coordinator.end(of: cancelled.token) == .cancelled(exitStatus: 9, signal: nil))
            let interrupted = try test.coordinator.dispatch(.shell(script)) { $0.hookOutcome = .failed }
            _ = try started.await()
            test.worker.stop()
            #expect(try test.coordinator.next() == .leaving(test.coordinator.session))
            #expect(try test.coordinator.end(of: interrupted.token) == .stopped)
            try test.worker.awaitEnd()
        }
    }
}
