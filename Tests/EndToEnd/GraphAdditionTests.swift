import Foundation
import Testing

extension EndToEndTests {
    @Suite("Graph files with options of the command line", .timeLimit(.minutes(60)))
    struct GraphAdditionTests {
        private static let graph = """
            { name: "daily", queue: "day", defaults: { env: { SHADE: "file", TONE: "file" } }, operations: [
              { name: "fetch", command: "echo fetch $SHADE $TONE >> notes" },
              { name: "check", command: "echo check $SHADE >> notes", env: { SHADE: "own" }, queue: "mine",
                priority: "high" },
              { name: "tidy", command: "echo tidy >> notes", after: ["fetch", "check"] },
            ] }
            """

        @Test(
            "The command line takes the place of the file's name, queue and defaults, and holds what has no dependency"
        )
        func precedence() async throws {
            try await withCluster { cluster in
                try cluster.write(Self.graph, to: "graph.json5")
                let job = try await cluster.submit(
                    "--file",
                    "graph.json5",
                    "--name",
                    "tonight",
                    "--queue",
                    "night",
                    "--priority",
                    "low",
                    "--env",
                    "SHADE=line",
                    "--hold"
                )
                let shown = try await cluster.show(job)
                #expect(shown.name == "tonight")
                #expect(shown.operations.elements.map(\.queue) == ["night", "mine", "night"])
                #expect(shown.operations.elements.map(\.priority.int) == [-4, 4, -4])
                #expect(shown.operations.elements.map(\.held) == [true, true, false])
                #expect(try await cluster.baton("release", job).status == 0)
                #expect(try await cluster.wait(job) == 0)
                #expect(Set(cluster.notes) == ["fetch line file", "check own", "tidy"])
                #expect(cluster.notes.last == "tidy")
            }
        }

        @Test("--after and --needs are for the operations without a dependency inside the file, with run too")
        func dependencies() async throws {
            try await withCluster { cluster in
                try cluster.write(Self.graph, to: "graph.json5")
                let failed = try await cluster.submit("--", "false")
                #expect(try await cluster.wait(failed) == 1)
                let skipped = try await cluster.baton("run", "--file", "graph.json5", "--needs", failed, "--queue", "q")
                #expect(skipped.status == 1, "\(skipped)")
                #expect(cluster.notes == ["tidy"])
                let after = try await cluster.baton("run", "--file", "graph.json5", "--after", failed)
                #expect(after.status == 0, "\(after)")
                #expect(Set(cluster.notes) == ["tidy", "fetch file file", "check own"])
            }
        }

        @Test("Other options of an operation are refused beside a file")
        func refused() async throws {
            try await withCluster(workers: nil) { cluster in
                for arguments in [["--retries", "2"], ["--array", "1-3"], ["--stdin", "-"], ["--delay", "1s"]] {
                    let result = try await cluster.baton(["submit", "--file", "graph.json5"] + arguments)
                    #expect(result.status == 64, "\(result)")
                    #expect(result.errors.contains("'\(arguments[0])' is for a command after '--'"), "\(result)")
                }
                let twice = try await cluster.baton("submit", "--file", "-", "--env-file", "-")
                #expect(twice.status == 64 && twice.errors.contains("--file and --env-file"), "\(twice)")
            }
        }
    }
}
