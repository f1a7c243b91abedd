import Foundation
import Testing

extension EndToEndTests {
    @Suite("Tags of jobs", .timeLimit(.minutes(60)))
    struct TagTests {
        /// The numbers of the listed jobs.
        private func jobs(_ options: String..., in cluster: TestCluster) async throws -> [String] {
            let result = try await cluster.baton(["list", "--json"] + options)
            try #require(result.status == 0, "\(result)")
            return try JSONValue(parsing: result.output).jobs.elements.map { "\($0.job.int)" }
        }

        @Test("Jobs are found by their tags, which show, list and export have, and which a retry keeps")
        func tags() async throws {
            try await withCluster { cluster in
                let first = try await cluster.submit(script: "exit 3", "--tag", "project=x", "--tag", "owner=東京 1")
                let second = try await cluster.submit(script: "true", "--tag", "project=x")
                let third = try await cluster.submit(
                    graph: #"{ tags: { project: "y", night: "1" }, operations: [{ command: "true" }] }"#
                )
                try cluster.write(#"{ tags: { project: "y" }, operations: [{ command: "true" }] }"#, to: "graph.json5")
                let fourth = try await cluster.submit(
                    "--file",
                    "graph.json5",
                    "--tag",
                    "project=x",
                    "--tag",
                    "owner=me"
                )
                _ = try await cluster.wait(first, second, third, fourth)
                for isRestarted in [false, true] {
                    if isRestarted { try await cluster.restartCoordinator(with: SIGKILL) }
                    #expect(try await jobs("--tag", "project=x", in: cluster) == [fourth, second, first])
                    #expect(try await jobs("--tag", "project=x", "--tag", "owner=東京 1", in: cluster) == [first])
                    #expect(try await jobs("--tag", "project=y", in: cluster) == [third])
                    #expect(try await jobs("--tag", "project=z", in: cluster).isEmpty)
                    #expect(try await jobs("--tag", "project=x", "--failed", in: cluster) == [first])
                }
                #expect(try await cluster.show(first).tags.project == "x")
                #expect(try await cluster.baton("show", first).output.contains("tags:       owner=東京 1, project=x\n"))
                let table = try await cluster.baton("list", "--columns", "job,tags", "--tag", "project=y")
                #expect(table.output == "JOB  TAGS\n  \(third)  night=1, project=y\n", "\(table)")
                let page = try await cluster.baton("list", "--tag", "project=x", "--limit", "1")
                #expect(page.errors == "There are more jobs; list more with --limit.\n", "\(page)")
                #expect(
                    try await cluster.baton("export", third).output.contains(#""tags": {"night": "1", "project": "y"}"#)
                )
                let retry = try await cluster.baton("retry", first)
                #expect(try await jobs("--tag", "owner=東京 1", in: cluster) == [retry.line, first])
            }
        }

        @Test("Tags that are not allowed are refused with a sentence")
        func refused() async throws {
            try await withCluster(workers: 0) { cluster in
                for wrong in [["project"], ["=x"], ["a="], ["a b=c"], ["a=1", "a=2"]] {
                    let options = wrong.flatMap { ["--tag", $0] }
                    #expect(try await cluster.baton(["submit"] + options + ["--", "true"]).status == 64, "\(wrong)")
                    #expect(try await cluster.baton(["list"] + options).status == 64, "\(wrong)")
                }
                try cluster.write(#"{ tags: { project: 7 }, operations: [{ command: "true" }] }"#, to: "graph.json5")
                let file = try await cluster.baton("submit", "--file", "graph.json5")
                #expect(file.status == 65 && file.errors.contains("graph.json5:1:20"), "\(file)")
                let job = try await cluster.submit("--key", "k", "--tag", "a=1", "--", "true")
                #expect(try await cluster.submit("--key", "k", "--tag", "a=1", "--", "true") == job)
                #expect(try await cluster.baton("submit", "--key", "k", "--tag", "a=2", "--", "true").status == 65)
            }
        }

        @Test("The list tells which job is a retry of which")
        func retries() async throws {
            try await withCluster { cluster in
                let first = try await cluster.submit(script: "exit 3", "--name", "n")
                _ = try await cluster.wait(first)
                #expect(try await !cluster.baton("list").output.contains("RETRY"))
                let second = try await cluster.baton("retry", first).line
                _ = try await cluster.wait(second)
                let third = try await cluster.baton("retry", second).line
                // A second retry of the same was taken in silence, and the state of the first shown nowhere.
                let refused = try await cluster.baton("retry", second)
                #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("retried already, as \(third)") && refused.errors.contains("--again"))
                for part in [["\(second)/0"], [second, "--group", "1"]] {
                    let refused = try await cluster.baton(["retry"] + part)
                    #expect(refused.status == 65 && refused.errors.contains("--again"), "\(refused)")
                }
                for command in ["failures", "summary", "explain"] {
                    let told = try await cluster.baton(command, second)
                    #expect((told.output + told.errors).contains("retried already, as \(third)"), "\(told)")
                }
                let fourth = try await cluster.baton("retry", second, "--again").line
                _ = try await cluster.wait(third, fourth)
                let table = try await cluster.baton("list", "--columns", "job,retry")
                #expect(
                    table.output == """
                        JOB  RETRY
                          \(fourth)  retry of \(second)
                          \(third)  retry of \(second)
                          \(second)  retry of \(first); retried as \(third): failed, \(fourth): failed
                          \(first)  retried as \(second): failed

                        """,
                    "\(table)"
                )
                let listed = try await cluster.json("list").jobs.elements
                #expect(listed.map { "\($0.retryOf.int)" } == [second, second, first, "-1"])
                #expect(listed[2].retriedAs.elements.map { "\($0.int)" } == [third, fourth])
                let shown = try await cluster.baton("show", second).output
                #expect(
                    shown.contains("retry of:   \(first)\nretried as: \(third): failed, \(fourth): failed\n"),
                    "\(shown)"
                )
            }
        }
    }
}
