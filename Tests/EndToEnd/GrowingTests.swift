import Foundation
import Testing

extension EndToEndTests {
    @Suite("Jobs that grow", .timeLimit(.minutes(60)))
    struct GrowingTests {
        @Test("An open job takes operations until it is closed, and only then ends; a restart leaves it open")
        func grow() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open", "--name", "sweep").line
                let dependent = try await cluster.submit(script: cluster.note("after"), "--needs", job)
                let empty = try await cluster.show(job)
                #expect(empty.open == true && empty.state == "pending" && empty.outcome == .null, "\(empty)")
                let first = try await cluster.baton(
                    "submit",
                    "--job",
                    "sweep",
                    "--name",
                    "one",
                    "--",
                    "sh",
                    "-c",
                    cluster.note("one")
                )
                #expect(first.status == 0 && first.line == "\(job)/0", "\(first)")
                #expect(try await cluster.wait("\(job)/0") == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                let idle = try await cluster.show(job)
                #expect(idle.open == true && idle.state == "pending" && idle.outcome == .null, "\(idle)")
                #expect(try await cluster.baton("wait", job, "--timeout", "50ms").status == 124)
                let waiting = try cluster.start("wait", job)
                try await waiting.error(containing: "Nothing can run now: job \(job) is open")
                let summary = try await cluster.json("summary", job)
                #expect(summary.state == "pending" && summary.outcome == .null, "\(summary)")
                for command in ["retry", "delete"] {
                    #expect(try await cluster.baton(command, job).errors.contains("Job \(job) is open. Close it"))
                }
                let explained = try await cluster.baton("explain", dependent).output
                #expect(
                    explained.contains("Job \(job) is open") && explained.contains("\"baton close \(job)\""),
                    "\(explained)"
                )
                let script = cluster.note("$BATON_INDEX")
                let added = try await cluster.baton(
                    "submit",
                    "--json",
                    "--job",
                    job,
                    "--needs",
                    "\(job)/one",
                    "--array",
                    "7-9",
                    "--",
                    "sh",
                    "-c",
                    script
                )
                let array = try JSONValue(parsing: added.output)
                #expect(array.first == 1 && array.operations == 3 && "\(array.job.int)" == job)
                try cluster.write(
                    #"{ name: "ignored", operations: [{ name: "two", command: "true", after: ["\#(job)/1"] }] }"#,
                    to: "graph.json5"
                )
                let file = try await cluster.baton("submit", "--job", job, "--file", "graph.json5")
                #expect(file.line == "\(job)/4", "\(file)")
                #expect(try await cluster.wait("\(job)/two") == 0)
                let closed = try await cluster.baton("close", job)
                #expect(closed.status == 0 && closed.errors == "Closed one job.\n", "\(closed)")
                #expect(try await waiting.end() == 0)
                #expect(try await cluster.wait(job, dependent) == 0)
                #expect(cluster.notes.first == "one" && Set(cluster.notes.dropFirst().dropLast()) == ["7", "8", "9"])
                #expect(cluster.notes.last == "after")
                let done = try await cluster.show(job)
                #expect(done.open == false && done.outcome == "succeeded" && done.name == "sweep", "\(done)")
                let late = try await cluster.baton("submit", "--job", job, "--", "true")
                #expect(late.status == 65 && late.errors.contains("Job \(job) is finished"), "\(late)")
                #expect(try await cluster.baton("submit", "--job", "77", "--", "true").status == 66)
                #expect(try await cluster.baton("close", job).errors.contains("closing it has no effect"))
                #expect(try await cluster.baton("export", job).output.contains(#""name": "two""#))
            }
        }

        @Test("A running operation adds to its own job, and to no other")
        func running() async throws {
            try await withCluster { cluster in
                let other = try await cluster.baton("submit", "--open").line
                let add =
                    "\(TestCluster.baton) submit --job $BATON_JOB --name second -- sh -c '\(cluster.note("second"))'"
                let stray = "\(TestCluster.baton) submit --job \(other) -- true; echo $? > stray"
                let job = try await cluster.baton(
                    "submit",
                    "--open",
                    "--",
                    "sh",
                    "-c",
                    "\(add) > added && { \(stray); }"
                ).line
                #expect(try await cluster.wait("\(job)/0") == 0)
                #expect(cluster.read("added") == "\(job)/1\n")
                #expect(cluster.read("stray") == "77\n")
                #expect(try await cluster.baton("close", job, other).status == 0)
                #expect(try await cluster.wait(job, other) == 0)
                #expect(cluster.notes == ["second"])
            }
        }

        @Test("An addition with a key is taken once, before and after the end of the job")
        func keys() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open").line
                let arguments = ["submit", "--job", job, "--key", "k", "--", "true"]
                for _ in 0..<2 { #expect(try await cluster.baton(arguments).line == "\(job)/0") }
                #expect(try await cluster.baton("submit", "--job", job, "--key", "k", "--", "false").status == 65)
                #expect(try await cluster.baton("close", job).status == 0)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton(arguments).line == "\(job)/0")
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.baton(arguments).line == "\(job)/0")
                #expect(try await cluster.show(job).counts.succeeded == 1)
            }
        }

        @Test("D13 A key of an addition is refused for a job and another job's addition, and the other way round")
        func sharedKeys() async throws {
            try await withCluster { cluster in
                func submit(_ arguments: String...) async throws -> TestCluster.CommandResult {
                    try await cluster.baton(["submit"] + arguments + ["--", "true"])
                }
                let (first, second) = (
                    try await cluster.baton("submit", "--open").line, try await cluster.baton("submit", "--open").line
                )
                #expect(try await submit("--job", first, "--key", "addition").line == "\(first)/0")
                let named = try await submit("--key", "job").line
                for step in 0..<3 {
                    if step == 1 {
                        #expect(try await cluster.baton("close", first).status == 0)
                        #expect(try await cluster.wait(first, named) == 0)
                    } else if step == 2 {
                        try await cluster.restartCoordinator(with: SIGKILL)
                    }
                    for (refused, holder) in [
                        (try await submit("--key", "addition"), first),
                        (try await submit("--job", second, "--key", "addition"), first),
                        (try await submit("--job", second, "--key", "job"), named),
                    ] {
                        #expect(refused.status == 65 && refused.errors.contains("job \(holder)"), "\(step): \(refused)")
                    }
                    #expect(try await submit("--job", first, "--key", "addition").line == "\(first)/0")
                    #expect(try await submit("--key", "job").line == named)
                }
                #expect(try await cluster.show(second).counts.succeeded == 0)
            }
        }

        @Test("A cancellation and the maximum of failures close an open job, and wrong uses get a sentence")
        func closing() async throws {
            try await withCluster { cluster in
                let job = try await cluster.baton("submit", "--open", "--hold", "--", "true").line
                let cancelled = try await cluster.baton("cancel", job)
                #expect(cancelled.errors.contains("takes no further operations"), "\(cancelled)")
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.show(job).outcome == "cancelled")
                let empty = try await cluster.baton("submit", "--open").line
                let needing = try await cluster.submit(script: cluster.note("ran"), "--needs", empty)
                #expect(try await cluster.baton("cancel", empty).status == 0)
                let ended = try await cluster.baton("wait", empty)
                #expect(ended.status == 1 && ended.errors.contains("A job was cancelled before"), "\(ended)")
                #expect(try await cluster.wait(needing) == 1 && cluster.notes.isEmpty)
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.show(empty).outcome == "cancelled")
                #expect(try await cluster.json("list").jobs.elements[1].outcome == "cancelled")
                let waited = try await cluster.baton("wait", empty, "--json")
                #expect(waited.output.contains(#""outcome":"cancelled""#), "\(waited)")
                let late = try await cluster.submit(script: cluster.note("ran"), "--needs", empty)
                #expect(try await cluster.wait(late) == 1 && cluster.notes.isEmpty)
                let end = try await cluster.watch().lines(to: "\"job\":\(empty),", "finished")
                #expect(end.last?.contains(#""outcome":"cancelled""#) == true, "\(end)")
                let explained = try await cluster.baton("explain", "\(needing)/0")
                #expect(explained.output.contains("It needs job \(empty), which was cancelled."), "\(explained)")
                let failing = try await cluster.baton("submit", "--open", "--max-failures", "1", "--", "false").line
                #expect(try await cluster.wait(failing) == 1)
                #expect(try await cluster.show(failing).open == false)
                for wrong in [
                    ["--open", "--job", "1", "--", "true"], ["--open", "--retries", "2"], ["--job", "1"],
                    ["--job", "1", "--tag", "a=1", "--", "true"], ["--job", "1", "--max-failures", "2", "--", "true"],
                ] {
                    #expect(try await cluster.baton(["submit"] + wrong).status == 64, "\(wrong)")
                }
                #expect(try await cluster.baton("close").status == 64)
                #expect(try await cluster.baton("run", "--local").status == 64)
            }
        }
    }
}
