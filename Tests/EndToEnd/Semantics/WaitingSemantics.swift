import Foundation
import Testing

extension SemanticsTests {
    @Suite("Waiting")
    struct Waiting {
        @Test(
            "WA1 A wait returns when all its targets are finished, and at once if they already are",
            arguments: ClusterShape.tested
        )
        func wa1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let bad = try await cluster.submit(script: "exit 2")
                let good = try await cluster.submit(script: "\(gate.wait); \(cluster.note("good"))")
                let waiting = try cluster.startOnTerminal("wait", good, bad)
                try await waiting.output(containing: "1/2")
                #expect(waiting.isRunning)
                try await gate.open()
                #expect(try await waiting.end() == 1)
                #expect(cluster.notes == ["good"])

                #expect(try await cluster.wait(good) == 0)
                #expect(try await cluster.wait(good, "\(good)/0") == 0)
                let failed = try await cluster.baton("wait", bad, good)
                #expect(failed.status == 1)
                #expect(failed.errors.hasPrefix("1 of 2 did not succeed: 1 succeeded, 1 failed.\n\(bad)/0: "))
                let document = try JSONValue(parsing: try await cluster.baton("wait", bad, good, "--json").output)
                #expect(document.finished == true)
                #expect((document.counts.succeeded, document.counts.failed) == (1, 1))
            }
        }

        @Test(
            "WA2 All of many waiters for the same job, queue and operation are released",
            arguments: ClusterShape.tested
        )
        func wa2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "long", command: "\(gate.wait)" }, { command: "true", after: ["long"] },
                        ] }
                        """
                )
                try await gate.arrival()
                // Operations wait too, one for each slot.
                let inside = "\(TestCluster.baton) wait \(job)/long && \(cluster.note("inside"))"
                let others = try await cluster.submit(script: inside, "--array", "1-\(shape.slots)")
                var waiting: [ChildProcess] = []
                for _ in 0..<3 {
                    waiting.append(try cluster.startOnTerminal("wait", job))
                    waiting.append(try cluster.startOnTerminal("wait", "--queue", "q"))
                }
                for process in waiting { try await process.output(containing: "0/2") }
                let quiet = try (0..<6).map { _ in try cluster.start("wait", "\(job)/long") }
                try await gate.open()
                for process in waiting + quiet { #expect(try await process.end() == 0, "\(process.outputText)") }
                #expect(try await cluster.wait(others) == 0)
                #expect(cluster.notes.count == shape.slots)
            }
        }

        /// An operation with a wait target that cannot end before the operation itself.
        struct Loop: Sendable, CustomTestStringConvertible {
            var name: String
            /// The wait target of the operation `w`.
            var target: String
            /// The other operations of the graph.
            var others = ""
            var queue = "{}"
            /// The operations between `w` and `w` in the path that the refusal names.
            var between: [String] = []
            var testDescription: String { name }
        }

        static let loops = [
            Loop(name: "itself", target: "$BATON_OPERATION"),
            Loop(name: "job", target: "$BATON_JOB"),
            Loop(name: "queue", target: "--queue $BATON_QUEUE"),
            Loop(
                name: "dependent",
                target: "$BATON_JOB/last",
                others:
                    "{ name: 'next', command: 'true', after: ['w'] }, { name: 'last', command: 'true', needs: ['next'] }",
                between: ["last", "next"]
            ),
            Loop(
                name: "limit",
                target: "$BATON_JOB/next",
                others: "{ name: 'next', command: 'true' }",
                queue: "{ maxConcurrent: 1 }",
                between: ["next"]
            ),
            Loop(
                name: "barrier",
                target: "$BATON_JOB/barrier",
                others: "{ name: 'barrier', command: 'true', barrier: true }",
                between: ["barrier"]
            ),
            Loop(
                name: "behind",
                target: "$BATON_JOB/behind",
                others: "{ command: 'true', barrier: true }, { name: 'behind', command: 'true' }",
                between: ["behind", "1"]
            ),
        ]

        @Test(
            "WA3 A wait that can never end is refused, and the reply names the loop",
            arguments: ClusterShape.tested,
            loops
        )
        func wa3(_ shape: ClusterShape, _ loop: Loop) async throws {
            try await withCluster(shape) { cluster in
                let others = loop.others.isEmpty ? "" : ", \(loop.others)"
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", queues: { q: \(loop.queue) }, operations: [
                          { name: "w", command: "\(cluster.wait(for: loop.target, as: "w"))" }\(others)
                        ] }
                        """
                )
                // The refused operation goes on. The other operations go on after its end.
                #expect(try await cluster.wait(job) == 0)
                let (status, error) = try cluster.ended("w")
                #expect((status, error.code) == ("65", "deadlock"), "\(error)")
                let path = error.path.elements.map { $0.string }
                // With one slot, the first named operation already needs the slot.
                let between = shape.slots == 1 ? Array(loop.between.prefix(1)) : loop.between
                #expect(path == (["w"] + between + ["w"]).map { "\(job)/\($0)" })
                #expect(error.message.string.contains(path.joined(separator: " -> ")), "\(error)")
            }
        }

        @Test(
            "WA3 A wait that would take the last slot from the operation that it waits for is refused",
            arguments: ClusterShape.tested
        )
        func wa3Slots(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { array: "1-\(shape.slots)", command: "\(cluster.wait(for: "$BATON_JOB/last", as: "{}"))" },
                          { name: "last", command: "\(cluster.note("last"))" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                let ends = try (1...shape.slots).map { try cluster.ended("\($0)") }
                #expect(ends.filter { $0.status == "0" }.count == shape.slots - 1)
                let refused = try #require(ends.first { $0.status == "65" })
                #expect(refused.error.code == "deadlock")
                let path = refused.error.path.elements.map { $0.string }
                #expect(path.count == 3 && path[1] == "\(job)/last" && path[0] == path[2], "\(path)")
            }
        }

        @Test(
            "WA3 One of two operations that wait for each other is refused, also if the other has no slot",
            arguments: ClusterShape.tested
        )
        func wa3Each(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "a", command: "\(cluster.wait(for: "$BATON_JOB/b", as: "a"))", queue: "one" },
                          { name: "b", command: "\(cluster.wait(for: "$BATON_JOB/a", as: "b"))", queue: "other" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                let ends = [try cluster.ended("a"), try cluster.ended("b")]
                #expect(ends.map(\.status).sorted() == ["0", "65"])
                #expect(ends.first { $0.status == "65" }?.error.code == "deadlock")
            }
        }

        @Test(
            "WA3 A wait that can end is entered, for finished and running operations and from outside",
            arguments: ClusterShape.tested
        )
        func wa3Entered(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let finished = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(finished) == 0)
                // Without a second slot, the operation cannot run at the same time.
                let running = try await cluster.submit(script: gate.wait, "--queue", "q")
                try await gate.arrival()
                let target = shape.slots > 1 ? "\(running) \(finished)" : finished
                let waiter = try await cluster.submit(
                    script: "\(cluster.wait(for: target, as: "w")); \(cluster.note("waited"))",
                    "--queue",
                    "q"
                )
                // A client outside of any operation may wait for anything.
                let outside = try cluster.startOnTerminal("wait", waiter, running)
                try await outside.output(containing: "0/2")
                try await gate.open()
                #expect(try await outside.end() == 0)
                #expect(try cluster.ended("w").status == "0")
                #expect(cluster.notes == ["waited"])
            }
        }

        @Test("WA4 A wait for an empty queue returns at once", arguments: ClusterShape.tested)
        func wa4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("queue", "set", "new", "--max-concurrent", "3")
                #expect(try await cluster.wait(queue: "new") == 0)
                _ = try await cluster.submit("--queue", "used", "--", "true")
                #expect(try await cluster.wait(queue: "used") == 0)
                try await cluster.change("queue", "suspend", "used", count: 1)
                let blockers = try await cluster.occupy(shape.slots)
                #expect(try await cluster.wait(queue: "new") == 0)
                #expect(try await cluster.wait(queue: "used") == 0)
                try await blockers.release(0...)
                let unknown = try await cluster.baton("wait", "--queue", "none")
                #expect(unknown.status == 66)
                #expect(unknown.errors.contains("There is no queue \"none\""), "\(unknown)")
            }
        }

        @Test("WA5 A wait for a queue includes operations that are added meanwhile", arguments: ClusterShape.tested)
        func wa5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let first = try await cluster.submit(script: gate.wait, "--queue", "q")
                try await gate.arrival()
                let waiting = try cluster.startOnTerminal("wait", "--queue", "q")
                try await waiting.output(containing: "0/1")
                let second = try await cluster.submit("--hold", "--queue", "q", "--", "true")
                try await gate.open()
                #expect(try await cluster.wait(first) == 0)
                try await cluster.useAllSlots(of: shape)
                #expect(waiting.isRunning)
                // An operation included in the wait adds another operation.
                try cluster.write(cluster.note("third"), to: "third.sh")
                let more = "\(TestCluster.baton) submit --queue q -- sh third.sh"
                let third = try await cluster.submit(script: more, "--queue", "q", "--after", second)
                try await cluster.change("release", second, count: 1)
                #expect(try await waiting.end() == 0)
                #expect(cluster.notes == ["third"])
                #expect(try await cluster.wait(second, third) == 0)
            }
        }

        @Test("WA8 A wait survives a kill and a restart of the coordinator", arguments: ClusterShape.tested)
        func wa8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "first", command: "\(gate.wait)" },
                          { name: "second", command: "\(cluster.note("second"))", after: ["first"] },
                        ] }
                        """
                )
                try await gate.arrival()
                let waiting = [
                    try cluster.startOnTerminal("wait", job), try cluster.startOnTerminal("wait", "--queue", "q"),
                ]
                for process in waiting { try await process.output(containing: "0/2") }
                // On a terminal, the output of `wait` shows the begin of the wait.
                let quiet = try cluster.startOnTerminal("wait", "\(job)/second")
                try await quiet.output(containing: "0/1")
                let epoch = try await cluster.json("status").epoch
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.json("status").epoch != epoch)
                try await gate.open()
                for process in waiting + [quiet] { #expect(try await process.end() == 0) }
                #expect(cluster.notes == ["second"])
                #expect(try await cluster.show("\(job)/first").attempt == 1)
            }
        }
    }
}
