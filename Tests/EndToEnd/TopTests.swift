import Foundation
import Testing

extension EndToEndTests {
    @Suite("The live screen", .timeLimit(.minutes(60)))
    struct TopTests {
        /// Expects a frame that fits a terminal of 80 columns, without control characters.
        private func expectPlain(_ frame: String, sourceLocation: SourceLocation = #_sourceLocation) {
            for line in frame.split(separator: "\n") {
                #expect(line.count <= 80, "\(line)", sourceLocation: sourceLocation)
            }
            let controls = frame.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
            #expect(controls.isEmpty, sourceLocation: sourceLocation)
        }

        /// The last complete frame on a terminal.
        private static func lastFrame(in output: [UInt8]) -> String {
            let frames = String(decoding: output, as: UTF8.self).components(separatedBy: "\u{1B}[H")
            return frames.last { $0.contains("\u{1B}[J") } ?? ""
        }

        private static let entry = "\u{1B}[?1049h\u{1B}[?25l"
        private static let exit = "\u{1B}[?25h\u{1B}[?1049l"

        @Test("An empty cluster shows the two commands that start something, and --json the same figures")
        func empty() async throws {
            try await withCluster(workers: 0) { cluster in
                let frame = try await cluster.baton("top", "--once")
                #expect(frame.status == 0 && frame.errors == "", "\(frame)")
                expectPlain(frame.output)
                for text in ["baton top", "0 of 0 busy, 0 workers", "  baton worker ", "  baton run -- "] {
                    #expect(frame.output.contains(text), "\(frame)")
                }
                let document = try await cluster.json("top", "--once")
                #expect(document.workers == 0 && document.jobs.elements.isEmpty && document.recordFault == nil)
                let screen = try await cluster.baton("top")
                #expect(screen.status == 64 && screen.errors.contains("Use --once"), "\(screen)")
                try await cluster.startWorker("w1")
                let other = try await cluster.baton("top", "--once")
                #expect(other.output.contains("0 of 1 busy, 1 worker"), "\(other)")
                #expect(other.output.contains("No job is unfinished."), "\(other)")
            }
        }

        @Test("A frame has the jobs with their bars and failures, and what needs somebody, in 80 columns")
        func frame() async throws {
            try await withCluster(workers: 2) { cluster in
                let gate = try cluster.gate()
                let name = "a-study-with-a-name-that-is-much-longer-than-the-columns-of-a-terminal-are"
                let job = try await cluster.submit(
                    "--array",
                    "1-4",
                    "--name",
                    name,
                    "--",
                    "sh",
                    "-c",
                    "[ $BATON_INDEX = 1 ] && exit 3; [ $BATON_INDEX = 2 ] || exit 0; \(gate.wait)"
                )
                try await gate.arrival()
                #expect(try await cluster.wait("\(job)/0", "\(job)/2", "\(job)/3") == 1)
                try await cluster.change("queue", "set", "images", "--suspended", count: 1)
                let held = try await cluster.submit("--queue", "images", "--", "echo", "日本語日本語日本語日本語日本語日本語日本語")
                try await cluster.change("drain", "w2", count: 1)
                let frame = try await cluster.baton("top", "--once")
                #expect(frame.status == 0, "\(frame)")
                for text in [
                    "failed in the last hour 1", "1 of 2 busy", "[######> ]", " 3/4 ", "a-study",
                    "queue images is suspended, 1 waiting", "worker w2 is draining",
                ] {
                    #expect(frame.output.contains(text), "\(text) in \(frame)")
                }
                for line in frame.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
                let document = try await cluster.json("top", "--once")
                #expect(document.jobs.elements.map { "\($0.job.int)" } == [held, job])
                #expect(document.counts.failed == 1 && document.failedLastHour == 1 && document.finished == 3)
                #expect(document.troubledWorkers.elements.map(\.worker) == ["w2"])
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
            }
        }

