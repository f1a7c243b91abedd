@_spi(Baton) import BatonOperations
import Testing

extension EndToEndTests {
    @Suite("Failures", .timeLimit(.minutes(60)))
    struct FailureTests {
        @Test("Each attempt of a retried operation has its own number and output, until an attempt succeeds")
        func retries() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    script: "echo attempt $BATON_ATTEMPT; test $BATON_ATTEMPT = 3",
                    "--retries",
                    "5",
                    "--retry-delay",
                    "1ms"
                )
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect(operation.outcome == "succeeded")
                #expect(operation.attempt == 3)
                #expect(try await cluster.baton("log", job).output == "attempt 3\n")
                #expect(try await cluster.baton("log", job, "--attempt", "1").output == "attempt 1\n")
                #expect(try await cluster.baton("log", job, "--attempt", "2").output == "attempt 2\n")
                let none = try await cluster.baton("log", job, "--attempt", "4")
                #expect(none.status == 66, "\(none)")
            }
        }

        @Test("ST8 An operation that overruns its timeout fails, and all its processes are ended")
        func timeout() async throws {
            try await withCluster { cluster in
                var (seconds, child) = (1, "")
                // On a busy machine, the time may pass before the shell has started its child.
                while child.isEmpty {
                    let job = try await cluster.submit(
                        script: "sleep 1000 & echo $!; trap '' TERM; wait; sleep 1000",
                        "--timeout",
                        "\(seconds)s",
                        "--grace",
                        "50ms"
                    )
                    #expect(try await cluster.wait(job) == 1)
                    let operation = try await cluster.show("\(job)/0")
                    #expect((operation.outcome, operation.reason) == ("failed", "timeout"))
                    let time = Duration.seconds(seconds).text
                    #expect(operation.message.string == "It ran longer than its timeout of \(time).")
                    child = try await cluster.baton("log", job).line
                    seconds *= 2
                }
                #expect(Int(child) != nil)
                #expect(!isAlive(child))
            }
        }

        @Test(
            "D9 A missing program or directory makes the operation fail with the system's reason",
            arguments: [
                (["--", "/no/such/program"], "Cannot run \"/no/such/program\": No such file or directory."),
                (["--", "no-such-program-in-path"], "Cannot run \"no-such-program-in-path\": no such file in PATH."),
                (["--", "/etc/passwd"], "Cannot run \"/etc/passwd\": Permission denied."),
                (
                    ["--cwd", "/no/such", "--", "true"],
                    "Cannot enter directory \"/no/such\": No such file or directory."
                ),
                (["--stdin", "/no/such", "--", "true"], "\"/no/such\": No such file or directory."),
            ]
        )
        func launch(_ arguments: [String], _ sentence: String) async throws {
            try await withCluster { cluster in
                let submission = try await cluster.baton(["submit"] + arguments)
                #expect(submission.output == "1\n")
                #expect(try await cluster.wait("1") == 1)
                let operation = try await cluster.show("1/0")
                #expect((operation.outcome, operation.reason) == ("failed", "launch"))
                #expect(operation.exitStatus == nil)
                #expect(operation.message.string.hasSuffix(sentence), "\(operation.message)")
            }
        }
    }
}
