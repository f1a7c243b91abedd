import Foundation
import Testing

extension EndToEndTests {
    @Suite("Runs in an open job", .timeLimit(.minutes(60)))
    struct RunJobTests {
        @Test("The command run --job adds to an open job, prints the output, and exits with the command's status")
        func added() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open", "--name", "build").line
                let first = try await cluster.baton(
                    "run",
                    "--job",
                    "build",
                    "--name",
                    "one",
                    "--",
                    "sh",
                    "-c",
                    "echo out; echo error >&2; exit 3"
                )
                #expect((first.status, first.output, first.errors) == (3, "out\n", "error\n"), "\(first)")
                let second = try await cluster.baton("run", "--job", job, "--needs", "\(job)/0", "--", "true")
                #expect(second.status == 125 && second.errors.contains("Operation \(job)/1: "), "\(second)")
                #expect(try await cluster.baton("run", "--job", job, "--", "echo", "last").output == "last\n")
                let document = try await cluster.show(job)
                #expect(document.open == true && document.name == "build" && document.counts.succeeded == 1)
                #expect(document.operations.elements.map(\.name) == ["one", .null, .null])
                #expect(try await cluster.baton("close", job).status == 0)
                #expect(try await cluster.wait(job) == 1)
                let late = try await cluster.baton("run", "--job", job, "--", "true")
                #expect(late.status == 65 && late.errors.contains("Job \(job) is finished"), "\(late)")
                #expect(try await cluster.baton("run", "--job", "77", "--", "true").status == 66)
                #expect(try await cluster.json("list").jobs.elements.count == 1)
            }
        }

        @Test("The variable BATON_RUN_JOB puts the single commands below it into one job, and nothing else")
        func variable() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open").line
                let run = "\(TestCluster.baton) run"
                try cluster.write(
                    "\(run) -- echo one; \(run) --env-all -- sh -c 'echo ${BATON_RUN_JOB-unset}'",
                    to: "tree"
                )
                let script = try cluster.start(
                    script: """
                        export BATON_RUN_JOB=\(job)
                        sh tree
                        \(run) --array 1-2 -- true
                        \(run) --tag a=1 -- true; echo $?
                        BATON_RUN_JOB=1/2 \(run) -- true; echo $?
                        BATON_RUN_JOB=garbage \(run) -- true; echo $?
                        BATON_RUN_JOB=garbage \(TestCluster.baton) make-shell -c true; echo $?
                        """
                )
                #expect(try await script.end() == 0)
                #expect(script.outputText == "one\nunset\n64\n64\n66\n66\n", "\(script.errorText)")
                let named = script.errorText.components(separatedBy: "The environment names it with BATON_RUN_JOB")
                #expect(named.count == 3, "\(script.errorText)")
                #expect(script.errorText.contains("--tag is for new jobs: give it without BATON_RUN_JOB."))
                #expect(script.errorText.contains("BATON_RUN_JOB is \"1/2\", which names no job."))
                #expect(try await cluster.baton("close", job).status == 0)
                #expect(try await cluster.wait(job) == 0)
                let jobs = try await cluster.json("list").jobs.elements
                #expect(jobs.map(\.counts.succeeded) == [2, 2])
            }
        }

        @Test("A run --job that gets SIGINT cancels its operation alone, and leaves the job open")
        func interrupted() async throws {
            try await withCluster(slots: 2) { cluster in
                let (gate, other) = (try cluster.gate(), try cluster.gate())
                let job = try await cluster.baton("submit", "--open", "--", "sh", "-c", other.wait).line
                let run = try cluster.start("run", "--job", job, "--", "sh", "-c", gate.wait)
                try await other.arrival()
                try await gate.arrival()
                run.signal(SIGINT)
                #expect(try await run.end() == 130)
                #expect(run.endingSignal == SIGINT)
                // Before it, if the operation ran before the answer to its submission came: that it will be cancelled.
                let sentence = "Cancelling operation \(job)/1. Interrupt again to leave at once.\n"
                #expect(run.errorText.hasSuffix(sentence), "\(run.errorText)")
                let document = try await cluster.show(job)
                #expect(document.open == true && document.operations.elements[1].outcome == "cancelled")
                #expect(document.operations.elements[0].state == "executing")
                try await other.open()
                #expect(try await cluster.baton("close", job).status == 0)
                #expect(try await cluster.wait(job) == 1)
            }
        }

        @Test(
            "A run --job that hangs up leaves its operation running, and says how to come back",
            arguments: [false, true]
        )
        func left(isJSON: Bool) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.baton("submit", "--open").line
                let run = try cluster.start(
                    ["run", "--job", job] + (isJSON ? ["--json"] : []) + ["--", "sh", "-c", gate.wait]
                )
                try await gate.arrival()
                run.signal(SIGHUP)
                #expect(try await run.end() == 128 + SIGHUP)
                if isJSON {
                    #expect(run.outputText.hasSuffix("{\"job\":1,\"operation\":\"1/0\",\"detached\":true}\n"))
                } else {
                    #expect(run.errorText == "Operation 1/0 continues. Come back with \"baton log -f 1/0\".\n")
                }
                try await gate.open()
                #expect(try await cluster.wait("1/0") == 0)
                #expect(try await cluster.baton("close", job).status == 0)
            }
        }

        @Test("A run --job is refused with what it cannot run in an open job, and nothing is added")
        func refused() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open").line
                try cluster.write("{ operations: [{ command: 'true' }] }", to: "graph.json5")
                for (wrong, words) in [
                    (["--array", "1-3", "--", "true"], "submit --job"), (["--file", "graph.json5"], "submit --job"),
                    (["--local", "--", "true"], "--local"), (["--tag", "a=1", "--", "true"], "--tag"),
                    (["--max-failures", "2", "--", "true"], "--max-failures"),
                ] {
                    let result = try await cluster.baton(["run", "--job", job] + wrong)
                    #expect(result.status == 64 && result.errors.contains(words), "\(wrong): \(result)")
                }
                #expect(try await cluster.show(job).counts.succeeded == 0)
                #expect(try await cluster.baton("cancel", job).status == 0)
            }
        }
    }
}