        // A stopped process kept its slot in silence: ninja 909, please 3440.
        @Test(
            "D17 Show, explain and top say that an operation is stopped, by which signal and since when, until it goes on"
        )
        func stopped() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    "--array",
                    "1-2",
                    "--",
                    "sh",
                    "-c",
                    "[ $BATON_INDEX = 2 ] || { echo $$ > pid; kill -STOP $$; kill -TSTP $$; }"
                )
                let top = try cluster.startOnTerminal(["top"])
                func proceeds(from signal: String) async throws {
                    let words = "is stopped by \(signal) since 20"
                    try await top.output { Self.lastFrame(in: $0).contains("operation \(job)/0 on w1 \(words)") }
                    let show = try await cluster.baton("show", "\(job)/0")
                    #expect(show.output.contains("stopped:   by \(signal) since 20"), "\(show)")
                    let list = try await cluster.json("show", job).operations.elements
                    #expect(list.first?.stop.name == "\(signal)" && list.count == 2, "\(list)")
                    let whole = try await cluster.baton("explain", job)
                    #expect(whole.output.contains("- operation \(job)/0 on w1 \(words)"), "\(whole)")
                    let explanation = try await cluster.baton("explain", "\(job)/0")
                    #expect(explanation.output.contains("\(signal) has stopped its process"), "\(explanation)")
                    let pid = try #require(Int32(cluster.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
                    kill(pid, SIGCONT)
                }
                try await proceeds(from: "SIGSTOP")
                try await proceeds(from: "SIGTSTP")
                #expect(try await cluster.wait(job) == 0)
                let end = try await cluster.json("show", "\(job)/0")
                #expect(end.stop == nil, "\(end)")
                try await top.output { Self.lastFrame(in: $0).contains("No job is unfinished.") }
                top.signal(SIGTERM)
                _ = try await top.end()
            }
        }

        // Only the command's first process was looked at.
        @Test(
            "D17 An operation is shown as stopped while any process of its group is",
            arguments: [
                ("sh -c 'echo $$ > pid; kill -STOP $$' | cat; true", "SIGSTOP"),
                ("sh -c 'echo $$ > pid; kill -TTIN $$' & wait", "SIGTTIN"),
                ("(sh -c 'echo $$ > pid; kill -STOP $$; : > go' &); until [ -e go ]; do sleep 0.05; done", "SIGSTOP"),
            ]
        )
        func stoppedMember(_ script: String, _ signal: String) async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(script: script)
                let words = "stopped:   by \(signal) since 20"
                while try await !cluster.baton("show", "\(job)/0").output.contains(words) {}
                let pid = try #require(Int32(cluster.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
                kill(pid, SIGCONT)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").stop == nil)
            }
        }

        @Test("D17 A completion hook is shown as stopped while any process of its group is")
        func stoppedHook() async throws {
            try await withCluster { cluster in
                let command = "sh -c 'echo $$ > pid; kill -STOP $$'; true"
                let job = try await cluster.submit("--on-finish", command, "--", "true")
                while try await !cluster.baton("show", "\(job)/0").output.contains("stopped by SIGSTOP since 20") {}
                #expect(try await cluster.show("\(job)/0").hook.stop.signal == .number(Double(SIGSTOP)))
                let worker = try await cluster.show("\(job)/0").hook.worker.string
                let line = "the hook of \(job)/0 on \(worker) is stopped by SIGSTOP since"
                #expect(try await cluster.baton("top", "--once").output.contains(line))
                let explanation = try await cluster.baton("explain", "\(job)/0").output
                #expect(explanation.contains("Its completion hook on \(worker) is stopped by SIGSTOP since"))
                let pid = try #require(Int32(cluster.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
                kill(pid, SIGCONT)
                while try await cluster.show("\(job)/0").hook.state != "succeeded" {}
                #expect(try await cluster.show("\(job)/0").hook.stop == nil)
            }
        }

        @Test("D17 A finished job says which of its completion hooks are stopped")
        func stoppedHooksOfJob() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--array", "1-2", "--on-finish", "kill -STOP $$; true", "--", "true")
                let line = "is stopped by SIGSTOP since"
                while try await !cluster.baton("explain", job).output.contains(line) {}
                #expect(try await cluster.baton("explain", job).output.contains("- the hook of \(job)/"))
                #expect(try await cluster.baton("cancel", job).status == 0)
            }
        }

        @Test("On a terminal, the arrows choose a job, Enter shows it with its failures, and q gives the terminal back")
        func keys() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { name: "study", operations: [
                          { name: "bad", command: "echo broken >&2; exit 3" },
                          { name: "good", command: "\(gate.wait)", after: ["bad"] },
                        ] }
                        """
                )
                try await gate.arrival()
                let other = try await cluster.submit("--hold", "--name", "other", "--", "true")
                let keyboard = try Keyboard(of: cluster)
                let top = try cluster.startOnTerminal(["top"], input: keyboard.path)
                try await top.output { Self.lastFrame(in: $0).contains(">    \(other)  other") }
                #expect(top.outputText.contains(Self.entry))
                try keyboard.press("\u{1B}[B")
                try await top.output { Self.lastFrame(in: $0).contains(">    \(job)  study") }
                try keyboard.press("\r")
                try await top.output { Self.lastFrame(in: $0).contains("Job \(job) (study) executing") }
                try await top.output { Self.lastFrame(in: $0).contains("broken") }
                try keyboard.press("\u{1B}")
                try await top.output { Self.lastFrame(in: $0).contains("arrows choose a job") }
                try keyboard.press("q")
                #expect(try await top.end() == 0)
                #expect(top.outputText.contains(Self.exit))
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
            }
        }

        // The thread that reads keys took them.
        @Test("What is typed behind q is left for the shell")
        func keysBehindTheEnd() async throws {
            try await withCluster { cluster in
                let keyboard = try Keyboard(of: cluster)
                let shell = try cluster.startOnTerminal(
                    command: ["sh", "-c", "\(TestCluster.program) top; read line; echo \"<$line>\""],
                    input: keyboard.path
                )
                try await shell.output { Self.lastFrame(in: $0).contains("No job is unfinished") }
                try keyboard.press("qrest\r")
                #expect(try await shell.end() == 0)
                #expect(shell.outputText.contains("<rest>"), "\(shell.outputText)")
            }
        }

        @Test("Ctrl-C and SIGTERM give the terminal back, and end with the status of the signal")
        func signals() async throws {
            try await withCluster { cluster in
                for isKey in [true, false] {
                    let keyboard = try Keyboard(of: cluster)
                    let top = try cluster.startOnTerminal(["top"], input: keyboard.path)
                    try await top.output(containing: "q quit")
                    if isKey {
                        try keyboard.press("\u{3}")
                    } else {
                        let process = ProcessesOfTest.all(of: cluster.home.path).first {
                            $0.command.hasPrefix(TestCluster.program) && $0.command.contains(" top")
                        }
                        kill(try #require(process).processID, SIGTERM)
                    }
                    #expect(try await top.end() == (isKey ? 130 : 143))
                    #expect(top.outputText.contains(Self.exit), "\(top.outputText)")
                }
            }
        }

        @Test("Ctrl-Z gives the terminal to the shell, and fg brings the screen back", arguments: [false, true])
        func suspension(isOrphan: Bool) async throws {
            try await withCluster { cluster in
                let keyboard = try Keyboard(of: cluster)
                // The leader of a session is no job of a shell: the system ignores the stop, and top goes on at once.
                let shell = ["bash", "-c", "set -m; \"$0\" top; echo \"stopped by $?\"; fg > /dev/null; exit"]
                let command = isOrphan ? [TestCluster.program, "top"] : shell + [TestCluster.program]
                let top = try cluster.startOnTerminal(command: command, input: keyboard.path)
                try await top.output(containing: "q quit")
                try keyboard.press("\u{1A}")
                if !isOrphan { try await top.output(containing: "stopped by 148") }
                try await top.output { output in
                    let parts = String(decoding: output, as: UTF8.self).components(separatedBy: Self.entry)
                    return parts.count == 3 && parts[1].contains(Self.exit) && parts[2].contains("q quit")
                }
                try keyboard.press("q")
                #expect(try await top.end() == 0)
            }
        }

        @Test("After a restart, the times of earlier jobs are those of their submissions")
        func submissionTime() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--hold", "--", "true")
                let submittedAt = try await cluster.json("show", job).submittedAt
                try await cluster.restartCoordinator(with: SIGTERM)
                let overview = try await cluster.json("top", "--once")
                #expect(overview.jobs.elements.map(\.submittedAt) == [submittedAt])
            }
        }

        @Test("The screen says that its figures are old while the coordinator is away, and goes on once it is back")
        func restart() async throws {
            try await withCluster { cluster in
                let keyboard = try Keyboard(of: cluster)
                let top = try cluster.startOnTerminal(["top"], input: keyboard.path)
                let documents = try cluster.start("top", "--json")
                try await top.output(containing: "q quit")
                try await documents.output(containing: "\"epoch\":1")
                cluster.coordinator?.signal(SIGKILL)
                _ = try await cluster.coordinator?.end()
                try await top.output { Self.lastFrame(in: $0).contains("STALE: the coordinator has not answered for") }
                try await cluster.startCoordinator()
                try await top.output { !Self.lastFrame(in: $0).contains("STALE") }
                try await documents.output(containing: "\"epoch\":2")
                documents.signal(SIGTERM)
                #expect(try await documents.end() == 143)
                #expect(documents.endingSignal == SIGTERM)
                let lines = documents.outputText.split(separator: "\n")
                #expect(lines.count > 1 && lines.allSatisfy { (try? JSONValue(parsing: String($0))) != nil })
                try keyboard.press("q")
                #expect(try await top.end() == 0)
            }
        }
    }
}
