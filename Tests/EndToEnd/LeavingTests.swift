import Foundation
import Testing

extension EndToEndTests {
    @Suite("Leaving a job and coming back", .timeLimit(.minutes(60)))
    struct LeavingTests {
        @Test(
            "A run that hangs up or gets SIGQUIT leaves its job running, and says how to come back",
            arguments: [SIGHUP, SIGQUIT],
            [[], ["--array", "1-1"], ["--json"]]
        )
        func signals(_ signal: Int32, _ options: [String]) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start(["run"] + options + ["--", "sh", "-c", gate.wait])
                try await gate.arrival()
                run.signal(signal)
                #expect(try await run.end() == 128 + signal)
                if options == ["--json"] {
                    #expect(run.outputText.hasSuffix("{\"job\":1,\"detached\":true}\n"))
                } else {
                    #expect(run.errorText == "Job 1 continues. Come back with \"baton attach 1\".\n")
                }
                #expect(try await cluster.show("1/0").state == "executing")
                try await gate.open()
                #expect(try await cluster.wait("1") == 0)
            }
        }

        @Test("A run under nohup does not notice that its terminal hangs up")
        func ignoredHangUp() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                try cluster.write(gate.wait + "; exit 3", to: "operation")
                let run = try cluster.start(
                    script: "trap '' HUP; exec \(TestCluster.baton) run --home \"$BATON_HOME\" -- sh operation"
                )
                try await gate.arrival()
                run.signal(SIGHUP)
                try await gate.open()
                #expect(try await run.end() == 3)
                #expect(run.errorText == "")
            }
        }

        @Test("A run whose output nobody reads any more leaves its job running")
        func closedPipe() async throws {
            try await withCluster { cluster in
                let (reader, first, second) = (try cluster.gate(), try cluster.gate(), try cluster.gate())
                try cluster.write("echo one; \(first.wait); echo two; \(second.wait)", to: "operation")
                let script = try cluster.start(
                    script: """
                        { \(TestCluster.baton) run -- sh operation; echo $? > status; } |
                          { read line; exec 0<&-; echo "read $line"; \(reader.checkIn); }
                        """
                )
                try await reader.open()
                try await first.open()
                try await script.end()
                #expect(script.outputText == "read one\n")
                #expect(script.errorText == "Job 1 continues. Come back with \"baton attach 1\".\n")
                #expect(cluster.read("status") == "141\n")
                #expect(try await cluster.show("1/0").state == "executing")
                try await second.open()
                #expect(try await cluster.wait("1") == 0)
            }
        }

        // A program that is not full-screen takes no keys: ompi 466, sapling 429, copilot-cli 3464.
        @Test(
            "What is typed while run and attach show a job is left for the program after them, and the job goes on",
            arguments: ["run --", "run --array 1-1 --", "run --local --", "attach last --from-start"]
        )
        func typed(_ arguments: String) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                try cluster.write("echo hello; \(gate.wait); exit 4", to: "operation")
                let isAttachment = arguments.hasPrefix("attach")
                if isAttachment { _ = try await cluster.submit("--", "sh", "operation") }
                let command = isAttachment ? arguments : "\(arguments) sh operation"
                try cluster.write(
                    "\(TestCluster.baton) \(command); read first; read second; echo \"left $first and $second\"",
                    to: "terminal"
                )
                let keyboard = try Keyboard(of: cluster)
                let terminal = try cluster.startOnTerminal(command: ["sh", "terminal"], input: keyboard.path)
                // By then, the command shows the job.
                try await terminal.output(containing: arguments.contains("--array") ? "1 executing" : "hello")
                try keyboard.press("cd data\nmake d\n")
                try await gate.open()
                #expect(try await terminal.end() == 0)
                #expect(terminal.outputText.contains("left cd data and make d"), "\(terminal.outputText)")
                #expect(!terminal.outputText.contains("continues"), "\(terminal.outputText)")
            }
        }

        @Test("Ctrl-\\ on a terminal leaves the job running", arguments: [false, true])
        func key(_ isArray: Bool) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let keyboard = try Keyboard(of: cluster)
                let options = isArray ? ["--array", "1-1"] : []
                let run = try cluster.startOnTerminal(
                    ["run"] + options + ["--", "sh", "-c", "echo hello; \(gate.wait)"],
                    input: keyboard.path
                )
                // By then, the command handles signals.
                try await run.output(containing: isArray ? "1 executing" : "hello")
                try keyboard.press("\u{1c}")
                #expect(try await run.end() == 131)
                #expect(run.outputText.contains("Job 1 continues. Come back with \"baton attach 1\"."))
                #expect(try await cluster.show("1/0").state == "executing")
                try await gate.open()
                #expect(try await cluster.wait("1") == 0)
            }
        }

        @Test("A hang-up and Ctrl-\\ end a local run and its cluster", arguments: [SIGHUP, SIGQUIT])
        func local(_ signal: Int32) async throws {
            try await withCluster(workers: nil) { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start("run", "--local", "--", "sh", "-c", gate.wait)
                try await gate.arrival()
                run.signal(signal)
                #expect(try await run.end() == 128 + signal)
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("Ctrl-\\ on a terminal ends a local run, whose report names no command for a cluster that is gone")
        func localKey() async throws {
            try await withCluster(workers: nil) { cluster in
                let gate = try cluster.gate()
                let keyboard = try Keyboard(of: cluster)
                let script = "[ {} = 3 ] || exit 4; \(gate.wait)"
                let run = try cluster.startOnTerminal(
                    ["run", "--local", "--array", "1-3", "--", "sh", "-c", script],
                    input: keyboard.path
                )
                try await run.output(containing: "2 failed")
                try await gate.arrival()
                try keyboard.press("\u{1c}")
                #expect(try await run.end() == 131)
                #expect(run.outputText.contains("2 operations exited with status 4"), "\(run.outputText)")
                #expect(!run.outputText.contains("baton failures"))
            }
        }

        @Test("A second Ctrl-C ends a local run without a word about the cluster that ends with it")
        func localTwice() async throws {
            try await withCluster(workers: nil) { cluster in
                let gate = try cluster.gate()
                let keyboard = try Keyboard(of: cluster)
                let script = "trap '' TERM INT; \(gate.wait)"
                let run = try cluster.startOnTerminal(
                    ["run", "--local", "--", "bash", "-c", script],
                    input: keyboard.path
                )
                try await gate.arrival()
                try keyboard.press("\u{3}")
                try await run.output(containing: "Interrupt again")
                try keyboard.press("\u{3}")
                #expect(try await run.end() == 130)
                #expect(!run.outputText.contains("coordinator"), "\(run.outputText)")
            }
        }

        @Test("Ctrl-\\ ends a command that shows nothing of its own to leave")
        func quit() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--hold", "--", "true")
                let waiting = try cluster.startOnTerminal(["wait", job])
                try await waiting.output(containing: "0/1")
                let process = ProcessesOfTest.all(of: cluster.home.path).first {
                    $0.command.hasPrefix(TestCluster.program) && $0.command.contains(" wait")
                }
                kill(try #require(process).processID, SIGQUIT)
                #expect(try await waiting.end() == 131)
            }
        }

        @Test("An operation that attaches to its own job is told that this would wait for ever, and goes on")
        func attachToItself() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    script: "\(TestCluster.baton) attach $BATON_JOB; [ $? = 65 ] && echo survived"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", job).output == "survived\n")
                let errors = try await cluster.baton("log", "--stderr", job).output
                #expect(errors.contains("would wait for ever") && !errors.contains("ancel"), "\(errors)")
            }
        }

        @Test("An attachment that may not cancel says so")
        func attachAsViewer() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit("--array", "1-2", "--", "sh", "-c", gate.wait)
                try await gate.arrival()
                let key = try await cluster.authorize("wall", as: "viewer")
                let attached = try cluster.startOnTerminal(
                    command: ["env", "BATON_KEY=\(key)", TestCluster.program, "attach", job],
                    input: "/dev/null"
                )
                try await attached.output(containing: "1 executing")
                let process = ProcessesOfTest.all(of: cluster.home.path).first {
                    $0.command.hasPrefix(TestCluster.program) && $0.command.contains(" attach")
                }
                kill(try #require(process).processID, SIGINT)
                let status = try await attached.end()
                #expect(status == 77)
                #expect(
                    attached.outputText.contains("The key wall is a viewer's, and may not cancel operations."),
                    "\(attached.outputText)"
                )
                #expect(try await cluster.show("\(job)/1").cancelled == false)
            }
        }

        @Test("A run in the background of a script, which ignores the keys of the terminal, does not end by them")
        func ignored() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start(
                    script: "trap '' INT QUIT; exec \(TestCluster.baton) run -- sh -c \"\(gate.wait)\""
                )
                try await gate.arrival()
                run.signal(SIGINT)
                run.signal(SIGQUIT)
                try await gate.open()
                #expect(try await run.end() == 0)
            }
        }

        @Test("A submission whose number cannot be printed is told on standard error", arguments: [false, true])
        func unprinted(_ isJSON: Bool) async throws {
            try await withCluster { cluster in
                let json = isJSON ? "--json" : ""
                let submitting = try cluster.start(
                    script: "\(TestCluster.baton) submit \(json) -- true > /dev/full"
                )
                #expect(try await submitting.end() == 70)
                #expect(submitting.errorText.contains("The submission was accepted: it is job 1."))
                #expect(try await cluster.wait("1") == 0)
            }
        }

        @Test("An attachment prints what comes from then on, or everything, and exits as the run does")
        func attach() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let stop = cluster.home.appending(path: "stop").path
                try cluster.write(
                    "echo first; \(gate.checkIn); while [ ! -e '\(stop)' ]; do echo tick; sleep 0.02; done; exit 7",
                    to: "operation"
                )
                let job = try await cluster.submit("--name", "ticking", "--", "sh", "operation")
                try await gate.open()
                let late = try cluster.start("attach", "last")
                try await late.output(containing: "tick")
                let full = try cluster.start("attach", "ticking", "--from-start")
                try await full.output(containing: "tick")
                let left = try cluster.start("attach", job)
                try await left.output(containing: "tick")
                left.signal(SIGQUIT)
                #expect(try await left.end() == 131)
                #expect(left.errorText == "Job \(job) continues. Come back with \"baton attach \(job)\".\n")
                try cluster.write("", to: "stop")
                #expect(try await late.end() == 7)
                #expect(try await full.end() == 7)
                #expect(full.outputText == (try await cluster.baton("log", job)).output)
                #expect(!late.outputText.contains("first") && full.outputText.hasSuffix(late.outputText))
            }
        }

        @Test(
            "An attachment to a job of several operations shows its failures, and the interrupt of one cancels the job"
        )
        func attachToArray() async throws {
            try await withCluster(slots: 3) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    "--array",
                    "1-2",
                    "--",
                    "sh",
                    "-c",
                    "[ {} = 2 ] || exit 5; trap 'exit 0' TERM; \(gate.checkIn); \(Gate.awaitSignal)"
                )
                try await gate.open()
                let keyboard = try Keyboard(of: cluster)
                let attached = try cluster.startOnTerminal(["attach", job], input: keyboard.path)
                let other = try cluster.start("attach", job)
                // By then, the command handles signals.
                try await attached.output(containing: "1 executing")
                try keyboard.press("\u{3}")
                #expect(try await attached.end() == 130)
                // The note takes the place of the progress.
                let note = "\r\u{1B}[KCancelling job \(job). Interrupt again to leave at once."
                #expect(attached.outputText.contains(note))
                #expect(try await other.end() == 1)
                #expect(other.errorText.contains("\(job)/0 (item 1): It exited with status 5."), "\(other.errorText)")
                #expect(try await cluster.outcomes(of: job) == ["failed", "cancelled"])
            }
        }

        @Test("An attachment to a finished job says so, and one to no job is refused")
        func attachToFinished() async throws {
            try await withCluster { cluster in
                #expect(try await cluster.baton("attach", "last").status == 66)
                #expect(try await cluster.baton("attach", "7").status == 66)
                let job = try await cluster.submit(script: "echo out; exit 4")
                #expect(try await cluster.wait(job) == 1)
                let late = try await cluster.baton("attach", job)
                #expect(late.status == 4 && late.output == "", "\(late)")
                #expect(late.errors == "Job 1 is finished. \"baton log 1/0\" prints its output.\n")
                let full = try await cluster.baton("attach", job, "--from-start")
                #expect(full.status == 4 && full.output == "out\n" && full.errors == "", "\(full)")
            }
        }
    }
}
