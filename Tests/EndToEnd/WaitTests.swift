import Foundation
import Testing

extension EndToEndTests {
    @Suite("Waits and explanations", .timeLimit(.minutes(60)))
    struct WaitTests {
        @Test("WA1 A wait exits with 0 if all operations succeeded and with 1 if not, also if all are already finished")
        func outcomes() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let good = try await cluster.submit(script: gate.wait)
                let bad = try await cluster.submit(script: "exit 2")
                let waiting = try cluster.start("wait", good, bad, "\(good)/0", "--json")
                try await gate.open()
                #expect(try await waiting.end() == 1)
                let document = try JSONValue(parsing: waiting.outputText)
                #expect(document.finished == true)
                // An operation that is named twice counts once.
                #expect((document.counts.succeeded, document.counts.failed) == (1, 1))
                #expect(try await cluster.wait(good) == 0)
                #expect(try await cluster.wait(good, "\(good)/0") == 0)
                let failed = try await cluster.baton("wait", bad, good)
                #expect(failed.status == 1)
                #expect(
                    failed.errors == """
                        1 of 2 did not succeed: 1 succeeded, 1 failed.
                        \(bad)/0: It exited with status 2.

                        """
                )
                #expect(try await cluster.baton("wait", bad, "--quiet").errors == "")
            }
        }

        @Test("A wait exits with 124 when its time runs out, and with 66 if its address or queue does not exist")
        func noEnd() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--", "true")
                let late = try await cluster.baton("wait", job, "--timeout", "50ms")
                #expect(late.status == 124)
                #expect(late.errors.contains("was not finished within 50ms"), "\(late)")
                for address in ["7", "\(job)/1", "\(job)/none"] {
                    #expect(try await cluster.wait(job, address) == 66, "\(address)")
                }
                let queue = try await cluster.baton("wait", "--queue", "none")
                #expect(queue.status == 66)
                #expect(queue.errors.contains("There is no queue \"none\""), "\(queue)")
            }
        }

        @Test(
            "WA4 WA5 A wait for a queue includes operations that are added meanwhile, and ends at once if it is empty"
        )
        func queue() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let first = try await cluster.submit(script: gate.wait, "--queue", "q")
                try await gate.arrival()
                let waiting = try cluster.start("wait", "--queue", "q")
                let second = try await cluster.submit(script: cluster.note("second"), "--queue", "q", "--after", first)
                try await gate.open()
                #expect(try await waiting.end() == 0)
                #expect(cluster.notes == ["second"])
                #expect(try await cluster.show(second).counts.succeeded == 1)
                #expect(try await cluster.baton("wait", "--queue", "q").status == 0)
            }
        }

        @Test("WA8 A wait for a queue exits with 1 if an operation failed meanwhile, also over a restart")
        func queueWithFailures() async throws {
            try await withCluster { cluster in
                let (gate, other) = (try cluster.gate("gate"), try cluster.gate("other"))
                #expect(try await cluster.baton("run", "--queue", "q", "--", "false").status == 1)
                let job = try await cluster.submit(script: "\(gate.wait); exit 3", "--queue", "q")
                try await gate.arrival()
                let waiting = try cluster.startOnTerminal("wait", "--queue", "q")
                try await waiting.output(containing: "0/1")
                let last = try await cluster.submit(script: other.wait, "--queue", "q", "--after", job)
                try await gate.open()
                try await other.arrival()
                // The coordinator still knows an operation that failed before the restart.
                try await cluster.restartCoordinator(with: SIGKILL)
                try await other.open()
                #expect(try await waiting.end() == 1)
                #expect(waiting.outputText.contains("1 of 2 did not succeed"), "\(waiting.outputText)")
                #expect(try await cluster.wait(last) == 0)
                // A wait for a queue ignores operations that have ended before.
                #expect(try await cluster.wait(queue: "q") == 0)
            }
        }

        @Test("WA8 A wait survives an orderly restart of the coordinator")
        func restart() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                // On a terminal `wait` shows its progress, so the request was sent and waits for the answer.
                let waiting = try cluster.startOnTerminal("wait", job)
                try await waiting.output(containing: "0/1")
                let epoch = try await cluster.json("status").epoch
                try await cluster.restartCoordinator(with: SIGTERM)
                #expect(try await cluster.json("status").epoch != epoch)
                try await gate.open()
                #expect(try await waiting.end() == 0)
                #expect(waiting.outputText.contains("1/1"))
                #expect(try await cluster.show("\(job)/0").attempt == 1)
            }
        }

        @Test("The command explain counts the operations of a job with several by what they wait for")
        func explainJob() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--array", "1-3", "--", "true")
                try await #require(cluster.baton("hold", "\(job)/1").status == 0)
                #expect(
                    try await cluster.baton("explain", job).output == """
                        3 of the 3 operations of job \(job) wait.
                        - 2 operations wait: no worker is connected that could run them. "baton workers" lists the workers, and \
                        "baton worker" starts one for commands.
                        - \(job)/1 is held. Release it with "baton release \(job)/1".

                        """
                )
                let document = try await cluster.json("explain", job)
                #expect(document.reasons.elements.map(\.kind) == ["noWorker", "hold"])
                #expect(document.reasons.elements.map(\.count) == [2, 1] && document.more == 0)
                try await #require(cluster.baton("cancel", job).status == 0)
                #expect(try await cluster.baton("explain", job).output == "Job \(job) is finished.\n")
                #expect(try await cluster.baton("explain", "99").status == 66)
            }
        }

        @Test("The command explain names each reason that keeps an operation from running")
        func explain() async throws {
            try await withCluster(workers: 0) { cluster in
                func kinds(_ job: String) async throws -> [JSONValue] {
                    try await cluster.json("explain", job).waitsFor.elements.map(\.kind)
                }
                let (first, second) = (try cluster.gate("first"), try cluster.gate("second"))
                let executing = try await cluster.submit(script: first.wait, "--name", "long")
                #expect(try await kinds(executing) == ["noWorker"])
                let text = try await cluster.baton("explain", executing)
                #expect(text.status == 0)
                #expect(
                    text.output == """
                        1/0 (long) is ready and waits for one thing.
                        - No worker is connected that could run it. "baton workers" lists the workers, and "baton worker" starts one for commands.

                        """
                )

                try await cluster.startWorker("w1")
                try await first.arrival()
                #expect(try await cluster.json("explain", executing).waitsFor == [])
                #expect(try await cluster.baton("explain", executing).output == "1/0 (long) is executing.\n")

                let ready = try await cluster.submit(script: second.wait)
                #expect(try await kinds(ready) == ["slots"])
                let behind = try await cluster.submit("--", "true")
                let order = try await cluster.json("explain", behind)
                #expect(Set(order.waitsFor.elements.map(\.kind)) == ["slots", "order"])
                #expect(order.waitsFor.elements.first { $0.kind == "order" }?.ahead == 1)

                let dependent = try await cluster.submit("--needs", "\(executing)/long", "--delay", "1h", "--", "true")
                let both = try await cluster.json("explain", dependent)
                #expect(both.state == "pending")
                #expect(Set(both.waitsFor.elements.map(\.kind)) == ["dependency", "delay"])
                let dependency = both.waitsFor.elements.first { $0.kind == "dependency" }
                #expect((dependency?.operation, dependency?.condition) == ("1/0", "success"))
                #expect(dependency?.message.string.hasPrefix("1/0 is executing; ") == true)

                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "0").status == 0)
                let limited = try await cluster.submit("--queue", "q", "--", "true")
                #expect(try await kinds(limited).contains("limit"))

                try await first.open()
                try await second.open()
                #expect(try await cluster.wait(executing, ready, behind) == 0)
                let finished = try await cluster.baton("explain", executing).output
                #expect(finished.hasPrefix("1/0 (long) is finished: succeeded.\n"), "\(finished)")
                #expect(try await kinds(dependent) == ["delay"])
            }
        }
    }
}
