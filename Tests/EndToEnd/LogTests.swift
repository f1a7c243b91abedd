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
                #expect(rest.status == 0)
                #expect(rest.bytes == Array(whole.utf8.suffix(65536)))
                let missing = whole.utf8.count - 65536
                #expect(
                    rest.errors == "The first \(missing) bytes of this output of \(job)/0 are no longer kept.\n"
                )

                try await cluster.startWorker("w1")
                #expect(try await cluster.baton("log", job).output == whole, "its worker has come back with it")
            }
        }
    }
}
