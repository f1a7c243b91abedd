import Foundation
import Testing

extension EndToEndTests {
    @Suite("Logs of jobs", .timeLimit(.minutes(60)))
    struct JobLogTests {
        private static let graph = """
            {
              operations: [
                { name: "a", command: "printf one" },
                { name: "flaky", command: "echo try $BATON_ATTEMPT; exit $((2 - BATON_ATTEMPT))", retries: 1, retryDelay: "1ms" },
                { name: "漢字", command: "echo out; printf err >&2" },
                { command: "true" },
              ],
            }
            """

        @Test("OB11 The log of a job has the operation in front of each line, in the order of the operations")
        func job() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(graph: Self.graph)
                #expect(try await cluster.wait(job) == 0)
                let log = try await cluster.baton("log", job)
                #expect(
                    log.output == """
                        1/0 (a) | one
                        1/1 (flaky) | try 1
                        1/1 (flaky) | --- attempt 2 ---
                        1/1 (flaky) | try 2
                        1/2 (漢字)  | out

                        """
                )
                #expect(log.status == 0 && log.errors.isEmpty)
                #expect(try await cluster.baton("log", "last").output == log.output)
                #expect(try await cluster.baton("log", "-f", job).output == log.output)
                #expect(try await cluster.baton("log", job, "--no-prefix").output == "one\ntry 1\ntry 2\nout\n")
                #expect(try await cluster.baton("log", job, "--stderr").output == "1/2 (漢字) | err\n")
                #expect(try await cluster.baton("log", job, "--attempt", "2").output == "1/1 (flaky) | try 2\n")
                #expect(try await cluster.baton("log", "\(job)/[0,2]").output == "1/0 (a) | one\n1/2 (漢字) | out\n")
                let pattern = try await cluster.baton("log", "\(job)/f*")
                #expect(pattern.output == "try 2\n", "one operation has no prefix, and its last attempt is printed")
                #expect(
                    try await cluster.baton("log", job, "--all", "--tail", "1").output == """
                        1/0 (a) out | one
                        1/1 (flaky) out | --- attempt 2 ---
                        1/1 (flaky) out | try 2
                        1/2 (漢字)  out | out
                        1/2 (漢字)  err | err

                        """
                )
                #expect(try await cluster.baton("log", "\(job)/2", "--all").output == "out | out\nerr | err\n")
                let documents = try await cluster.baton("log", job, "--json", "--all").output.split(separator: "\n")
                #expect(
                    documents.last == #"{"operation":"1/2","attempt":1,"stream":"stderr","offset":0,"text":"err"}"#
                )
                #expect(documents.count == 5)
            }
        }

        @Test("The options --failed and --tail select operations and lines, also lines that only the worker has")
        func selection() async throws {
            try await withCluster(slots: 2) { cluster in
                let script = "seq 1 40000; echo end $BATON_INDEX >&2; exit $((BATON_INDEX % 2))"
                let job = try await cluster.submit(script: script, "--name", "s", "--array", "0-3", "--retries", "0")
                #expect(try await cluster.wait(job) == 1)
                let failed = try await cluster.baton("log", job, "--failed", "--all", "--tail", "2")
                #expect(
                    failed.output == """
                        1/1 (s) out | 39999
                        1/1 (s) out | 40000
                        1/1 (s) err | end 1
                        1/3 (s) out | 39999
                        1/3 (s) out | 40000
                        1/3 (s) err | end 3

                        """
                )
                let lines = (1...40000).map { "\($0)\n" }
                let long = try await cluster.baton("log", "\(job)/[2,3]", "--no-prefix", "--tail", "20000")
                #expect(long.output == (lines.suffix(20000) + lines.suffix(20000)).joined())
                let one = try await cluster.baton("log", "\(job)/1", "--tail", "20000")
                #expect(one.output == lines.suffix(20000).joined())
                let whole = try await cluster.baton("log", "\(job)/s", "--no-prefix", "--failed")
                #expect(whole.output == (lines + lines).joined())

                cluster.workers["w1"]?.signal(SIGTERM)
                #expect(try await cluster.workers["w1"]?.end() == 0)
                let rest = try await cluster.baton("log", "\(job)/[0,1]", "--no-prefix")
                let missing = lines.joined().utf8.count - 65536
                let note = "The first \(missing) bytes of this output of \(job)/1 are missing: "
                #expect(rest.errors.contains(note))
                #expect(rest.output.hasSuffix("39999\n40000\n"))
            }
        }

        @Test("OB11 The log of a running job has the output so far, and -f follows all operations to the end")
        func following() async throws {
            try await withCluster { cluster in
                let gates = try (0..<2).map { try cluster.gate("live-\($0)") }
                let script = """
                    echo begin $BATON_INDEX; printf part >&2; \(cluster.waitAtGate("live-{}")); echo end >&2; echo over
                    """
                let job = try await cluster.submit(script: script, "--array", "0-1", "--name", "two")
                try await gates[0].arrival()
                let now = try await cluster.baton("log", job, "--all")
                #expect(now.output == "1/0 (two) out | begin 0\n1/0 (two) err | part\n")
                let follower = try cluster.start("log", "-f", job)
                let both = try cluster.start("log", "-f", "--all", "--tail", "1", "\(job)/two")
                try await follower.output(containing: "1/0 (two) | begin 0")
                try await gates[0].open()
                try await follower.output(containing: "1/0 (two) | over")
                try await follower.output(containing: "1/1 (two) | begin 1")
                try await both.output(containing: "1/1 (two) out | begin 1")
                try await gates[1].open()
                #expect(try await follower.end() == 0)
                #expect(
                    follower.outputText
                        == "1/0 (two) | begin 0\n1/0 (two) | over\n1/1 (two) | begin 1\n1/1 (two) | over\n"
                )
                #expect(follower.errorText == "")
                #expect(try await both.end() == 0)
                let lines = both.outputText.split(separator: "\n")
                #expect(lines.contains("1/1 (two) err | partend") && lines.contains("1/1 (two) out | over"))
            }
        }

        @Test("OB11 With --keep-order, -f prints each operation as it runs, to its end before the next")
        func keepOrder() async throws {
            try await withCluster(slots: 3) { cluster in
                let gates = try (0..<3).map { try cluster.gate("kept-\($0)") }
                let script = "echo begin {}; \(cluster.waitAtGate("kept-{}")); echo end {}"
                let job = try await cluster.submit(script: script, "--array", "0-2")
                for gate in gates { try await gate.arrival() }
                let follower = try cluster.start("log", "-f", "--keep-order", job)
                try await gates[2].open()
                #expect(try await cluster.wait("\(job)/2") == 0)
                try await follower.output(containing: "\(job)/0 | begin 0")
                #expect(!follower.outputText.contains("begin 1"))
                try await gates[0].open()
                try await follower.output(containing: "\(job)/1 | begin 1")
                #expect(!follower.outputText.contains("begin 2"))
                try await gates[1].open()
                #expect(try await follower.end() == 0)
                let lines = (0..<3).map { "\(job)/\($0) | begin \($0)\n\(job)/\($0) | end \($0)\n" }
                #expect(follower.outputText == lines.joined() && follower.errorText == "")
                #expect(try await cluster.baton("log", "-f", "--keep-order", job).output == lines.joined())
                #expect(
                    try await cluster.baton("log", "-f", "--keep-order", "\(job)/[0,2]").output == lines[0] + lines[2]
                )
                for wrong in [["--keep-order"], ["-f", "--keep-order", "--tail", "1"]] {
                    #expect(try await cluster.baton(["log", job] + wrong).status == 64, "\(wrong)")
                }
            }
        }

        // "baton log JOB" of an array, one of whose elements was lost with its worker, exited with 0 and without a word.
        @Test("D15 Output that was lost with its worker gives 74 in every form, behind what can be printed")
        func lost() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let script = "echo part{}; [ {} = 1 ] || { echo on >&2; \(gate.wait); }"
                let job = try await cluster.submit(script: script, "--array", "1-2", "--restart", "never")
                let gone = try await cluster.submit("--priority", "low", "--", "echo", "again")
                try await gate.arrival()
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()
                try await cluster.startWorker("w1")
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.wait(gone) == 0)
                let sentence = "The output of attempt 1 of \(job)/1 was lost with its worker.\n"
                let whole = "\(job)/0 | part1\n"
                let forms: [([String], String)] = [
                    ([job], whole), ([job, "-f"], whole), ([job, "--tail", "3"], whole), ([job, "--failed"], ""),
                    ([job, "--no-prefix"], "part1\n"), ([job, "--attempt", "1"], whole),
                    ([job, "--all"], "\(job)/0 out | part1\n"), (["\(job)/1"], ""), (["\(job)/1", "-f"], ""),
                    (["\(job)/1", "--all"], ""), (["\(job)/1", "--tail", "1"], ""), (["\(job)/1", "--failed"], ""),
                    (["\(job)/1", "--stderr"], ""), (["\(job)/1", "--attempt", "1"], ""),
                    (["\(job)/1", "-f", "--attempt", "1"], ""),
                ]
                for (arguments, output) in forms {
                    let log = try await cluster.baton(["log"] + arguments)
                    #expect(log.status == 74 && log.output == output && log.errors == sentence, "\(arguments): \(log)")
                }
                for arguments in [[job], ["\(job)/1"], ["\(job)/1", "-f"]] {
                    let log = try await cluster.baton(["log", "--json"] + arguments)
                    #expect(log.status == 74 && log.errors.contains(#""code":"incomplete""#), "\(arguments): \(log)")
                    let document = try JSONValue(parsing: String(#require(log.output.split(separator: "\n").last)))
                    #expect((document.operation, document.attempt.int) == ("\(job)/1", 1), "\(arguments): \(log)")
                    #expect(log.output.contains(#""text":"","lost":true}"#), "\(arguments): \(log)")
                }
                #expect(try await cluster.baton("log", "\(job)/0", "--all").status == 0)
                // What never began on the killed worker has printed nothing there.
                let again = try await cluster.baton("log", gone, "--all")
                #expect(
                    again.status == 0 && again.output.hasSuffix("out | again\n") && again.errors.isEmpty,
                    "\(again)"
                )
            }
        }

        @Test(
            "D3 An attempt that was lost and made again is told by the log of the job, and not by that of its last attempt"
        )
        func lostAndMadeAgain() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let graph = """
                    {operations: [
                        {name: "a", command: ["sh", "-c", "echo $BATON_ATTEMPT; [ $BATON_ATTEMPT = 2 ] || \(gate.wait)"]},
                        {command: "true", after: ["a"]},
                    ]}
                    """
                let job = try await cluster.submit(graph: graph)
                try await gate.arrival()
                // The coordinator knows of the start.
                while try await cluster.baton("log", "\(job)/0").output != "1\n" {}
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()
                try await cluster.startWorker("w1")
                #expect(try await cluster.wait(job) == 0)
                for options in [[], ["-f"], ["--all"]] {
                    let log = try await cluster.baton(["log", job] + options)
                    #expect(log.status == 74 && log.errors.contains("The output of attempt 1 of \(job)/0 was lost"))
                    #expect(log.output.hasSuffix("| 2\n"), "\(log)")
                }
                #expect(try await cluster.baton("log", "\(job)/0").status == 0)
                #expect(try await cluster.baton("log", job, "--tail", "1").status == 0)
            }
        }

        // The output of an attempt was empty, with exit status 0, until the next one had started.
        @Test(
            "D15 Between two attempts, the log of an operation has all output of the last one, while its worker has it"
        )
        func betweenAttempts() async throws {
            try await withCluster { cluster in
                let script = "yes fail | head -c 200000; echo why >&2; exit 1"
                let job = try await cluster.submit(script: script, "--retries", "1", "--retry-delay", "1h")
                while try await cluster.show("\(job)/0").attempts.elements.isEmpty {}
                let forms = [
                    ["\(job)/0"], [job], ["\(job)/0", "--attempt", "1"], ["\(job)/0", "-f", "--attempt", "1"],
                ]
                for arguments in forms {
                    let log = try await cluster.baton(["log"] + arguments)
                    #expect(log.status == 0 && log.output.utf8.count == 200_000, "\(arguments): \(log.errors)")
                }
                #expect(try await cluster.baton("log", "\(job)/0", "--stderr").output == "why\n")
                let both = try await cluster.baton("log", "\(job)/0", "--all", "--no-prefix")
                #expect(both.status == 0 && both.output.utf8.count == 200_004, "\(both.errors)")
                try await cluster.restartCoordinator(with: SIGKILL)
                // Until the worker is back, the coordinator has only the end of the output, and says so.
                var log = try await cluster.baton("log", job)
                while log.status == 74, log.errors.contains("their worker is not connected") {
                    log = try await cluster.baton("log", job)
                }
                #expect(log.status == 0 && log.output.utf8.count == 200_000, "\(log.errors)")
                let follower = try cluster.start("log", "-f", "--stderr", "\(job)/0")
                try await follower.output(containing: "why")
                follower.signal(SIGKILL)
                try await follower.end()
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()
                for arguments in forms {
                    let log = try await cluster.baton(["log"] + arguments)
                    #expect(log.status == 74 && log.output.utf8.count == 65_536, "\(arguments): \(log.errors)")
                }
            }
        }

        @Test("D15 The output of an earlier attempt is read from its worker, after any number of attempts")
        func earlierAttempts() async throws {
            try await withCluster { cluster in
                let script = "yes fail$BATON_ATTEMPT | head -c 200000; exit 1"
                let job = try await cluster.submit(script: script, "--retries", "2", "--retry-delay", "1ms")
                #expect(try await cluster.wait(job) == 1)
                for attempt in 1...3 {
                    let log = try await cluster.baton("log", "--attempt", "\(attempt)", job)
                    #expect(log.status == 0 && log.output.utf8.count == 200_000, "\(log.errors)")
                    #expect(log.output.hasPrefix("fail\(attempt)\n"))
                }
                let failed = try await cluster.baton("log", "--failed", "--no-prefix", job)
                #expect(failed.status == 0 && failed.output.utf8.count >= 600_000, "\(failed.errors)")
            }
        }

        // What a crash of the host leaves of a file that was not on the disk.
        @Test("D15 An output file that is shorter than the output was gives 74, behind what is left")
        func shortened() async throws {
            try await withCluster { cluster in
                let script = "yes line{} | head -c 300000"
                let job = try await cluster.submit(script: script, "--array", "1-2")
                #expect(try await cluster.wait(job) == 0)
                let outputs = cluster.home.path + "/workers/w1/outputs/"
                let names = try FileManager.default.contentsOfDirectory(atPath: outputs)
                let name = try #require(names.first { $0.hasPrefix("\(job).1.") && $0.hasSuffix(".out") })
                try #require(truncate(outputs + name, 100_000) == 0)
                for arguments in [["\(job)/1"], ["--no-prefix", job]] {
                    let log = try await cluster.baton(["log"] + arguments)
                    let missing =
                        "The next \(300_000 - 65_536 - 100_000) bytes of this output of \(job)/1 are missing: "
                    #expect(log.status == 74 && log.errors.contains(missing), "\(arguments): \(log.errors)")
                }
                #expect(try await cluster.baton("log", "\(job)/1").output.utf8.count == 165_536)
            }
        }

        @Test("D15 The output of an attempt that a stop of its worker ended is there, and is not called lost")
        func stopped() async throws {
            try await withCluster { cluster in
                for output in ["short\n", ""] {
                    let gate = try cluster.gate()
                    let script = "\(output.isEmpty ? ":" : "echo short"); \(gate.wait)"
                    let job = try await cluster.submit(script: script, "--restart", "never")
                    try await gate.arrival()
                    _ = try await cluster.baton("stop", "--now", "w1")
                    _ = try await cluster.workers["w1"]?.end()
                    #expect(try await cluster.wait(job) == 1)
                    for options in [[], ["-f"], ["--all", "--no-prefix"]] {
                        let log = try await cluster.baton(["log", "\(job)/0"] + options)
                        #expect(log.status == 0 && log.output == output && log.errors.isEmpty, "\(options): \(log)")
                    }
                    try await cluster.startWorker("w1")
                }
            }
        }

        @Test("OB11 The option -f continues after a restart of the coordinator, and prints each line once")
        func restart() async throws {
            try await withCluster { cluster in
                let gates = try (0..<3).map { try cluster.gate("restart-\($0)") }
                let script = "echo before $BATON_INDEX; \(cluster.waitAtGate("restart-{}")); echo after $BATON_INDEX"
                let job = try await cluster.submit(script: script, "--array", "0-2")
                let follower = try cluster.start("log", "--follow", job)
                try await gates[0].open()
                try await gates[1].arrival()
                try await follower.output(containing: "1/1 | before 1")
                try await cluster.restartCoordinator(with: SIGKILL)
                for gate in gates[1...] { try await gate.open() }
                #expect(try await follower.end() == 0)
                let lines = (0..<3).flatMap { ["1/\($0) | before \($0)", "1/\($0) | after \($0)"] }
                #expect(follower.outputText.split(separator: "\n").map(String.init) == lines)
            }
        }

        @Test("A log of operations that are not there, or with options that exclude each other, is refused")
        func refusals() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--array", "0-3", "--", "true")
                let refusals: [([String], Int32, String)] = [
                    (["\(job)/4"], 66, "There is no operation \(job)/4."),
                    (["\(job)/[2-9]"], 66, "There is no operation \(job)/4."),
                    (["\(job)/none"], 66, "There is no operation"),
                    ([job, "--all", "--stderr"], 64, "--all prints both streams."),
                    ([job, "-f", "--attempt", "2"], 64, "--attempt with --follow takes one operation"),
                ]
                for (arguments, status, sentence) in refusals {
                    let result = try await cluster.baton(["log"] + arguments)
                    #expect(result.status == status && result.errors.contains(sentence), "\(result)")
                }
            }
        }

        @Test("The option --output of run prints the lines of an array, or the output of what failed")
        func run() async throws {
            try await withCluster { cluster in
                let script = "echo out $BATON_INDEX; printf bad >&2; exit $((BATON_INDEX % 2))"
                let array = ["--array", "0-2", "--name", "sweep", "--", "sh", "-c", script]
                let lines = try await cluster.baton(["run", "--output", "prefixed"] + array)
                #expect(lines.status == 1)
                #expect(lines.output == "1/0 (sweep) | out 0\n1/1 (sweep) | out 1\n1/2 (sweep) | out 2\n", "\(lines)")
                for index in 0..<3 { #expect(lines.errors.contains("1/\(index) (sweep) | bad\n"), "\(lines)") }
                let failed = try await cluster.baton(["run", "--output", "failed"] + array)
                #expect(failed.output == "2/1 (sweep) | out 1\n", "\(failed)")
                #expect(failed.errors.contains("2/1 (sweep) | bad\n") && !failed.errors.contains("2/0"), "\(failed)")
                #expect(try await cluster.baton(["run", "--output", "none"] + array).output == "")
                let documents = try await cluster.baton(["run", "--json", "--output", "failed"] + array)
                #expect(documents.output.split(separator: "\n").count == 3, "\(documents)")
                let single = try await cluster.baton("run", "--output", "prefixed", "--", "true")
                #expect(single.status == 64 && single.errors.contains("--output is for arrays and graphs"), "\(single)")
                let graph = try cluster.write("{operations: [{command: 'echo only'}]}", to: "only.json")
                #expect(try await cluster.baton("run", "--output", "prefixed", "--file", graph).output == "only\n")
            }
        }
    }
}
