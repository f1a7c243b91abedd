import Foundation
import Testing

extension EndToEndTests {
    /// What the operations of one job may leave altogether.
    @Suite("The limit of a job's files", .timeLimit(.minutes(60)))
    struct FilesLimitTests {
        /// A graph of operations that run one after another, each of which leaves a file of a number of kilobytes.
        private func chain(_ kilobytes: [Int], members: String = "") -> String {
            let operations = kilobytes.enumerated().map { index, size in
                let script = FileScript.make("x", bytes: 1000 * size, seed: 100 * size + index)
                let after = index == 0 ? "" : ", after: ['o\(index - 1)']"
                return "{name: 'o\(index)', command: \"\(script)\", outputs: ['x'], workspace: 'fresh'\(after)}"
            }
            return "{\(members)operations: [\(operations.joined(separator: ","))]}"
        }

        @Test("The lower limit of the job's and the coordinator's counts; what exceeds it fails and is not kept")
        func limits() async throws {
            try await withCluster(workers: 0, coordinator: ["--job-files-limit", "2M"]) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "100M"])
                // The second file of the first job, and the third of the second one, are beyond the limits.
                let cases = [("filesLimit: '1M', ", 1, "(--files-limit)", "1M"), ("", 2, "(--job-files-limit)", "2M")]
                for (members, kept, option, figure) in cases {
                    let job = try await cluster.submit(graph: chain([900, 901, 902, 100], members: members))
                    #expect(try await cluster.finish(job) == 1)
                    let failed = try await cluster.show("\(job)/o\(kept)")
                    #expect((failed.outcome, failed.reason) == ("failed", "files"), "\(failed)")
                    let sentence = failed.message.string
                    #expect(sentence.contains(option) && sentence.contains(" \(figure) "), "\(sentence)")
                    // The last file has room beside the first ones.
                    let left = try await cluster.files(job).map(\.operation)
                    #expect(left == (Array(0..<kept) + [3]).map { "\(job)/\($0)" })
                }
                let text = try await cluster.baton("show", "1").output
                let line = text.split(separator: "\n").first { $0.hasPrefix("files limit:") }
                #expect(line?.hasSuffix(" 1M") == true, "\(text)")
                #expect(try await cluster.show("1").filesLimit == 1_048_576)
            }
        }

        @Test("Files beyond the limits are not sent, and what has no more is")
        func sent() async throws {
            try await withCluster(workers: 0, coordinator: ["--job-files-limit", "2000B"]) { cluster in
                try cluster.write(String(repeating: "a", count: 1500), to: "a")
                try cluster.write(String(repeating: "b", count: 501), to: "b")
                let graph = "{send: ['a'], filesLimit: '1499B', operations: [{command: 'true'}]}"
                try cluster.write(graph, to: "graph.json")
                let command = ["--", "true"]
                for (arguments, option) in [
                    (["submit", "--send", "a", "--files-limit", "1499B"] + command, "(--files-limit)"),
                    (["run", "--send", "a", "--files-limit", "1499B"] + command, "(--files-limit)"),
                    (["submit", "--send", "a", "--send", "b"] + command, "(--job-files-limit)"),
                    (["submit", "--send", "a", "--send", "b", "--files-limit", "1M"] + command, "(--job-files-limit)"),
                    (
                        ["submit", "--send", "a", "--send", "b", "--files-limit", "2000B"] + command,
                        "(--job-files-limit)"
                    ),
                    (["run", "--send", "a", "--send", "b", "--files-limit", "1999B"] + command, "(--job-files-limit)"),
                    (["submit", "--file", "graph.json"], "(--files-limit)"),
                ] {
                    let result = try await cluster.baton(arguments)
                    #expect(result.status == 65 && result.errors.contains(option), "\(arguments): \(result)")
                }
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
                // Nothing has travelled.
                let all = try FileManager.default.subpathsOfDirectory(atPath: cluster.home.path)
                #expect(!all.contains { $0.hasSuffix("-files") })
                let fits = try await cluster.baton(["submit", "--send", "a", "--files-limit", "1500B"] + command)
                #expect(fits.status == 0, "\(fits)")
            }
        }

        @Test(
            "Attempts beyond the limit are retried, also over a restart of the coordinator, which knows what the job has left"
        )
        func retried() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let first = FileScript.make("x", bytes: 600_000, seed: 1)
                let sizes =
                    "case $BATON_ATTEMPT in 3) head -c 400000 /dev/zero;; *) head -c 500000 /dev/zero;; esac > x"
                let graph = """
                    {operations: [
                      {name: "first", command: "\(first)", outputs: ["x"], workspace: "fresh"},
                      {name: "second", command: "\(sizes)", outputs: ["x"], workspace: "fresh", needs: ["first"],
                       hold: true, retries: 3, retryDelay: "1ms"}]}
                    """
                let job = try await cluster.submit("--file", "-", "--files-limit", "1M", input: graph)
                #expect(try await cluster.finish("\(job)/first") == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                try await cluster.change("release", "\(job)/second", count: 1)
                #expect(try await cluster.finish(job) == 0)
                let attempts = try await cluster.earlierAttempts(of: "\(job)/second")
                #expect(attempts.map(\.reason) == ["files", "files"])
                #expect(try await cluster.files("\(job)/second").map(\.size) == [400_000])
            }
        }
    }
}
