import Foundation
import Testing

extension SemanticsTests {
    @Suite("Several commands")
    struct SeveralCommands {
        @Test(
            "BL1 Several commands run at once on one worker, finish their operation together, and fail it if one fails",
            arguments: ClusterShape.tested
        )
        func bl1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gates = try (0..<3).map { try cluster.gate("\($0)") }
                let noted = gates.map { "echo $PPID >> parents; \($0.wait)" }
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "all", commands: [
                            ["sh", "-c", "\(noted[0]); \(cluster.note("0"))"], ["sh", "-c", "\(noted[1]); exit 4"],
                            ["sh", "-c", "\(noted[2]); \(cluster.note("2"))"],
                          ] },
                          { name: "after", command: "\(cluster.note("after"))", after: ["all"] },
                        ] }
                        """
                )
                // All commands are at the gates, in the slot of a single worker.
                for gate in gates { try await gate.arrival() }
                #expect(Set(cluster.read("parents").split(separator: "\n")).count == 1)
                #expect(try await cluster.json("status").counts.executing == 1)
                try await gates[1].open()
                #expect(try await cluster.show("\(job)/all").state == "executing")
                try await gates[2].open()
                #expect(try await cluster.show("\(job)/all").state == "executing")
                try await gates[0].open()
                #expect(try await cluster.wait(job) == 1)
                #expect(Set(cluster.notes.prefix(2)) == ["0", "2"])
                #expect(cluster.notes.dropFirst(2) == ["after"])
                let operation = try await cluster.show("\(job)/all")
                #expect((operation.outcome, operation.exitStatus, operation.attempt) == ("failed", 4, 1))

                let good = try await cluster.submit(graph: "{ operations: [{ commands: [['true'], ['true']] }] }")
                #expect(try await cluster.wait(good) == 0)
            }
        }

        @Test(
            "BL2 A command is added to an operation that has not started, also if it was prefetched, and else refused",
            arguments: ClusterShape.tested
        )
        func bl2(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-\(count)")
                let noop = try await cluster.submit(graph: "{ operations: [{ kind: 'noop', hold: true }] }")
                let held = try await cluster.submit("--hold", "--", "true")
                #expect(try await cluster.sentAhead(of: job).count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                // Operations that the first worker, the last worker and no worker was sent.
                let changed = ["\(job)/0", "\(job)/\(count - 1)", "\(held)/0"]
                for operation in changed {
                    try await cluster.add("echo added-\(operation) >> added", to: operation)
                }
                try await cluster.add("exit 3", to: "\(job)/1")
                #expect(try await cluster.show("\(job)/0").commands.elements.count == 2)
                #expect(try await cluster.show("\(job)/2").commands == .null)
                let refused = [("\(blockers.job)/0", "it is executing"), ("\(noop)/0", "it runs no commands")]
                for (operation, reason) in refused {
                    try await cluster.expectNoCommandAdded(to: operation, because: reason)
                }
                let array = try await cluster.submit("--hold", "--name", "many", "--array", "0-1", "--", "true")
                for address in [array, "\(array)/many"] {
                    let refusal = try await cluster.baton("add-command", address, "--", "true")
                    #expect(
                        refusal.status == 65
                            && refusal.errors.contains("Name one of its operations, such as \(array)/0.")
                    )
                }
                try await cluster.baton("cancel", array)
                try await cluster.restartCoordinator(with: SIGKILL)
                try await blockers.release(0...)
                try await cluster.change("release", held, noop, count: 2)
                #expect(try await cluster.wait(held, noop) == 0)
                #expect(try await cluster.wait(job) == 1)
                #expect(Set(cluster.notes) == Set((1...count).map { "\($0)" }))
                let added = cluster.read("added").split(separator: "\n").map(String.init)
                #expect(added.sorted() == changed.map { "added-\($0)" }.sorted())
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.exitStatus.int) == [0, 3] + Array(repeating: 0, count: count - 2))
                #expect(operations.allSatisfy { $0.attempt == 1 })
                try await cluster.expectNoCommandAdded(to: "\(job)/0", because: "it is finished")
                // A retry runs the added command like the other commands.
                let retry = try await cluster.baton("retry", job).output.trimmingCharacters(in: .newlines)
                #expect(try await cluster.wait(retry) == 1)
                #expect(try await cluster.show("\(retry)/0").exitStatus == 3)
            }
        }

        @Test("BL7 The end of an operation is told exactly once, on every path", arguments: ClusterShape.tested)
        func bl7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (ended, stubborn) = (try cluster.gate("ended"), try cluster.gate("stubborn"))
                let lost = [try cluster.gate("lost-1"), try cluster.gate("lost-2")]
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "lost", command: "\(cluster.waitAtGate("lost-$BATON_ATTEMPT")); exit 5" },
                          { name: "good", command: "true" },
                          { name: "bad", command: "exit 3", retries: 2, retryDelay: "1ms" },
                          { name: "dead", command: "kill -9 $$" },
                          { name: "late", command: "sleep 1000", timeout: "10ms" },
                          { name: "unlaunched", command: ["/no/such/program"] },
                          { name: "several", commands: [["false"], ["true"], ["false"]] },
                          { name: "ended", command: "\(ended.wait)" },
                          { name: "stubborn", command: "trap '' TERM; \(stubborn.wait)", grace: "1ms" },
                          { name: "held", command: "true", hold: true },
                          { name: "born", command: "true", cancelled: true },
                          { name: "skipped", command: "true", needs: ["bad"] },
                          { name: "array", command: "exit {}", array: "0-3" },
                          { name: "noop", kind: "noop" },
                        ] }
                        """
                )
                try await lost[0].arrival()
                let name = try await cluster.show("\(job)/lost").worker.string
                cluster.workers[name]?.signal(SIGKILL)
                try await cluster.workers[name]?.end()
                try await cluster.startWorker(name, slots: shape.slotsOfEach)
                try await lost[1].open()
                for (gate, operation) in [(ended, "ended"), (stubborn, "stubborn")] {
                    try await gate.arrival()
                    try await cluster.change("cancel", "\(job)/\(operation)", count: 1)
                }
                try await cluster.change("cancel", "\(job)/held", count: 1)
                #expect(try await cluster.wait(job) == 1)
                try await cluster.restartCoordinator(with: SIGKILL)
                let events = try await cluster.eventsSoFar(of: cluster.watch())
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.count == 17)
                for operation in operations {
                    let ends = events.about(operation.operation.string).filter { $0.state == "finished" }
                    #expect(ends.map(\.outcome) == [operation.outcome], "\(operation)")
                }
                #expect(
                    events.filter { $0.event == "job" && $0.job.int == Int(job) && $0.state == "finished" }.count == 1
                )
            }
        }

        @Test(
            "BL8 A text runs under the shell of its operation, of the defaults, of the command line or of the worker",
            arguments: ClusterShape.tested
        )
        func bl8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                func outcomes(_ graph: String) async throws -> [String] {
                    let job = try await cluster.submit(graph: graph)
                    #expect(try await cluster.wait(job) == 1)
                    return try await cluster.show(job).operations.elements.map { $0.outcome.string }
                }
                let given = try await outcomes(
                    """
                    { defaults: { shell: "bash -euo pipefail -c" }, operations: [
                      { name: "strict", command: "false | cat" },
                      { name: "own", command: "false | cat", shell: "/bin/sh -c" },
                      { name: "program", command: ["sh", "-c", "false | cat"] },
                      { name: "items", each: "a b", command: "test {} = 'a b' && ! (false | cat)" },
                    ] }
                    """
                )
                #expect(given == ["failed", "succeeded", "succeeded", "succeeded"])
                let run = try await cluster.baton("run", "--shell", "bash -euo pipefail -c", "--", "false | cat")
                #expect(run.status == 1, "\(run)")
                let refused = try await cluster.baton("submit", "--shell", "bash", "--", "true")
                #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")

                let shell = ["--shell", "bash -euo pipefail -c"]
                try await cluster.startWorker("strict", labels: ["shell": "strict"], options: shell)
                let ofWorkers = try await outcomes(
                    """
                    { operations: [
                      { command: "false | cat", labels: ["shell=strict"] },
                      { command: ["sh", "-c", "false | cat"], labels: ["shell=strict"] },
                      { command: "false | cat", labels: ["shell!=strict"] },
                    ] }
                    """
                )
                #expect(ofWorkers == ["failed", "succeeded", "succeeded"])
            }
        }
    }
}

extension TestCluster {
    /// Adds a line of shell to an operation.
    fileprivate func add(
        _ script: String,
        to operation: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await baton("add-command", operation, "--json", "--", "sh", "-c", script)
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        #expect(try JSONValue(parsing: result.output).changed == 1, sourceLocation: sourceLocation)
    }

    /// Expects that an operation refuses another command.
    fileprivate func expectNoCommandAdded(
        to operation: String,
        because reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await show(operation)
        let result = try await baton("add-command", operation, "--json", "--", "true")
        #expect(result.status == 65, "\(result)", sourceLocation: sourceLocation)
        let message = try JSONValue(parsing: result.errors).error.message.string
        #expect(message.contains("\(operation), because \(reason)"), sourceLocation: sourceLocation)
        #expect(try await show(operation).commands == before.commands, sourceLocation: sourceLocation)
    }
}
