import Foundation
import Testing

extension SemanticsTests {
    @Suite("Outcomes of jobs, roots of skips, and retries")
    struct Outcomes {
        /// For each operation of a job, the root for which `show` says that the operation was skipped.
        ///
        /// For a skipped operation without a root the element is the reason, and for other operations the outcome.
        private static func skips(of job: String, in cluster: TestCluster) async throws -> [String] {
            try await cluster.show(job).operations.elements.map { operation in
                guard operation.outcome == "skipped" else { return operation.outcome.string }
                return operation.skippedBecauseOf == nil ? operation.reason.string : operation.skippedBecauseOf.string
            }
        }

        @Test(
            "DE9 One failure of several onFailure dependencies is enough, once all dependencies are finished",
            arguments: ClusterShape.tested
        )
        func de9Several(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queues: { shut: { maxConcurrent: 0 } }, operations: [
                          { name: "good", command: "true" }, { name: "bad", command: "false" },
                          { name: "ended", command: "true", queue: "shut" },
                          { name: "slow", command: "\(gate.wait); \(cluster.note("slow"))" },
                          { name: "any", command: "\(cluster.note("any"))", onFailure: ["good", "bad", "slow"] },
                          { name: "none", command: "true", onFailure: ["good", "slow"] },
                          { name: "stopped", command: "true", onFailure: ["good", "ended"] },
                          { name: "early", command: "true", onFailure: ["bad"], needs: ["ended", "slow"] },
                        ] }
                        """
                )
                #expect(try await cluster.json("cancel", "\(job)/ended").cancelled == 1)
                _ = try await cluster.wait("\(job)/good", "\(job)/bad", "\(job)/stopped", "\(job)/early")
                try await gate.arrival()
                #expect(
                    try await Self.skips(of: job, in: cluster)
                        == ["succeeded", "failed", "cancelled", "", "", "", "\(job)/2", "\(job)/2"]
                )
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(try await Self.skips(of: job, in: cluster)[4...5] == ["succeeded", "notNeeded"])
                #expect(cluster.notes == ["slow", "any"])
            }
        }

        @Test(
            "DE24 Every skip has a root, also in another job and after a restart, or was not needed",
            arguments: ClusterShape.tested
        )
        func de24(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let first = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "bad", command: "exit 3" }, { name: "b", command: "true", needs: ["bad"] },
                          { name: "good", command: "true" }, { name: "alert", command: "true", onFailure: ["good"] },
                          { name: "more", command: "true", needs: ["alert"] },
                          { name: "onMore", command: "true", onFailure: ["more"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(first) == 1)
                #expect(
                    try await Self.skips(of: first, in: cluster)
                        == ["failed", "\(first)/0", "succeeded", "notNeeded", "notNeeded", "notNeeded"]
                )
                let held = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "gate", command: "true", hold: true },
                          { name: "needs", command: "true", needs: ["\(first)/b"] },
                          { name: "further", command: "true", needs: ["needs"] },
                          { name: "onFailure", command: "true", onFailure: ["further"] },
                          { name: "unneeded", command: "true", needs: ["\(first)/onMore"] },
                          { name: "late", command: "true", needs: ["gate", "further"] },
                          { name: "cancelled", command: "true", onFailure: ["gate"] },
                        ] }
                        """
                )
                _ = try await cluster.wait("\(held)/3", "\(held)/4")
                try await cluster.restartCoordinator(with: SIGKILL)
                try await cluster.change("cancel", "\(held)/gate", count: 1)
                #expect(try await cluster.wait(held) == 1)
                #expect(
                    try await Self.skips(of: held, in: cluster) == [
                        "cancelled", "\(first)/0", "\(first)/0", "succeeded", "notNeeded", "\(first)/0", "\(held)/0",
                    ]
                )
                let counts = try await cluster.show(held).counts
                #expect((counts.skipped, counts.notNeeded) == (5, 1))
            }
        }

        @Test(
            "DE25 A dependency on a job goes by the job's outcome, and on an array by the outcomes of all its elements",
            arguments: ClusterShape.tested
        )
        func de25(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let fine = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "a", command: "true" }, { name: "alert", command: "true", onFailure: ["a"] },
                        ] }
                        """
                )
                let bad = try await cluster.submit("--array", "0-1", "--", "sh", "-c", "exit {}")
                let ended = try await cluster.submit("--hold", "--", "true")
                try await cluster.change("cancel", ended, count: 1)
                _ = try await cluster.wait(fine, bad, ended)
                var skips: [String] = []
                for condition in [fine, bad, ended].flatMap({ [["--needs", $0], ["--on-failure", $0]] }) {
                    let job = try await cluster.submit(condition[0], condition[1], "--", "true")
                    _ = try await cluster.wait(job)
                    skips += try await Self.skips(of: job, in: cluster)
                }
                #expect(
                    skips == ["succeeded", "notNeeded", "\(bad)/1", "succeeded", "\(ended)/0", "\(ended)/0"]
                )
                let arrays = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "good", command: "true" },
                          { name: "some", command: "exit {}", array: "0-1" },
                          { name: "unneeded", command: "true", array: "0-1", onFailure: ["good"] },
                          { name: "fine", command: "true", array: "0-1" },
                          { command: "true", needs: ["some"] }, { command: "true", onFailure: ["some"] },
                          { command: "true", needs: ["unneeded"] }, { command: "true", onFailure: ["unneeded"] },
                          { command: "true", needs: ["fine"] }, { command: "true", onFailure: ["fine"] },
                        ] }
                        """
                )
                _ = try await cluster.wait(arrays)
                #expect(
                    try await Self.skips(of: arrays, in: cluster).dropFirst(7) == [
                        "\(arrays)/2", "succeeded", "notNeeded", "notNeeded", "succeeded", "notNeeded",
                    ]
                )
            }
        }

        @Test(
            "D10 A job has an outcome, and wait, run, list and the exit statuses go by it",
            arguments: ClusterShape.tested
        )
        func d10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let graph = """
                    { operations: [
                      { name: "fetch", command: "true" }, { name: "sepia", command: "true", needs: ["fetch"] },
                      { name: "tidy", command: "true", after: ["sepia"] },
                      { name: "alert", command: "false", onFailure: ["sepia"] },
                    ] }
                    """
                let file = try cluster.write(graph, to: "thumbnails.json")
                let run = try await cluster.baton("run", "--file", file)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
                let held = try await cluster.submit("--hold", "--", "true")
                #expect(try await cluster.show(held).outcome == nil)
                let needs = try await cluster.submit("--needs", held, "--", "true")
                try await cluster.change("cancel", held, count: 1)
                let bad = try await cluster.submit("--", "false")
                _ = try await cluster.wait(bad)
                let behind = try await cluster.submit("--needs", bad, "--", "true")
                for (job, outcome, status) in [
                    ("1", "succeeded", 0), (held, "cancelled", 1), (needs, "cancelled", 1), (bad, "failed", 1),
                    (behind, "failed", 1), ("1/alert", "succeeded", 0),
                ] as [(String, String, Int32)] {
                    let wait = try await cluster.baton("wait", job, "--json")
                    #expect(wait.status == status)
                    #expect(try JSONValue(parsing: wait.output).outcome == .text(outcome))
                    guard !job.contains("/") else { continue }
                    #expect(try await cluster.show(job).outcome == .text(outcome))
                    let listed = try await cluster.json("list").jobs.elements.first { "\($0.job.int)" == job }
                    #expect(listed?.outcome == .text(outcome))
                }
                #expect(try await cluster.show("1").counts.notNeeded == 1)
                #expect(try await cluster.baton("wait", "1", bad).status == 1)
                let events = try await cluster.eventsSoFar(of: try cluster.watch())
                let ends = events.filter { $0.event == "job" && $0.state == "finished" }
                #expect(
                    Set(ends.map { "\($0.job.int) \($0.outcome.string)" }) == [
                        "1 succeeded", "\(held) cancelled", "\(needs) cancelled", "\(bad) failed", "\(behind) failed",
                    ]
                )
                try await cluster.restartCoordinator(with: SIGKILL)
                let kept = try await cluster.json("list").jobs.elements.map { "\($0.job.int) \($0.outcome.string)" }
                // The list begins with one more job, which `eventsSoFar(of:)` submitted.
                #expect(
                    kept.suffix(5) == [
                        "\(behind) failed", "\(bad) failed", "\(needs) cancelled", "\(held) cancelled", "1 succeeded",
                    ]
                )
                let refused = try await cluster.baton("retry", "1")
                #expect(refused.status == 65 && refused.errors.contains("nothing to submit again"), "\(refused)")
            }
        }

        @Test(
            "D11 A retry submits failed operations and their dependents again, and cancelled operations if asked",
            arguments: ClusterShape.tested
        )
        func d11(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { name: "night", operations: [
                          { name: "bad", command: "test $BATON_JOB -gt 2 || \(gate.wait); test $BATON_JOB != 1" },
                          { name: "needs", command: "true", needs: ["bad"] },
                          { name: "after", command: "true", after: ["bad"] },
                          { name: "alert", command: "\(cluster.note("alert"))", onFailure: ["bad"] },
                          { name: "good", command: "true" },
                          { name: "ended", command: "true", hold: true },
                          { name: "needsEnded", command: "true", needs: ["ended"] },
                          { name: "worse", command: "exit 5" },
                        ] }
                        """
                )
                let running = try await cluster.baton("retry", job)
                #expect(running.status == 65 && running.errors.contains("is not finished"), "\(running)")
                try await cluster.change("cancel", "\(job)/ended", count: 1)
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)

                func names(_ arguments: String...) async throws -> [String] {
                    let retry = try await cluster.baton(["retry", "--again"] + arguments)
                    try #require(retry.status == 0, "\(retry)")
                    return try await cluster.show(retry.line).operations.elements.map(\.name.string)
                }
                #expect(try await names(job) == ["bad", "needs", "after", "alert", "worse"])
                try await gate.open()
                #expect(try await cluster.wait("2") == 1)
                #expect(
                    try await cluster.outcomes(of: "2") == ["succeeded", "succeeded", "succeeded", "skipped", "failed"]
                )
                #expect(cluster.notes == ["alert"])
                #expect(try await names("\(job)/worse") == ["worse"])
                #expect(try await names("\(job)/bad", "\(job)/worse", "--no-dependents") == ["bad", "worse"])
                #expect(
                    try await names(job, "--cancelled")
                        == ["bad", "needs", "after", "alert", "ended", "needsEnded", "worse"]
                )
                for refused in ["\(job)/good", "\(job)/ended"] {
                    let result = try await cluster.baton("retry", refused, "--again")
                    #expect(result.status == 65 && result.errors.contains("nothing to submit again"), "\(result)")
                }
                #expect(try await cluster.wait("3", "4", "5") == 1)
                // Several jobs make one new job each.
                let several = try await cluster.baton("retry", "2", "3/0", "2/worse")
                #expect(several.output == "6\n7\n")
                let first = try await cluster.show(job)
                #expect((first.retryOf, first.retriedAs) == (nil, [2, 3, 4, 5]))
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.show("5").retryOf == 1)
                #expect(try await cluster.show("2").retriedAs == [6])
            }
        }

        @Test(
            "D13 Another submission with the same key is refused with the job that has it",
            arguments: ClusterShape.tested
        )
        func d13(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                func submit(_ arguments: String...) async throws -> TestCluster.CommandResult {
                    try await cluster.baton(["submit", "--key", "nightly"] + arguments)
                }
                let first = try await submit(
                    "--array",
                    "1-1000000",
                    "--hold",
                    "--env",
                    "A=1",
                    "--env",
                    "B=2",
                    "--",
                    "true"
                )
                #expect(first.line == "1")
                func expectRefusals() async throws {
                    #expect(
                        try await submit("--array", "1-1000000", "--hold", "--env", "B=2", "--env", "A=1", "--", "true")
                            .line
                            == "1"
                    )
                    for arguments in [
                        ["--array", "1-1000000", "--hold", "--env", "A=1", "--env", "B=2", "--", "false"],
                        ["--array", "1-999999", "--hold", "--env", "A=1", "--env", "B=2", "--", "true"],
                        ["--array", "1-1000000", "--hold", "--env", "A=1", "--", "true"], ["--", "true"],
                    ] {
                        let refused = try await cluster.baton(["submit", "--key", "nightly"] + arguments)
                        #expect(refused.status == 65 && refused.errors.contains("job 1"), "\(refused)")
                    }
                }
                try await expectRefusals()
                try await cluster.restartCoordinator(with: SIGKILL)
                try await expectRefusals()
                try await cluster.change("cancel", "1", count: 1_000_000)
                try await expectRefusals()
                try await cluster.restartCoordinator(with: SIGTERM)
                try await expectRefusals()
                #expect(try await cluster.json("list").jobs.elements.count == 1)
            }
        }
    }
}
