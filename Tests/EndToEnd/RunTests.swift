@_spi(Baton) import BatonProcesses
import Foundation
import Testing

extension EndToEndTests {
    @Suite("Runs in the foreground", .timeLimit(.minutes(60)))
    struct RunTests {
        @Test("The control characters of a command do not reach the terminal in what run, attach and explain say")
        func controlCharacters() async throws {
            try await withCluster { cluster in
                let command = "no\u{1B}[31m"
                for arguments in [
                    ["run", "--", command], ["attach", "1"], ["explain", "1/0"], ["run", "--file", command],
                ] {
                    let result = try await cluster.baton(arguments)
                    let text = result.output + result.errors
                    #expect(text.contains("no [31m") && !text.contains("\u{1B}"), "\(arguments): \(result)")
                }
            }
        }

        @Test("A quiet run says why its command could not run or was ended, and nothing of the command's own status")
        func quietFailures() async throws {
            try await withCluster { cluster in
                let cases: [([String], Int32, String)] = [
                    (["--", "true"], 0, ""), (["--", "sh", "-c", "exit 3"], 3, ""),
                    (["--", "/no/such/program"], 125, "Cannot run \"/no/such/program\": No such file or directory."),
                    (["--timeout", "200ms", "--", "sleep", "1000"], 124, "It ran longer than its timeout of 200ms."),
                ]
                for (arguments, status, sentence) in cases {
                    let run = try await cluster.baton(["run", "--quiet"] + arguments)
                    #expect(run.status == status && run.output.isEmpty, "\(run)")
                    #expect(sentence.isEmpty ? run.errors.isEmpty : run.errors.contains(sentence), "\(run)")
                }
            }
        }

