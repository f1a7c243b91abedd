import Foundation
import Testing

extension EndToEndTests {
    @Suite("What waiting commands tell", .timeLimit(.minutes(60)))
    struct StandstillTests {
        @Test("A wait and a run tell at once, and once, that no worker is there, with the command that helps")
        func noWorker() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--array", "1-3", "--name", "study", "--", "true")
                let waiting = try cluster.start("wait", job)
                let running = try cluster.start("run", "--", "echo", "hello")
                let quiet = try cluster.start("wait", job, "--quiet")
                let line = try await waiting.error(containing: "Nothing can run now.")
                #expect(
                    line == "Nothing can run now. \(job)/0 (study) waits: no worker is connected that could run it. "
                        + "\"baton workers\" lists the workers, and \"baton worker\" starts one for commands."
                )
                try await running.error(containing: "no worker is connected that could run it.")
                try await cluster.startWorker("w1")
                #expect(try await waiting.end() == 0)
                #expect(try await running.end() == 0)
                #expect(running.outputText == "hello\n")
                #expect(try await quiet.end() == 0)
                #expect(quiet.errorText == "")
                for process in [waiting, running] {
                    #expect(process.errorText.split(separator: "\n").count == 1, "\(process.errorText)")
                }
            }
        }

        // Snakemake asks for the state of what it has submitted, and sees "running" for ever; sbatch refuses such a job.
        @Test("D16 A submission that no worker can ever take says so at once, and is refused on demand")
        func unplaceable() async throws {
            try await withCluster(workers: 0) { cluster in
                let asked = ["--cpus", "64", "--name", "big"]
                let early = try await cluster.baton(["submit", "--reject-unplaceable"] + asked + ["--", "true"])
                #expect(early.status == 0 && early.errors.isEmpty, "\(early)")
                try await cluster.startWorker("w1", options: ["--cpus", "1"])
                let fact = "No worker that is here can ever take big: w1 (processors: needs 64, 1 of 1 free)."
                let told = try await cluster.baton(["submit"] + asked + ["--", "true"])
                #expect(told.status == 0 && told.line == "2" && told.errors.contains(fact), "\(told)")
                let quiet = try await cluster.baton(["submit", "--quiet"] + asked + ["--", "true"])
                #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet)")
                for command in ["submit", "run"] {
                    let refused = try await cluster.baton([command, "--reject-unplaceable"] + asked + ["--", "true"])
                    #expect(refused.status == 65 && refused.errors.contains(fact), "\(refused)")
                }
                #expect(try await cluster.submit("--", "true") == "4")
                try cluster.write(
                    "{ operations: [{ name: 'a', command: 'true' }, { name: 'big', command: 'true', needs: 'a', cpus: 64 }] }",
                    to: "graph.json5"
                )
                let run = try cluster.start("run", "--file", "graph.json5")
                try await run.error(containing: fact)
                try await run.error(containing: "5/1 (big) waits")
                try await cluster.change("cancel", "5", count: 1)
                #expect(try await run.end() == 1)
            }
        }

        // A type that nobody runs, a time that no worker has left, an addition and a retry were accepted in silence, and with
        // --reject-unplaceable, too.
        @Test("D16 Types, declared times, additions and retries that no worker can ever take are told and refused")
        func unplaceableKinds() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1", options: ["--cpus", "2", "--time-limit", "1h"])
                let fact = "No worker that is here can ever take operation 0: w1 ("
                let graph = try cluster.write("{ operations: [{ type: 'resize' }] }", to: "typed.json5")
                let kinds: [([String], String)] = [
                    (["--file", graph], "it does not run resize"),
                    (["--timeout", "2h", "--", "true"], "time: needs 2h"),
                    (["--expected", "2h", "--", "true"], "time: needs 2h"),
                ]
                for (arguments, lack) in kinds {
                    let told = try await cluster.baton(["submit"] + arguments)
                    #expect(told.status == 0 && told.errors.contains(fact + lack), "\(told)")
                    for command in ["submit", "run"] {
                        let refused = try await cluster.baton([command, "--reject-unplaceable"] + arguments)
                        #expect(refused.status == 65 && refused.errors.contains(fact + lack), "\(refused)")
                    }
                }
                let open = try await cluster.submit("--open")
                let addition = ["submit", "--job", open, "--cpus", "3"]
                let refused = try await cluster.baton(addition + ["--reject-unplaceable", "--", "true"])
                #expect(refused.status == 65 && refused.errors.contains(fact + "processors: needs 3"), "\(refused)")
                let added = try await cluster.baton(addition + ["--", "true"])
                #expect(added.status == 0 && added.line == "\(open)/0", "\(added)")
                #expect(added.errors.contains(fact + "processors: needs 3"), "\(added)")

                let failed = try await cluster.submit("--cpus", "2", "--", "false")
                #expect(try await cluster.wait(failed) == 1)
                cluster.workers["w1"]?.signal(SIGTERM)
                #expect(try await cluster.workers["w1"]?.end() == 0)
                try await cluster.startWorker("w2", options: ["--cpus", "1"])
                let lack = "w2 (processors: needs 2, 1 of 1 free)"
                let kept = try await cluster.baton("retry", failed, "--reject-unplaceable")
                #expect(kept.status == 65 && kept.errors.contains(lack), "\(kept)")
                let quiet = try await cluster.baton("retry", failed, "--quiet")
                #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet)")
                let retried = try await cluster.baton("retry", failed, "--again")
                #expect(retried.status == 0 && retried.errors.contains(lack), "\(retried)")
            }
        }

        @Test("A wait tells of a suspended queue and of a hold, by the names of the operations")
        func reasons() async throws {
            try await withCluster { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "true", queue: "q" },
                          { name: "second", command: "true", hold: true },
                          { name: "third", command: "true", needs: ["second"] },
                        ] }
                        """
                )
                let waiting = try cluster.start("wait", job, "--json")
                let dependent = try cluster.start("wait", "\(job)/third")
                let ofQueue = try cluster.start("wait", "--queue", "q")
                try await waiting.error(
                    containing: "\(job)/0 (first) waits: the queue \"q\" is suspended and starts nothing. Resume the "
                        + "queue with \"baton queue resume q\"."
                )
                try await waiting.error(
                    containing: "\(job)/1 (second) waits: it is held. Release it with \"baton release \(job)/1\"."
                )
                try await dependent.error(containing: "\(job)/1 (second) waits: it is held.")
                try await ofQueue.error(containing: "the queue \"q\" is suspended and starts nothing.")
                try await cluster.change("queue", "resume", "q", count: 1)
                try await cluster.change("release", "\(job)/1", count: 1)
                #expect(try await waiting.end() == 0)
                #expect(try await dependent.end() == 0)
                #expect(try await ofQueue.end() == 0)
                let document = try JSONValue(parsing: waiting.outputText)
                #expect(document.elapsedSeconds.number > 0 && document.busySeconds.number >= 0)
                #expect(document.slowest.elements.count == 3, "\(document)")
            }
        }

        @Test("A run in a full cluster, and a job that waits for what runs, tell nothing: queueing is no news")
        func fullCluster() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let first = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let dependent = try await cluster.submit("--after", first, "--", "true")
                let waiting = try cluster.start("wait", dependent)
                let running = try cluster.start("run", "--", "true")
                try await gate.open()
                #expect(try await running.end() == 0)
                #expect(try await waiting.end() == 0)
                #expect(waiting.errorText == "" && running.errorText == "")
            }
        }

        @Test("A run with its own cluster does not tell that its workers have not joined yet")
        func local() async throws {
            try await withCluster(workers: nil) { cluster in
                let run = try await cluster.baton("run", "--local", "--", "true")
                #expect(run.status == 0 && run.errors == "", "\(run)")
            }
        }

        @Test("The bar of a single operation moves with what the operation reports, and a job ends with its times")
        func bar() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "\(TestCluster.baton) progress 0.5; \(gate.wait)",
                    "--name",
                    "half"
                )
                let waiting = try cluster.startOnTerminal("wait", job)
                try await waiting.output(containing: "[##########>         ] 0/1  1 executing")
                let ofOperation = try cluster.startOnTerminal("wait", "\(job)/0")
                try await ofOperation.output(containing: "[##########>         ] 0/1  1 executing")
                try await gate.open()
                #expect(try await waiting.end() == 0)
                #expect(waiting.outputText.contains("[####################] 1/1"), "\(waiting.outputText)")
                #expect(waiting.outputText.contains("Elapsed "), "\(waiting.outputText)")
                #expect(try await ofOperation.end() == 0)
                #expect(!ofOperation.outputText.contains("Elapsed "))
                let document = try await cluster.json("wait", "\(job)/0")
                #expect(document.elapsedSeconds == nil && document.slowest == nil)
            }
        }

        @Test("A run of an array on a terminal shows its rate, and ends with its times and its slowest operations")
        func array() async throws {
            try await withCluster { cluster in
                let run = try cluster.startOnTerminal("run", "--array", "1-30", "--", "sleep", "0.02")
                #expect(try await run.end() == 0)
                #expect(run.outputText.contains("30/30"), "\(run.outputText)")
                #expect(["/s  ", "/min  "].contains { run.outputText.contains($0) }, "\(run.outputText)")
                #expect(run.outputText.contains("Slowest: 1/"), "\(run.outputText)")
            }
        }
    }
}
