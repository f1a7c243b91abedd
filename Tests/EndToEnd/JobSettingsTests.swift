import Foundation
import Testing

extension EndToEndTests {
    @Suite("Maximum of failures and hooks of jobs", .timeLimit(.minutes(60)))
    struct JobSettingsTests {
        @Test("With --max-failures the rest of an array is cancelled, with a reason that show and explain tell")
        func array() async throws {
            // An operation sent ahead could start before its worker hears of the end.
            try await withCluster(coordinator: ["--send-ahead", "0"]) { cluster in
                let script = "case $BATON_INDEX in 2|4) exit 3;; esac; echo $BATON_INDEX >> notes"
                let job = try await cluster.submit(script: script, "--array", "1-9", "--max-failures", "2")
                let waited = try await cluster.baton("wait", job)
                #expect(waited.status == 1)
                #expect(cluster.notes == ["1", "3"])
                let shown = try await cluster.show(job)
                #expect(shown.maxFailures == 2 && shown.hooks == nil)
                #expect(shown.counts.failed == 2 && shown.counts.cancelled == 5 && shown.counts.succeeded == 2)
                #expect(shown.outcome == "failed")
                let reason = "It had not started when its job reached its maximum of 2 failures."
                #expect(shown.operations.elements[8].message == .text(reason))
                #expect(try await cluster.baton("explain", "\(job)/8").output.contains(reason))
                let text = try await cluster.baton("show", job).output
                #expect(text.contains("max failures: 2\n"), "\(text)")
                let retry = try await cluster.baton("retry", job, "--cancelled")
                #expect(retry.status == 0, "\(retry)")
                #expect(try await cluster.show(retry.line).maxFailures == 2)
            }
        }

        @Test("In a graph the operations that are there for failures still run, across a restart of the coordinator")
        func graph() async throws {
            try await withCluster(coordinator: ["--send-ahead", "0"]) { cluster in
                let gate = try cluster.gate("first")
                try cluster.write(
                    """
                    { maxFailures: 5, operations: [
                      { name: "first", command: "\(cluster.waitAtGate("first")); exit 1" },
                      { name: "second", command: "exit 1" },
                      { name: "third", command: "echo third >> notes" },
                      { name: "use", command: "echo use >> notes", needs: ["third"] },
                      { name: "tidy", command: "echo tidy >> notes", after: ["first", "use"] },
                      { name: "alert", command: "echo alert >> notes", onFailure: ["second"], hold: true },
                    ] }
                    """,
                    to: "graph.json5"
                )
                let job = try await cluster.submit("--file", "graph.json5", "--max-failures", "2")
                try await gate.arrival()
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.show(job).maxFailures == 2)
                try await gate.open()
                #expect(try await cluster.wait("\(job)/tidy") == 0)
                #expect(cluster.notes == ["tidy"])
                #expect(try await cluster.baton("release", "\(job)/alert").status == 0)
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["tidy", "alert"])
                let outcomes = try await cluster.outcomes(of: job)
                #expect(outcomes == ["failed", "failed", "cancelled", "cancelled", "succeeded", "succeeded"])
            }
        }

        @Test("The hooks of a job run once it is finished, with its outcome and counts, and their own settings")
        func hooks() async throws {
            try await withCluster { cluster in
                let pipe = try cluster.gate("pipe")
                func notes(_ command: String) async throws -> (job: String, notes: Set<String>) {
                    let hooks = try cluster.collect(2, at: pipe)
                    let tell = "echo $HOOK $BATON_JOB $BATON_NAME $BATON_OUTCOME $BATON_SUCCEEDED $BATON_FAILED"
                    let job = try await cluster.submit(
                        graph: """
                            { name: "nightly", defaults: { env: { HOOK: "a", TONE: "b" } }, hooks: {
                                finish: "\(tell) ${BATON_OPERATION-none} $TONE > '\(pipe.path)'",
                                success: ["sh", "-c", "\(tell) yes > '\(pipe.path)'"],
                                failure: "\(tell) no $BATON_CANCELLED $BATON_SKIPPED > '\(pipe.path)'",
                                env: { HOOK: "h" } },
                              operations: [ { name: "one", command: "\(command)" },
                                            { name: "two", command: "true", needs: ["one"] } ] }
                            """
                    )
                    #expect(try await hooks.end() == 0)
                    return (job, Set(hooks.outputText.split(separator: "\n").map(String.init)))
                }
                let (good, goodNotes) = try await notes("true")
                #expect(goodNotes == ["h \(good) nightly succeeded 2 0 none b", "h \(good) nightly succeeded 2 0 yes"])
                let (bad, badNotes) = try await notes("false")
                #expect(badNotes == ["h \(bad) nightly failed 0 1 none b", "h \(bad) nightly failed 0 1 no 0 1"])
                let shown = try await cluster.show(good)
                #expect(shown.hooks.success.elements.count == 3)
                #expect(try await cluster.baton("show", good).output.contains("on success:"))
            }
        }

        @Test("A hook of a job waits for a worker, across a restart of the coordinator")
        func restart() async throws {
            try await withCluster(workers: 0) { cluster in
                let pipe = try cluster.gate("pipe")
                let hooks = try cluster.collect(1, at: pipe)
                let job = try await cluster.submit(
                    graph: """
                        { hooks: { finish: "echo $BATON_JOB $BATON_OUTCOME $BATON_CANCELLED > '\(pipe.path)'" },
                          operations: [ { command: "true" }, { command: "true" } ] }
                        """
                )
                #expect(try await cluster.baton("cancel", job).status == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                try await cluster.startWorker("w1")
                #expect(try await hooks.end() == 0)
                #expect(hooks.outputText == "\(job) cancelled 2\n")
            }
        }
    }
}