        @Test("The command run prints both streams as they come, and exits with the command's status")
        func output() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start(
                    "run",
                    "--",
                    "sh",
                    "-c",
                    "echo out; echo error >&2; \(gate.wait); echo last; exit 3"
                )
                try await run.output(containing: "out")
                try await run.error(containing: "error")
                try await gate.open()
                #expect(try await run.end() == 3)
                #expect(run.outputText == "out\nlast\n")
                #expect(run.errorText == "error\n")
                let operation = try await cluster.show("1/0")
                #expect((operation.outcome, operation.exitStatus) == ("failed", 3))
            }
        }

        @Test(
            "The command run exits with a status that tells a signal, a timeout and a failed start apart",
            arguments: [
                (["--", "true"], 0, ""),
                (["--", "sh", "-c", "kill -9 $$"], 137, ""),
                (
                    ["--timeout", "200ms", "--", "sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"], 124,
                    "It ran longer than its timeout of 200ms."
                ),
                (["--", "/no/such/program"], 125, "Cannot run \"/no/such/program\": No such file or directory."),
                (
                    ["--cwd", "/no/such", "--", "true"], 125,
                    "Cannot enter directory \"/no/such\": No such file or directory. The program, its directory (--cwd) and its "
                        + "files have to be on the host of its worker w1."
                ),
                (["--array", "1-3", "--", "sh", "-c", "exit {}"], 1, "1/2 (item 3): It exited with status 3."),
                (["--array", "1-3", "--", "true"], 0, ""),
            ] as [([String], Int32, String)]
        )
        func status(_ arguments: [String], _ status: Int32, _ sentence: String) async throws {
            try await withCluster { cluster in
                let result = try await cluster.baton(["run"] + arguments)
                #expect(result.status == status, "\(result)")
                #expect(sentence.isEmpty ? result.errors.isEmpty : result.errors.contains(sentence), "\(result)")
                #expect(result.output == "")
            }
        }

        @Test("The command run exits with 143 for a cancelled operation, whatever its command returns")
        func cancelled() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start(
                    "run",
                    "--",
                    "sh",
                    "-c",
                    "trap 'exit 0' TERM; \(gate.checkIn); \(Gate.awaitSignal)"
                )
                try await gate.open()
                try await cluster.change("cancel", "1", count: 1)
                #expect(try await run.end() == 143)
                #expect(run.errorText.contains("cancel"))
            }
        }

        @Test("D10 The command run exits with 125 for a skipped operation, and with 0 if it was not needed")
        func skipped() async throws {
            try await withCluster { cluster in
                let good = try await cluster.submit("--", "true")
                let bad = try await cluster.submit("--", "false")
                #expect(try await cluster.wait(good, bad) == 1)
                #expect(try await cluster.baton("run", "--needs", bad, "--", "true").status == 125)
                let unneeded = try await cluster.baton("run", "--on-failure", good, "--", "true")
                #expect(unneeded.status == 0 && unneeded.errors.contains("It was not needed."), "\(unneeded)")
            }
        }

        @Test(
            "The command run prints the last lines of standard error of a graph's failed operations",
            arguments: [false, true]
        )
        func reasons(_ isLocal: Bool) async throws {
            try await withCluster(workers: isLocal ? nil : 1) { cluster in
                try cluster.write(
                    """
                    { operations: [
                      { name: "talks", command: "seq 1 30 >&2; echo out; exit 3" },
                      { name: "silent", command: "exit 4" }, { name: "good", command: "echo well >&2" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let result = try await cluster.baton(["run"] + (isLocal ? ["--local"] : []) + ["--file", "graph.json"])
                #expect(result.status == 1)
                let lines = result.errors.split(separator: "\n").map(String.init)
                let shown = (11...30).map { "    \($0)" }
                let expected =
                    ["1/0 (talks): It exited with status 3."] + shown + ["1/1 (silent): It exited with status 4."]
                #expect(lines.suffix(expected.count) == expected[...], "\(result)")
            }
        }

        // The private cluster was two workers that shared the host, so that an operation for all of it waited for ever.
        @Test("A local run has one worker with all that the host has, and refuses at once what asks for more")
        func wholeHost() async throws {
            try await withCluster(workers: nil) { cluster in
                let processors = AvailableProcessors().thousandths / 1_000
                let all = try await cluster.baton(
                    "run",
                    "--local",
                    "--cpus",
                    "\(max(1, processors))",
                    "--",
                    "sh",
                    "-c",
                    "echo here"
                )
                #expect(all.status == 0 && all.output.contains("here"), "\(all)")
                for (option, words) in [
                    ("--cpus=\(processors + 1)", "\(processors + 1) processors"), ("--memory=900T", "900T"),
                    ("--resource=gpu=1", "gpu"), ("--label=zone=a", "the label zone=a,"),
                ] {
                    let refused = try await cluster.baton("run", "--local", option, "--", "true")
                    #expect(refused.status == 65 && refused.errors.contains("can never run here"), "\(refused)")
                    #expect(refused.errors.contains(words), "\(refused)")
                }
            }
        }

        // It waited for ever, with the advice to change a queue that nobody reaches.
        @Test("A local run refuses a queue that starts nothing, and runs beside one that nothing uses")
        func stoppedQueue() async throws {
            try await withCluster(workers: nil) { cluster in
                let graph = { (queue: String) in
                    "{ queues: { q0: { maxConcurrent: 0 } }, operations: [{ name: 'a', command: 'true', queue: '\(queue)' }] }"
                }
                try cluster.write(graph("q0"), to: "graph.json5")
                let refused = try await cluster.baton("run", "--local", "--file", "graph.json5")
                let reason = "a can never run here: its queue q0 has a limit of 0"
                #expect(refused.status == 65 && refused.errors.contains(reason), "\(refused)")
                try cluster.write(graph("other"), to: "graph.json5")
                let run = try await cluster.baton("run", "--local", "--file", "graph.json5")
                #expect(run.status == 0, "\(run)")
            }
        }

        // A shell's loop goes on with its next command after an exit with 130 (fd 854, rmlint 342, ninja 2681).
        @Test("A run that gets SIGINT cancels its operation, waits for its end and dies of SIGINT")
        func interrupt() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start(
                    "run",
                    "--",
                    "sh",
                    "-c",
                    "trap 'echo bye; \(cluster.note("bye")); exit' TERM; echo hello; \(gate.checkIn); \(Gate.awaitSignal)"
                )
                try await gate.arrival()
                run.signal(SIGINT)
                #expect(try await run.end() == 130)
                #expect(run.endingSignal == SIGINT)
                #expect(cluster.notes == ["bye"])
                #expect(run.outputText == "hello\nbye\n")
                let operation = try await cluster.show("1/0")
                #expect((operation.state, operation.cancelled) == ("finished", true))
            }
        }

        @Test(
            "SU3 A run in a suspended queue that gets SIGINT cancels its operations and does not wait for their end",
            arguments: [["--", "true"], ["--array", "1-3", "--", "true"]]
        )
        func interruptSuspended(_ arguments: [String]) async throws {
            try await withCluster { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let watcher = try cluster.watch()
                let run = try cluster.start(["run", "--queue", "q"] + arguments)
                _ = try await watcher.lines(to: "\"job\"")
                run.signal(SIGINT)
                #expect(try await run.end() == 130)
                #expect(run.endingSignal == SIGINT)
                let operations = try await cluster.show("1").operations.elements
                #expect(operations.allSatisfy { $0.cancelled == true && $0.state == "ready" })
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait("1") == 1)
                #expect(try await cluster.outcomes(of: "1").allSatisfy { $0 == "cancelled" })
            }
        }

        @Test("A command whose output nobody reads any more dies of SIGPIPE")
        func unread() async throws {
            try await withCluster(workers: 0) { cluster in
                let watch = try cluster.start(
                    script: "mkfifo pipe; (: < pipe) & exec '\(TestCluster.program)' watch --since 0 > pipe"
                )
                #expect(try await watch.end() == 128 + SIGPIPE)
                #expect(watch.endingSignal == SIGPIPE)
            }
        }

        // A read stopped the operation with SIGTTIN for ever, in silence: ninja 909, please 3440.
        @Test("D17 A command that wants the terminal of its worker fails at once, as in the background")
        func terminalOfWorker() async throws {
            try await withCluster(workers: nil) { cluster in
                for command in ["read x < /dev/tty", "stty -F /dev/tty -echo", "echo x > /dev/tty"] {
                    let run = try cluster.startOnTerminal(
                        ["run", "--local", "--timeout", "1h", "--", "sh", "-c", "\(command) || exit 9"]
                    )
                    let status = try await run.end()
                    #expect(status != 0 && status != 124, "\(command): \(status) \(run.outputText)")
                }
            }
        }

        @Test("A local run that gets SIGINT leaves neither processes nor files behind")
        func interruptLocal() async throws {
            try await withCluster(workers: nil) { cluster in
                let gate = try cluster.gate("held")
                try cluster.write("{ operations: [{ command: \"sleep 1000 & \(gate.wait)\" }] }", to: "graph.json")
                let run = try cluster.start("run", "--local", "--file", "graph.json")
                try await gate.arrival()
                run.signal(SIGINT)
                #expect(try await run.end() == 130)
                #expect(run.endingSignal == SIGINT)
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
                let left = try FileManager.default.contentsOfDirectory(atPath: cluster.home.path)
                #expect(Set(left) == ["graph.json", "gate-held"])
            }
        }
    }
}
