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
                          { name: "gives up", command: "test $BATON_ATTEMPT = 1 || exit 100; exit 1", retries: 9,
                            retryDelay: "1ms", retryOn: [1, 100], finalStatus: 100 },
                          { name: "alert", command: "true", onFailure: ["gives up"] },
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
    }
}
