import Foundation
import Testing

extension EndToEndTests {
    @Suite("What jobs took", .timeLimit(.minutes(60)))
    struct SummaryTests {
        /// Submits a graph: an array of three, of which one succeeds only at its second attempt, behind a first operation, and a
        /// last operation behind the array; and one that is not needed.
        private func submit(to cluster: TestCluster) async throws -> String {
            let graph = """
                { name: "study", operations: [
                  { name: "fetch", command: "true" },
                  { name: "parts", array: "1-3", needs: ["fetch"], retries: 1, retryDelay: "1ms",
                    command: 'test $BATON_INDEX != 2 || test $BATON_ATTEMPT = 2' },
                  { name: "join", command: "head -c 300000000 /dev/zero | tail -c 200000000 >/dev/null", needs: ["parts"] },
                  { name: "alarm", command: "true", onFailure: ["join"] },
                ] }
                """
            try cluster.write(graph, to: "graph.json")
            return try await cluster.submit("--file", cluster.home.appending(path: "graph.json").path)
        }

        @Test("The command summary shows sums, memory, workers and the critical path")
        func summary() async throws {
            try await withCluster { cluster in
                let job = try await submit(to: cluster)
                #expect(try await cluster.wait(job) == 0)
                let document = try await cluster.json("summary", job)
                #expect(document.name == "study" && document.state == "finished" && document.outcome == "succeeded")
                #expect(document.operations == 5 && document.attempts == 6 && document.measuredAttempts == 6)
                #expect(document.peakMemory.operation == .text("\(job)/4") && document.peakMemory.name == "join")
                let path = document.criticalPath.elements
                #expect(path.count == 3)
                #expect(path.first?.operation == .text("\(job)/0") && path.last?.operation == .text("\(job)/4"))
                #expect(path.dropFirst().first?.name.string.hasPrefix("parts.") == true, "\(path)")
                let attempts = document.workers.elements.map(\.attempts.number)
                #expect(attempts.reduce(0, +) == 6)

                let shown = try await cluster.baton("summary", "last")
                #expect(shown.status == 0 && shown.errors.isEmpty)
                for text in [
                    "(study)", "Critical path, 3 steps", "Slowest operations:",
                    "6, of which 1 ended before its operation",
                ] {
                    #expect(shown.output.contains(text), "\(shown)")
                }
                #expect(shown.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(shown)")

                let retried = try await cluster.json("show", "\(job)/2")
                #expect(retried.cpuSeconds != .null && retried.peakMemory.number > 0)
                #expect(retried.attempts.elements.first.map { $0.peakMemory.number > 0 } == true)
                let skipped = try await cluster.json("show", "\(job)/alarm")
                #expect(skipped.cpuSeconds == .null && skipped.peakMemory == .null)
            }
        }

        @Test("A job in which nothing has run yet, and a missing job, have clear answers")
        func nothing() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--hold", "--", "true")
                let shown = try await cluster.baton("summary", job)
                #expect(shown.status == 0 && shown.output.contains("1 pending"), "\(shown)")
                let document = try await cluster.json("summary", job)
                #expect(document.attempts == 0 && document.cpuSeconds == .null && document.longestWait == .null)
                #expect(document.criticalPath.elements.isEmpty && document.finishedAt == .null)
                let open = try await cluster.submit("--open", "--name", "later")
                let empty = try await cluster.baton("summary", open)
                #expect(empty.output.contains("state:   pending, open, no operations"), "\(empty)")
                #expect(try await cluster.json("summary", open).open == true)
                #expect(try await cluster.baton("trace", open).output.contains(#""cat":"pending""#))
                #expect(try await cluster.baton("top", "--once").output.contains("open"))
                #expect(try await cluster.baton("summary", "77").status == 66)
                #expect(try await cluster.baton("summary", "\(job)/0").status == 64)
            }
        }
    }
}
