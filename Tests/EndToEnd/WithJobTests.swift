import Foundation
import Testing

extension EndToEndTests {
    @Suite("Commands whose runs are one job", .timeLimit(.minutes(60)))
    struct WithJobTests {
        @Test(
            "The command with-job makes one job of all runs below, prints its summary, and exits with the command's status"
        )
        func build() async throws {
            try await withCluster { cluster in
                let run = "\(TestCluster.baton) run --"
                try cluster.write("echo here; \(run) echo one; sh -c \"$1\"; exit 3", to: "script")
                let command = ["sh", "script", "\(run) echo two"]
                let result = try await cluster.baton(["with-job", "--tag", "a=1", "build", "--"] + command)
                #expect((result.status, result.output) == (3, "here\none\ntwo\n"), "\(result)")
                #expect(result.errors.contains("1 (build)"), "\(result)")
                #expect(result.errors.contains("succeeded, 2 operations"), "\(result)")
                let jobs = try await cluster.json("list", "--tag", "a=1").jobs.elements
                #expect(jobs.count == 1 && jobs[0].outcome == "succeeded" && jobs[0].open == false, "\(jobs)")
                let quiet = try await cluster.baton(
                    "with-job",
                    "--quiet",
                    "other",
                    "--",
                    "sh",
                    "-c",
                    "echo $BATON_RUN_JOB"
                )
                #expect((quiet.status, quiet.output, quiet.errors) == (0, "2\n", ""), "\(quiet)")
                let document = try await cluster.baton("with-job", "--json", "third", "--", "echo", "text")
                #expect(document.output == "text\n")
                #expect(try JSONValue(parsing: document.errors).job == 3)
            }
        }

        @Test("The command with-job reaches its job's coordinator below with the options that it was given itself")
        func coordinator() async throws {
            try await withCluster { cluster in
                let script = try cluster.start(
                    script: """
                        address=$BATON_COORDINATOR; home=$BATON_HOME; unset BATON_COORDINATOR BATON_HOME
                        \(TestCluster.baton) --coordinator "$address" --home "$home" with-job build -- \\
                          \(TestCluster.baton) run -- echo one
                        """
                )
                #expect(try await script.end() == 0)
                #expect(script.outputText == "one\n", "\(script.errorText)")
                #expect(try await cluster.show("1").counts.succeeded == 1)
            }
        }

        @Test("The command with-job ends as its command does, and closes the job", arguments: [SIGTERM, SIGINT])
        func signals(_ signal: Int32) async throws {
            try await withCluster { cluster in
                let killed = try cluster.start("with-job", "one", "--", "sh", "-c", "kill -\(signal) $$")
                #expect(try await killed.end() == 128 + signal)
                #expect(killed.endingSignal == signal)
                #expect(try await cluster.show("1").open == false)
            }
        }

        @Test("The command with-job passes SIGTERM on, and leaves Ctrl-C to the command")
        func passedSignals() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                // A program in the background would outlive the shell, which is sent the signal alone.
                let script = "trap 'exit 4' TERM; \(gate.checkIn); while :; do :; done"
                let build = try cluster.start("with-job", "build", "--", "sh", "-c", script)
                try await gate.open()
                build.signal(SIGINT)
                build.signal(SIGTERM)
                #expect(try await build.end() == 4)
                #expect(try await cluster.show("1").open == false)
            }
        }

        // As timeout(1) sends two: to its child, and to the process group.
        @Test("A second signal ends with-job before its command, and cancels the job")
        func twoSignals() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let script = "trap '' TERM HUP; \(TestCluster.baton) run -- sh -c \"$1\"; :"
                let build = try cluster.start("with-job", "build", "--", "sh", "-c", script, "sh", gate.wait)
                try await gate.arrival()
                // Two of the same number can become one.
                build.signal(SIGTERM)
                build.signal(SIGHUP)
                _ = try await build.end()
                #expect(build.endingSignal == SIGTERM || build.endingSignal == SIGHUP, "\(build.errorText)")
                #expect(try await cluster.show("1").open == false)
                #expect(try await cluster.show("1/0").outcome == "cancelled")
            }
        }

        @Test("A command that cannot be started ends with-job with 125, and the job is closed")
        func missing() async throws {
            try await withCluster { cluster in
                let result = try await cluster.baton("with-job", "build", "--", "/no/such/program")
                #expect(result.status == 125, "\(result)")
                #expect(result.errors.contains("/no/such/program: No such file or directory"), "\(result)")
                #expect(try await cluster.show("1").open == false)
                for wrong in [["build"], ["--", "true"], ["1", "--", "true"], ["--tag", "a", "build", "--", "true"]] {
                    #expect(try await cluster.baton(["with-job"] + wrong).status == 64, "\(wrong)")
                }
            }
        }
    }
}
