import Foundation
import Testing

extension SemanticsTests {
    @Suite("Settings of retries")
    struct Retries {
        @Test("RT1 The wait before a retry is at most its limit", arguments: ClusterShape.tested)
        func rt1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "far", command: "exit 3", retries: 1, retryDelay: "1h", retryDelayLimit: "2h" },
                          { name: "near", command: "exit 3", retries: 4, retryDelay: "1h", retryDelayLimit: "1ms" },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/near") == 1)
                #expect(try await cluster.show("\(job)/near").attempt == 5)
                #expect(try await cluster.show("\(job)/far").settings.retryDelayLimit == "2h")
                try await cluster.change("cancel", job, count: 1)
            }
        }

        @Test(
            "RT2 Only the ends that settings name are retried, and those that they exclude are not",
            arguments: ClusterShape.tested
        )
        func rt2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { retries: 2, retryDelay: "1ms" }, operations: [
                          { command: "exit 75", retryOn: [75, "timeout"] },
                          { command: "exit 76", retryOn: "75,timeout" },
                          { command: "sleep 1000", timeout: "10ms", retryOn: [75, "timeout"] },
                          { command: "exit 65", noRetryOn: "64-66" },
                          { command: "exit 67", noRetryOn: "64-66" },
                          { command: "exit 64", retryOn: "64-70", noRetryOn: [64] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.attempt) == [3, 1, 3, 1, 3, 1])
                #expect(operations.map(\.outcome) == Array(repeating: "failed", count: 6))
                #expect(operations[3].message == "It exited with status 65. Such an end is not retried.")
                let given = try await cluster.submit(
                    script: "exit 7$BATON_ATTEMPT",
                    "--retries=3",
                    "--retry-delay=1ms",
                    "--retry-on=71,timeout,memory",
                    "--retry-on=72-75",
                    "--no-retry-on=73"
                )
                #expect(try await cluster.wait(given) == 1)
                #expect(try await cluster.show("\(given)/0").attempt == 3)
                for (option, value) in [("--retry-on", "0"), ("--no-retry-on", "66-64"), ("--retry-on", "75,slow")] {
                    let refused = try await cluster.baton("submit", option, value, "--", "true")
                    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
                }
                let file = try cluster.write("{ operations: [{ command: 'true', retryOn: [256] }] }", to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
                #expect(try await cluster.json("list").jobs.elements.count == 2)
            }
        }

        @Test(
            "RT3 A final status ends the operation as failed, whatever is left of its retries",
            arguments: ClusterShape.tested
        )
        func rt3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "gives-up", command: "test $BATON_ATTEMPT = 1 || exit 100; exit 1", retries: 9,
                            retryDelay: "1ms", retryOn: [1, 100], finalStatus: 100 },
                          { name: "alert", command: "true", onFailure: ["gives-up"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.exitStatus) == ("failed", 2, 100))
                #expect(operation.message == "It exited with status 100. The status is final.")
                #expect(try await cluster.show("\(job)/alert").outcome == "succeeded")
                let refused = try await cluster.baton("submit", "--final-status", "exit", "--", "true")
                #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
            }
        }

        @Test(
            "RT4 Memory and timeout that are ranges double at the retry of an attempt that ran out of them",
            arguments: ClusterShape.tested
        )
        func rt4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { retries: 5, retryDelay: "1ms" }, queues: { one: { maxConcurrent: 1 } }, operations: [
                          { name: "large", memory: "40M..1G", command:
                            "test $BATON_ATTEMPT -gt 2 || { x=$(head -c 100000000 /dev/zero | tr '[:cntrl:]' x); sleep 1000; }" },
                          { name: "long", timeout: "250ms..1h", command: "test $BATON_ATTEMPT -gt 2 || exec sleep 1000" },
                          { name: "later", timeout: "100ms..150ms", command: "exec sleep 1000", retryDelay: "1h", queue: "one" },
                          { name: "next", command: "true", queue: "one" },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/large", "\(job)/long") == 0)
                let large = try await cluster.show("\(job)/large")
                #expect(large.attempts.elements.map(\.reason) == ["memory", "memory"])
                #expect(large.attempts.elements.map(\.memory.int) == [40 << 20, 80 << 20])
                #expect((large.memory.int, large.timeout, large.settings.memoryUpTo.int) == (160 << 20, .null, 1 << 30))
                let long = try await cluster.show("\(job)/long")
                // A busy host may let the third attempt run out of its time, too.
                #expect(long.attempts.elements.prefix(2).map(\.timeout) == ["250ms", "500ms"])
                #expect(long.memory == .null && long.settings.timeoutUpTo == "1h")
                let text = try await cluster.baton("show", "\(job)/large").output
                #expect(text.contains("40M..1G") && text.contains("at most 160M"), "\(text)")

                // The queue lets it start once the other one waits for its retry.
                #expect(try await cluster.wait("\(job)/next") == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                let later = try await cluster.show("\(job)/later")
                #expect((later.state, later.attempt, later.timeout) == ("pending", 1, "150ms"))
                #expect(later.attempts.elements.map(\.timeout) == ["100ms"])
                try await cluster.change("cancel", job, count: 1)

                let options = ["--memory=2G..1G", "--memory=4000..16000", "--timeout=8h..1h", "--timeout=0s..1h"]
                for option in options {
                    let refused = try await cluster.baton("submit", option, "--", "true")
                    #expect(refused.status == 64 && refused.errors.contains("a range such as"), "\(refused)")
                }
                let file = try cluster.write("{ operations: [{ command: 'true', memory: '2G..1G' }] }", to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
                #expect(try await cluster.json("list").jobs.elements.count == 1)
            }
        }

        @Test("RT5 What executes at the maximum of failures is cancelled on request", arguments: ClusterShape.tested)
        func rt5(_ shape: ClusterShape) async throws {
            // With a single slot, nothing executes beside the failure.
            guard shape.slots > 1 else { return }
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { maxFailures: 1, cancelRunning: true, operations: [
                          { name: "long", command: "exec sleep 1000" },
                          { name: "later", command: "true", needs: ["long"] },
                          { name: "bad", command: "exit 3" },
                          { name: "tidy", command: "true", onFailure: ["bad"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.outcomes(of: job) == ["cancelled", "cancelled", "failed", "succeeded"])
                let shown = try await cluster.show(job)
                #expect((shown.outcome, shown.cancelRunning) == ("failed", true))
                let refused = try await cluster.baton("submit", "--cancel-running", "--", "true")
                #expect(refused.status == 64 && refused.errors.contains("--max-failures"))
                let graph = "{ cancelRunning: true, operations: [{ command: 'true' }] }"
                let file = try cluster.write(graph, to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
            }
        }
    }
}
