import Foundation
import Testing

extension EndToEndTests {
    @Suite("Logs", .timeLimit(.minutes(60)))
    struct LogTests {
        @Test("Standard output and standard error are logged apart, and as JSON with their offsets")
        func streams() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(script: "echo out; echo error >&2", "--name", "both")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/both").output == "out\n")
                #expect(try await cluster.baton("log", "\(job)/0", "--stderr").output == "error\n")
                let document = try await cluster.json("log", job, "--stderr")
                #expect((document.stream, document.offset, document.text) == ("stderr", 0, "error\n"))
            }
        }

        @Test("The option -f follows a running operation to its end, and without it log prints the output so far")
        func follow() async throws {
            try await withCluster { cluster in
                let (gate, second) = (try cluster.gate("first"), try cluster.gate("second"))
                let job = try await cluster.submit(
                    script: "echo one; \(gate.wait); echo two; \(second.wait); echo three; exit 3"
                )
                try await gate.arrival()
                #expect(try await cluster.baton("log", job).output == "one\n")
                let follower = try cluster.start("log", "-f", job)
                try await follower.output(containing: "one")
                try await gate.open()
                try await follower.output(containing: "two")
                try await second.open()
                #expect(try await follower.end() == 0)
                #expect(follower.outputText == "one\ntwo\nthree\n")
                #expect(follower.errorText == "")
            }
        }

        @Test("The option -f waits for an operation's start, and follows it through its attempts")
        func followEarly() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let blocker = try await cluster.submit(script: gate.wait)
                let job = try await cluster.submit(
                    script: "echo attempt $BATON_ATTEMPT; test $BATON_ATTEMPT = 2",
                    "--retries",
                    "1",
                    "--retry-delay",
                    "1ms",
                    "--needs",
                    blocker
                )
                try await gate.arrival()
                let follower = try cluster.start("log", "--follow", job)
                try await gate.open()
                #expect(try await follower.end() == 0)
                #expect(follower.outputText == "attempt 1\nattempt 2\n")
            }
        }

        @Test("A long output is logged in full while its worker is there, and otherwise with its last 64 KiB")
        func long() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--", "seq", "1", "40000")
                #expect(try await cluster.wait(job) == 0)
                let whole = (1...40000).map { "\($0)\n" }.joined()
                let log = try await cluster.baton("log", job)
                #expect(log.output == whole)
                #expect(log.errors == "")

                cluster.workers["w1"]?.signal(SIGTERM)
                #expect(try await cluster.workers["w1"]?.end() == 0)
                let rest = try await cluster.baton("log", job)
                #expect(rest.status == 74)
                #expect(rest.bytes == Array(whole.utf8.suffix(65536)))
                let missing = whole.utf8.count - 65536
                let bytes = "The first \(missing) bytes of this output of \(job)/0"
                let causes = "they are no longer kept, or their worker is not connected"
                #expect(rest.errors == "\(bytes) are missing: \(causes).\n")

                try await cluster.startWorker("w1")
                #expect(try await cluster.baton("log", job).output == whole, "its worker has come back with it")
            }
        }

        // "baton log X | tool" took 64 KiB of 50 MB for success, after 11.7 s.
        @Test("D15 The log of a worker that was killed ends at once, with 74 and the missing ranges in JSON")
        func killed() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit("--", "seq", "1", "40000")
                #expect(try await cluster.wait(job) == 0)
                let lost = try await cluster.submit(script: "echo $BATON_ATTEMPT; \(gate.wait)")
                try await gate.arrival()
                // An attempt whose start the coordinator has not heard of has no output that could be lost.
                while try await cluster.baton("log", lost).output != "1\n" {}
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()
                let length = (1...40000).map { "\($0)\n" }.joined().utf8.count
                var log = TestCluster.CommandResult(status: 0, bytes: [], errors: "")
                // A busy machine may stop a command for a while, but not each of many.
                var shortest = Duration.seconds(3600)
                for _ in 0..<20 where shortest >= .seconds(8) {
                    let begin = ContinuousClock.now
                    log = try await cluster.baton("log", job)
                    shortest = min(shortest, ContinuousClock.now - begin)
                    #expect(log.status == 74 && log.bytes.count == 65536, "\(log.errors)")
                }
                #expect(shortest < .seconds(8), "the coordinator waits for a worker for 10 s")
                let quiet = try await cluster.baton("log", job, "--quiet")
                #expect(quiet.status == 74 && quiet.errors.isEmpty && quiet.bytes == log.bytes)
                let json = try await cluster.baton("log", job, "--json")
                #expect(json.status == 74 && json.errors.contains(#""code":"incomplete""#), "\(json.errors)")
                let gap = try JSONValue(parsing: String(json.output.split(separator: "\n")[0]))
                #expect((gap.operation, gap.stream, gap.attempt.int) == ("\(job)/0", "stdout", 1))
                #expect((gap.offset.int, gap.missing.int, gap.text) == (0, length - 65536, ""))
                for options in [["--tail", "30000"], ["--all"], ["-f"]] {
                    let part = try await cluster.baton(["log", job] + options)
                    #expect(part.status == 74 && part.errors.contains("no longer kept"), "\(options): \(part.errors)")
                }
                let tail = try await cluster.baton("log", job, "--tail", "5")
                #expect(tail.status == 0 && tail.output == "39996\n39997\n39998\n39999\n40000\n")

                // The next attempt comes to the gate anew.
                gate.reset()
                try await cluster.startWorker("w1")
                try await gate.open()
                #expect(try await cluster.wait(lost) == 0)
                let first = try await cluster.baton("log", lost, "--attempt", "1")
                #expect(first.status == 74 && first.output.isEmpty && first.errors.contains("was lost"), "\(first)")
                #expect(try await cluster.baton("log", lost).output == "2\n")
            }
        }

        // Until the commit, the memory of the worker alone has a short output.
        @Test("The log of an operation whose worker was killed before the commit of its end is the next attempt's")
        func killedBeforeCommit() async throws {
            let patient = ["--send-ahead", "1", "--reconcile-window", "1h", "--lost-after", "1h"]
            try await withCluster(workers: nil, coordinator: patient) { cluster in
                try await cluster.startCoordinator()
                try await cluster.startWorker("w1", slots: 2)
                func script(_ gate: Gate) -> String {
                    "echo begin; if test $BATON_ATTEMPT = 1; then \(gate.wait); fi; echo $BATON_ATTEMPT"
                }
                let (end, other, last) = (try cluster.gate(), try cluster.gate(), try cluster.gate())
                let ended = try await cluster.submit(script: script(end))
                let running = try await cluster.submit(script: script(other))
                try await end.arrival()
                try await other.arrival()
                let next = try await cluster.submit(script: script(last))
                try await cluster.requireSentAhead("\(next)/0")
                // The worker answers a request for output after it has received the earlier dispatch.
                #expect(try await cluster.baton("log", running).output == "begin\n")
                cluster.coordinator?.signal(SIGKILL)
                _ = try await cluster.coordinator?.end()
                try await end.open()
                // The next operation has the slot of the one that has ended.
                try await last.arrival()
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()

                try await cluster.startCoordinator()
                try await cluster.startWorker("w1", slots: 2)
                #expect(try await cluster.wait(ended, running, next) == 0)
                #expect(try await cluster.baton("log", "\(ended)/0").output == "begin\n2\n")
                let first = try await cluster.baton("log", ended, "--attempt", "1")
                #expect(first.status == 74 && first.output.isEmpty, "\(first)")
            }
        }

        // "log --failed" ran the attempts into each other.
        @Test("An attempt whose output lacks a newline does not run into the next one")
        func attemptsWithoutNewline() async throws {
            try await withCluster { cluster in
                let options = ["--retries", "1", "--retry-delay", "1ms"]
                let words = ["submit"] + options + ["--", "sh", "-c", "printf $BATON_ATTEMPT; exit 1"]
                let job = try await cluster.baton(words).line
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.baton("log", "\(job)/0", "--failed").output == "1\n2")
                #expect(try await cluster.baton("log", "\(job)/0", "--failed", "-f").output == "1\n2")
                #expect(try await cluster.baton("log", "\(job)/0", "--failed", "--tail", "1").output == "2")
            }
        }

        // The option --tail added a newline that the output lacks.
        @Test("The last lines of an operation are its bytes, without a newline of their own")
        func tailWithoutNewline() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(script: "printf 'a\\nb\\nc'")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", job, "--tail", "2").output == "b\nc")
                #expect(try await cluster.baton("log", job, "-f", "--tail", "1").output == "c")
                #expect(try await cluster.baton("log", job, "--all", "--tail", "1").output == "out | c\n")
            }
        }
    }
}
