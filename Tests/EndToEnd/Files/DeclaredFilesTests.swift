import Foundation
import Testing

extension EndToEndTests {
    /// What an operation declares, and what is kept of it.
    @Suite("Declared files", .timeLimit(.minutes(60)))
    struct DeclaredFilesTests {
        /// The digest of no bytes at all.
        private static let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

        @Test(
            "FI1 The declared files of an operation that succeeds are kept with sizes, modes and digests, and no others"
        )
        func fi1() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let script = """
                    mkdir -p report/deep out/a out/b
                    \(FileScript.make("reads.bam", bytes: 3_000_001, seed: 1))
                    \(FileScript.make("other.sam", bytes: 10, seed: 2))
                    : > report/empty; echo deep > report/deep/page.html
                    echo a > out/a/x.txt; echo b > out/b/x.txt; echo no > out/b/x.log
                    printf '#!/bin/sh\\n' > tool; chmod 755 tool; chmod 600 out/a/x.txt; chmod 4711 out/b/x.txt
                    \(FileScript.digests)
                    """
                let job = try await cluster.submit(
                    script: script,
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "*.bam",
                    "--outputs",
                    "report/",
                    "--outputs",
                    "out/*/?.txt",
                    "--outputs",
                    "tool"
                )
                #expect(try await cluster.finish(job) == 0)
                let made = try await cluster.baton("log", job).output.digestsByPath
                let files = try await cluster.files("\(job)/0")
                let paths = [
                    "out/a/x.txt", "out/b/x.txt", "reads.bam", "report/deep/page.html", "report/empty", "tool",
                ]
                #expect(files.map(\.path).sorted() == paths)
                for file in files {
                    #expect(file.digest == made[file.path], "\(file.path)")
                    #expect((file.operation, file.attempt, file.holders) == ("\(job)/0", 1, ["w1"]))
                }
                let byPath = [String: ListedFile](files.map { ($0.path, $0) }) { first, _ in first }
                #expect(byPath["reads.bam"]?.size == 3_000_001)
                #expect(byPath["report/empty"]?.size == 0)
                #expect(byPath["report/empty"]?.digest == Self.digestOfNothing)
                // Nothing above the permission bits is kept, least of all the bit that gives a program its owner's rights.
                let modes = ["tool", "out/a/x.txt", "out/b/x.txt"].map { byPath[$0]?.mode }
                #expect(modes == ["755", "600", "711"])
                #expect(Set(cluster.objects(of: "w1").keys) == Set(files.map(\.digest)))
            }
        }

        @Test(
            "FI1 A pattern without a match fails the operation with the reason files, unless it is optional",
            arguments: ["shared", "fresh"]
        )
        func fi1Missing(workspace: String) async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let options = ["--workspace", workspace, "--outputs", "made-*.txt", "--outputs", "logs/*.log?"]
                func submit(_ script: String) async throws -> String {
                    let result = try await cluster.baton(["submit"] + options + ["--", "sh", "-c", script])
                    try #require(result.status == 0, "\(result)")
                    return result.line
                }
                let missing = try await submit("echo no > other.txt")
                #expect(try await cluster.finish(missing) == 1)
                let failed = try await cluster.show("\(missing)/0")
                #expect((failed.outcome, failed.reason) == ("failed", "files"), "\(failed)")
                #expect(failed.message.string.contains("made-*.txt"), "\(failed.message)")
                #expect(!failed.message.string.contains("logs/*.log"), "an optional pattern is no obstacle")
                #expect(try await cluster.files("\(missing)/0").isEmpty)

                let without = try await submit("echo yes > made-1.txt")
                let with = try await submit("echo yes > made-2.txt; mkdir -p logs; echo l > logs/a.log")
                #expect(try await cluster.finish(without, with) == 0)
                #expect(try await cluster.files("\(without)/0").map(\.path) == ["made-1.txt"])
                let both = try await cluster.files("\(with)/0").map(\.path)
                #expect(both.contains("logs/a.log") && both.contains("made-2.txt"), "\(both)")
            }
        }

        @Test(
            "FI1 A pattern without a match is retried as any failure, and the files of the attempt that succeeded are kept"
        )
        func fi1Retried() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let script = "test $BATON_ATTEMPT -lt 3 || echo $BATON_ATTEMPT > out.txt; echo x > always.txt"
                let job = try await cluster.submit(
                    script: script,
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "*.txt",
                    "--outputs",
                    "out.txt",
                    "--retries",
                    "4",
                    "--retry-delay",
                    "1ms"
                )
                #expect(try await cluster.finish(job) == 0)
                let files = try await cluster.files("\(job)/0")
                #expect(
                    files.map(\.path).sorted() == ["always.txt", "out.txt"],
                    "a file that two patterns match is one file"
                )
                #expect(files.allSatisfy { $0.attempt == 3 })
                #expect(try await cluster.earlierAttempts(of: "\(job)/0").map(\.reason) == ["files", "files"])
            }
        }

        @Test("FI1 An operation that fails or is cancelled keeps no file")
        func fi1Failed() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", slots: 2)
                let gate = try cluster.gate()
                let failed = try await cluster.submit(
                    script: "echo half > out.txt; exit 3",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "*.txt"
                )
                let cancelled = try await cluster.submit(
                    script: "echo half > out.txt; \(gate.wait)",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "*.txt"
                )
                try await gate.arrival(of: "the operation to cancel")
                try await cluster.change("cancel", cancelled, count: 1)
                #expect(try await cluster.finish(failed, cancelled) == 1)
                for job in [failed, cancelled] { #expect(try await cluster.files("\(job)/0").isEmpty) }
                #expect(try await cluster.show("\(failed)/0").exitStatus == 3)
                #expect(cluster.objects(of: "w1").isEmpty)
            }
        }

        @Test("FI1 A fresh workspace is empty at the start of each attempt, and is gone once its files are kept")
        func fi1Fresh() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", slots: 3)
                let script = """
                    test -z "$(ls -A)" || exit 9
                    pwd >> '\(cluster.home.path)/places'; echo {} > out-{}.txt; mkdir -p more/deep; echo x > more/deep/x
                    test $(({} % 3)) != 0 || test $BATON_ATTEMPT = 2
                    """
                let job = try await cluster.submit(
                    script: script,
                    "--array",
                    "1-9",
                    "--retries",
                    "1",
                    "--retry-delay",
                    "1ms",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "out-*.txt"
                )
                #expect(try await cluster.finish(job) == 0)
                let places = cluster.read("places").split(separator: "\n").map(String.init)
                #expect(places.count == 12 && Set(places).count == 12, "each attempt has its own: \(places)")
                let workspaces = cluster.home.appending(path: "host-w1/workers/w1/workspaces").path
                try await eventually(orFail: "The workspaces in \(workspaces) were not removed.") {
                    try FileManager.default.contentsOfDirectory(atPath: workspaces).isEmpty
                }
                #expect(try await cluster.files(job).map(\.path).sorted() == (1...9).map { "out-\($0).txt" })
            }
        }

        @Test("The workspaces of a killed worker are removed when it starts again, and its incomplete files with them")
        func leftovers() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "echo x > out.txt; chmod 555 .; \(gate.wait)",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "*.txt"
                )
                try await gate.arrival(of: "the first attempt")
                let state = cluster.home.appending(path: "host-w1/workers/w1")
                let workspaces = state.appending(path: "workspaces").path
                #expect(try FileManager.default.contentsOfDirectory(atPath: workspaces).count == 1)
                let worker = try #require(cluster.workers["w1"])
                worker.signal(SIGKILL)
                _ = try await worker.end(of: "the killed worker")
                let incoming = state.appending(path: "files/incoming")
                try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
                try Data("half".utf8).write(to: incoming.appending(path: "half"))
                gate.reset()
                try await cluster.startHost("w1")
                try await gate.arrival(of: "the second attempt")
                #expect(try FileManager.default.contentsOfDirectory(atPath: workspaces).count == 1)
                #expect(!FileManager.default.fileExists(atPath: incoming.appending(path: "half").path))
                try await gate.open(for: "the second attempt")
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.files("\(job)/0").map(\.attempt) == [2])
            }
        }

        @Test(
            "A thousand small files of an operation are listed with their digests, and two with the same bytes are kept once"
        )
        func thousand() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                // Of two hundreds that follow one another, the second has the bytes of the first.
                let script = """
                    mkdir -p many; i=0
                    while [ $i -lt 1000 ]; do echo $((i / 200 * 100 + i % 100)) > many/$i; i=$((i + 1)); done
                    \(FileScript.digests)
                    """
                let job = try await cluster.submit(script: script, "--workspace", "fresh", "--outputs", "many/")
                #expect(try await cluster.finish(job) == 0)
                let made = try await cluster.baton("log", job).output.digestsByPath
                let files = try await cluster.files("\(job)/0")
                #expect(files.count == 1000 && made.count == 1000)
                #expect(files.allSatisfy { made[$0.path] == $0.digest })
                #expect(cluster.objects(of: "w1").count == 500)
            }
        }

        @Test("Names with spaces, quotes, signs of patterns and of all languages are kept as they are")
        func names() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let names = [
                    " leading and trailing ", "a b.txt", "-dash", "ünï cødé/日本語.txt", "it's", "a\"b", "[x]*?", "#1",
                    "%2F",
                    "a\\b", String(repeating: "n", count: 255),
                ]
                var script = "mkdir -p 'all/ünï cødé'\n"
                for name in names { script += "echo x > 'all/\(name.replacing("'", with: "'\\''"))'\n" }
                let job = try await cluster.submit(script: script, "--workspace", "fresh", "--outputs", "all/")
                #expect(try await cluster.finish(job) == 0)
                let listed = try await cluster.files("\(job)/0").map(\.path)
                #expect(Set(listed) == Set(names.map { "all/\($0)" }) && listed.count == names.count, "\(listed)")
                let fetched = try await cluster.baton("fetch", "\(job)/0", "--output", "got")
                #expect(fetched.status == 0, "\(fetched)")
                #expect(Set(cluster.tree("got").keys) == Set(names.map { "all/\($0)" }))
            }
        }

        @Test("FI1 A worker's limit that is too small for the files of one attempt fails it, and says so")
        func limit() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "1M"])
                let job = try await cluster.submit(
                    script: FileScript.make("big", bytes: 1_500_000, seed: 1),
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "big"
                )
                #expect(try await cluster.finish(job) == 1)
                let failed = try await cluster.show("\(job)/0")
                #expect((failed.outcome, failed.reason) == ("failed", "files"), "\(failed)")
                #expect(failed.message.string.contains("larger limit for files"), "\(failed.message)")
                #expect(cluster.objects(of: "w1").isEmpty)
                let small = try await cluster.submit(
                    script: FileScript.make("small", bytes: 500_000, seed: 1),
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "small"
                )
                #expect(try await cluster.finish(small) == 0)
            }
        }
    }
}
