import Foundation
import Testing

extension SemanticsTests {
    @Suite("Progress")
    struct Progress {
        @Test(
            "PG1 A queue reports progress once its total is set, and each operation that runs to its end adds one",
            arguments: ClusterShape.tested
        )
        func pg1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let early = try await cluster.submit("--queue", "q", "--", "true")
                #expect(try await cluster.wait(early) == 0)
                let unset = try await cluster.json("queue", "show", "q")
                #expect((unset.total, unset.progress) == (nil, nil))

                try await cluster.change("queue", "set", "q", "--total", "10", count: 1)
                let set = try await cluster.json("queue", "show", "q")
                #expect((set.total, set.completed, set.progress) == (10, 0, 0))
                let (gate, asked) = (try cluster.gate("gate"), try cluster.gate("asked"))
                try cluster.write(
                    """
                    trap 'asked=1' TERM; \(gate.checkIn); until [ "$asked" ]; do sleep 1000 & wait; done
                    kill $!; \(asked.wait); exit 0
                    """,
                    to: "asked.sh"
                )
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "good", command: "true" },
                          { name: "bad", command: "exit 3", retries: 1, retryDelay: "1ms" },
                          { name: "asked", command: "sh asked.sh", grace: "forever" },
                          { name: "skipped", command: "true", needs: ["bad"] },
                          { name: "cancelled", command: "true", hold: true },
                          { name: "array", command: "true", array: "1-3" },
                          { name: "barrier", command: "true", barrier: true },
                        ] }
                        """
                )
                try await gate.open()
                try await cluster.change("cancel", "\(job)/asked", "\(job)/cancelled", count: 2)
                try await asked.open()
                #expect(try await cluster.wait(job) == 1)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.total, queue.completed, queue.progress) == (10, 6, .number(0.6)))
                let listed = try await cluster.json("queue", "list").queues.elements
                #expect(listed.first { $0.queue == "q" }?.progress == .number(0.6))

                // The progress survives a restart of the coordinator, and ends with the removal of the total.
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.json("queue", "show", "q").completed == 6)
                try await cluster.change("queue", "set", "q", "--total", "0", count: 1)
                let ended = try await cluster.json("queue", "show", "q")
                #expect((ended.total, ended.progress) == (nil, nil))
            }
        }

        @Test(
            "PG4 The fraction of a queue counts the fractions of its running operations, and is never above 1",
            arguments: ClusterShape.tested
        )
        func pg4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--total", "4", count: 1)
                func progress() async throws -> JSONValue { try await cluster.json("queue", "show", "q").progress }
                let gates = [try cluster.gate("0"), try cluster.gate("1"), try cluster.gate("2")]
                let report = "\(TestCluster.baton) progress"
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { command: "true" },
                          { name: "talks", retries: 1, retryDelay: "1ms",
                            command: "\(report) 0.5 half; \(gates[0].wait); \(report) 75% 'three quarters'; \(gates[1].wait)" }
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/0") == 0)
                try await gates[0].arrival()
                #expect(try await progress() == .number(0.375))
                let half = try await cluster.show("\(job)/talks")
                #expect((half.progress, half.progressMessage) == (.number(0.5), "half"))
                try await gates[0].open()
                try await gates[1].arrival()
                #expect(try await progress() == .number(0.4375))
                let more = try await cluster.show("\(job)/talks")
                #expect((more.progress, more.progressMessage) == (.number(0.75), "three quarters"))
                try await gates[1].open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await progress() == .number(0.5))
                #expect(try await cluster.show("\(job)/talks").progress == 1)

                // A failed attempt takes its reported progress along; the next attempt begins at zero.
                let again = try await cluster.submit(
                    script: """
                        if test $BATON_ATTEMPT = 1; then \(report) 0.8; exit 1; fi; \(gates[2].wait)
                        """,
                    "--queue",
                    "q",
                    "--retries",
                    "1",
                    "--retry-delay",
                    "1ms"
                )
                try await gates[2].arrival()
                #expect(try await progress() == .number(0.5))
                #expect(try await cluster.show("\(again)/0").progress == 0)
                try await gates[2].open()
                #expect(try await cluster.wait(again) == 0)

                // More operations than the total.
                let rest = try await cluster.submit("--queue", "q", "--array", "1-7", "--", "true")
                #expect(try await cluster.wait(rest) == 0)
                #expect(try await cluster.json("queue", "show", "q").completed == 10)
                #expect(try await progress() == 1)
            }
        }

        @Test("PG4 A progress that is no fraction is refused and changes nothing", arguments: ClusterShape.tested)
        func pg4Refused(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let words = ["nan", "inf", "1.5", "-0.1", "101%", "half", "''"]
                let lines = words.map { "\(TestCluster.baton) progress -- \($0) 2>> errors; echo $? >> statuses" }
                try cluster.write(
                    "\(TestCluster.baton) progress 0.25\n\(lines.joined(separator: "\n"))\n\(gate.wait)",
                    to: "reports.sh"
                )
                let job = try await cluster.submit("--", "sh", "reports.sh")
                try await gate.arrival()
                #expect(cluster.read("statuses").split(separator: "\n") == words.map { _ in "64" })
                #expect(try await cluster.show("\(job)/0").progress == .number(0.25))
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                let outside = try await cluster.baton("progress", "0.5")
                #expect(outside.status == 64)
                #expect(outside.errors.contains("operation"), "\(outside)")
                let negative = try await cluster.baton("queue", "set", "q", "--total=-1")
                #expect(negative.status == 64, "\(negative)")
            }
        }

        @Test(
            "PG6 A job has progress from the start, and its total is the number of its operations",
            arguments: ClusterShape.tested
        )
        func pg6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (talks, silent) = (try cluster.gate("talks"), try cluster.gate("silent"))
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "true", hold: true },
                          { name: "talks", command: "\(TestCluster.baton) progress 50%; \(talks.wait)", needs: ["first"] },
                          { name: "silent", command: "\(silent.wait)", needs: ["talks"] },
                          { name: "skipped", command: "true", onFailure: ["first"] },
                        ] }
                        """
                )
                func progress() async throws -> JSONValue { try await cluster.show(job).progress }
                #expect(try await progress() == 0)
                try await cluster.change("release", "\(job)/first", count: 1)
                try await talks.arrival()
                // One operation succeeded, a second was not needed, and a third is half done.
                #expect(try await progress() == .number(0.625))
                try await talks.open()
                try await silent.arrival()
                #expect(try await progress() == .number(0.75))
                try await silent.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await progress() == 1)
            }
        }
    }
}
