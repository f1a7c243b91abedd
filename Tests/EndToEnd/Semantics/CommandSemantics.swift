import Foundation
import Testing

extension SemanticsTests {
    @Suite("Several commands")
    struct SeveralCommands {
        @Test(
            "BL1 Several commands run at once on one worker; the operation is finished when all are, and fails if one does",
            arguments: ClusterShape.all
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
                // All are there, in one slot and on one worker.
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

        @Test("BL7 The end of an operation is told exactly once, on every path", arguments: ClusterShape.all)
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
    }
}
