import Foundation
import Testing

extension EndToEndTests {
    /// Files of the submitter, which operations find on other hosts.
    @Suite("Files of the submitter", .timeLimit(.minutes(60)))
    struct SentFilesTests {
        /// Writes files below the test's directory, and makes some of them executable.
        private func write(
            _ files: [String: String],
            executable: Set<String> = [],
            in cluster: TestCluster
        ) throws {
            for (path, text) in files {
                let file = cluster.home.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
                let mode = executable.contains(path) ? 0o755 : 0o644
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
        }

        /// A text of a length that is no multiple of a piece.
        private static func long(_ seed: Int) -> String { String(repeating: "line of seed \(seed)\n", count: 50_001) }

        @Test("A command finds the files where they are here, on hosts that share nothing, and leaves files of its own")
        func found() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name, slots: 2) }
                let files = [
                    "project/run.sh": "#!/bin/sh\ncat project/data/a project/data/deep/b\n", "project/data/a": "one\n",
                    "project/data/deep/b": "two\n", "project/data/empty": "", "project/data/long": Self.long(1),
                    "project/x.o": "not this", "project/.git/config": "nor this", "project/.batonignore": "*.o\n",
                    "elsewhere/ref.fa": "ref\n",
                ]
                try write(files, executable: ["project/run.sh"], in: cluster)
                let reference = cluster.home.appending(path: "elsewhere/ref.fa").path
                let script = "./project/run.sh; cat ref.fa; \(FileScript.digests) > sums; mkdir project/out"
                let result = try await cluster.baton(
                    ["submit", "--send", "project", "--send", reference, "--outputs", "sums", "--array", "1-2"]
                        + ["--", "sh", "-c", script]
                )
                try #require(result.status == 0, "\(result)")
                let job = result.line
                #expect(try await cluster.finish(job) == 0)
                for index in 0...1 {
                    #expect(try await cluster.baton("log", "\(job)/\(index)").output == "one\ntwo\nref\n")
                }
                let sent = try await cluster.files("\(job)/sent")
                #expect(
                    sent.map(\.path) == [
                        "project/data/a", "project/data/deep/b", "project/data/empty", "project/data/long",
                        "project/run.sh", "ref.fa",
                    ]
                )
                #expect(
                    sent.map(\.mode) == ["644", "644", "644", "644", "755", "644"]
                        && sent.allSatisfy { $0.attempt == 0 }
                )
                let expected = [String: String](uniqueKeysWithValues: sent.map { ($0.path, $0.digest) })
                #expect(try await cluster.baton("fetch", "\(job)/0", "--output", "got").status == 0)
                var sums = cluster.read("got/sums").digestsByPath
                // The list may have itself, half written.
                sums["sums"] = nil
                #expect(sums == expected)
                let shown = try await cluster.show("\(job)/sent")
                #expect((shown.outcome, shown.reason) == ("succeeded", "sent"), "\(shown)")
                // All of them come back as they were.
                #expect(try await cluster.baton("fetch", "\(job)/sent", "--output", "back").status == 0)
                #expect(
                    try Data(contentsOf: cluster.home.appending(path: "back/project/data/long"))
                        == Data(Self.long(1).utf8)
                )
            }
        }

        @Test("run prints what its command prints of the files, and exits with its status", arguments: [0, 7])
        func run(status: Int) async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try write(["project/a": "seven\n"], in: cluster)
                let result = try await cluster.baton(
                    "run",
                    "--send",
                    "project/a",
                    "--",
                    "sh",
                    "-c",
                    "cat project/a; exit \(status)"
                )
                #expect(result.status == Int32(status) && result.output == "seven\n", "\(result)")
            }
        }

        @Test("A graph sends files for all of its commands, or for those that say so")
        func graph() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                try write(["in/a": "1\n", "in/d/b": "2\n"], in: cluster)
                let job = try await cluster.submit(
                    graph: """
                        { send: ["in"], operations: [
                          { name: "all", command: "cat in/a in/d/b | tee out", outputs: ["out"], labels: ["host=w1"] },
                          { name: "next", command: "cat in/d/b $BATON_INPUTS/all/out", needs: ["all"], labels: ["host=w2"] },
                          { name: "own", command: "ls; cat b", needs: ["sent"], workspace: "fresh", inputs: { "sent/in/d/": "./" } },
                          { name: "none", command: "test ! -e in", cwd: "/" },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/all").output == "1\n2\n")
                #expect(try await cluster.baton("log", "\(job)/next").output == "2\n1\n2\n")
                #expect(try await cluster.baton("log", "\(job)/own").output == "b\n2\n")
                let exported = try await cluster.baton("export", job)
                #expect(exported.status == 0 && exported.output.contains("submit --send"), "\(exported)")
                try cluster.write(exported.output, to: "exported.json")
                let refused = try await cluster.baton("submit", "--file", "exported.json")
                #expect(refused.status == 65 && refused.errors.contains("--send"), "\(refused)")
                let again = try await cluster.submit("--file", "exported.json", "--send", "in")
                #expect(try await cluster.finish(again) == 0)
                #expect(try await cluster.baton("log", "\(again)/all").output == "1\n2\n")
            }
        }

        @Test("A command may have the files at places that it says, and a later job by the name of the operation")
        func places() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try write(["project/data/a": "one\n", "project/data/d/b": "two\n"], in: cluster)
                let pick = ["--workspace", "fresh", "--pick", "sent/project/data/=in/"]
                let first = try await cluster.baton(
                    ["submit", "--hold", "--send", "project"] + pick + ["--", "cat", "in/a", "in/d/b"]
                )
                try #require(first.status == 0, "\(first)")
                let job = first.line
                let second = try await cluster.baton(
                    ["submit", "--needs", "\(job)/sent"] + pick + ["--", "cat", "in/d/b"]
                )
                #expect(try await cluster.finish(second.line) == 0)
                #expect(try await cluster.baton("log", second.line).output == "two\n")
                try await cluster.change("release", job, count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/0").output == "one\ntwo\n")
            }
        }

        @Test("What was sent is there after a kill of the coordinator, and what has changed since is sent again")
        func restart() async throws {
            try await withCluster(workers: 0) { cluster in
                try write(["project/a": Self.long(1), "project/b": "old\n"], in: cluster)
                let job = try await cluster.submit(
                    "--send",
                    "project",
                    "--",
                    "sh",
                    "-c",
                    "head -c 4 project/a; cat project/b"
                )
                try await cluster.restartCoordinator(with: SIGKILL)
                try write(["project/b": "new\n"], in: cluster)
                let later = try await cluster.submit(
                    "--send",
                    "project",
                    "--",
                    "sh",
                    "-c",
                    "head -c 4 project/a; cat project/b"
                )
                try await cluster.startHost("w1")
                #expect(try await cluster.finish(job, later) == 0)
                #expect(try await cluster.baton("log", "\(job)/0").output == "lineold\n")
                #expect(try await cluster.baton("log", "\(later)/0").output == "linenew\n")
                let (first, second) = (try await cluster.files("\(job)/sent"), try await cluster.files("\(later)/sent"))
                #expect(first[0].digest == second[0].digest && first[1].digest != second[1].digest)
            }
        }

        @Test("Operations with the same files take the results of an earlier job, and others run")
        func reuse() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try write(["project/a": "1\n"], in: cluster)
                let arguments = ["submit", "--send", "project", "--name", "use"]
                let command = ["--", "sh", "-c", "cat project/a > $BATON_RESULT"]
                let first = try await cluster.baton(arguments + command).line
                #expect(try await cluster.finish(first) == 0)
                let same = try await cluster.baton(arguments + ["--reuse", first] + command).line
                #expect(try await cluster.finish(same) == 0)
                #expect(try await cluster.show("\(same)/use").reason == "reused")
                try write(["project/a": "2\n"], in: cluster)
                let other = try await cluster.baton(arguments + ["--reuse", first] + command).line
                #expect(try await cluster.finish(other) == 0)
                #expect(try await cluster.baton("result", "\(other)/use").output == "2\n")
            }
        }

        @Test("FI7 Sent files that are lost with the coordinator's disk fail what needs them, with their names")
        func lost() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try write(["project/a": "1\n"], in: cluster)
                let job = try await cluster.submit("--hold", "--send", "project", "--", "cat", "project/a")
                cluster.coordinator?.signal(SIGTERM)
                #expect(try await cluster.coordinator?.end() == 0)
                let all = try FileManager.default.subpathsOfDirectory(atPath: cluster.home.path)
                let kept = try #require(all.first { $0.hasSuffix("-files") }, "The coordinator keeps no files.")
                try FileManager.default.removeItem(at: cluster.home.appending(path: kept))
                try await cluster.startCoordinator()
                try await cluster.change("release", job, count: 1)
                #expect(try await cluster.finish(job) == 1)
                let failed = try await cluster.show("\(job)/0")
                #expect((failed.outcome, failed.reason) == ("failed", "input"), "\(failed)")
                let message = failed.message.string
                #expect(message.contains("project/a") && message.contains("submitted again"), "\(message)")
            }
        }

        @Test("What cannot be sent, or has no use, is refused before anything is submitted")
        func refused() async throws {
            try await withCluster(workers: 0) { cluster in
                try write(
                    ["project/a": "1\n", "x": "1\n", "graph.json": "{send: ['x'], operations: [{command: 'true'}]}"],
                    in: cluster
                )
                try FileManager.default.createSymbolicLink(
                    atPath: cluster.home.appending(path: "project/out").path,
                    withDestinationPath: "../x"
                )
                for (arguments, status, words) in [
                    (["submit", "--send", "none"], 66, "No such file"),
                    (["submit", "--send", "project"], 65, "leads out of"),
                    (["run", "--send", "project"], 65, "leads out of"),
                    (["submit", "--send", ""], 64, "is empty"),
                    (["submit", "--send", "x", "--cwd", "/tmp"], 64, "Leave --cwd out"),
                    (["submit", "--send", "x", "--workspace", "shared"], 64, "--workspace"),
                    (["submit", "--send", "x", "--name", "sent"], 65, "the name \"sent\""),
                    (["submit", "--send", "x", "--job", "12"], 64, "--send is for new jobs"),
                    (
                        ["schedule", "add", "s", "--cron", "0 2 * * *", "--send", "x"], 64,
                        "--send is for submit and run"
                    ),
                ] {
                    let result = try await cluster.baton(arguments + ["--", "true"])
                    #expect(result.status == Int32(status) && result.errors.contains(words), "\(arguments): \(result)")
                }
                let schedule = ["schedule", "add", "s", "--cron", "0 2 * * *", "--file", "graph.json"]
                let scheduled = try await cluster.baton(schedule)
                #expect(scheduled.status == 65 && scheduled.errors.contains("cannot send files"), "\(scheduled)")
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
            }
        }

        @Test("HTTP refuses a graph that sends files, and takes one that needs files of a job")
        func http() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                try await cluster.startHost("w1")
                try write(["x": "1\n"], in: cluster)
                let (_, token) = try await cluster.web()
                let graph = #"{"send": ["x"], "operations": [{"command": "true"}]}"#
                let refused = try await cluster.ask("POST", "/api/v1/jobs", token: token, body: graph)
                #expect(refused.status == 422 && refused.body.contains("no files can be sent here"), "\(refused)")
                let job = try await cluster.submit("--hold", "--send", "x", "--", "cat", "x")
                let use = """
                    {"operations": [{"command": "cat $BATON_INPUTS/sent/x", "needs": ["\(job)/sent"]}]}
                    """
                let taken = try await cluster.ask("POST", "/api/v1/jobs", token: token, body: use)
                #expect(taken.status == 201 || taken.status == 200, "\(taken)")
                let other = "\((Int(job) ?? 0) + 1)"
                #expect(try await cluster.finish(other) == 0)
                #expect(try await cluster.baton("log", "\(other)/0").output == "1\n")
            }
        }

        @Test("A viewer sends nothing")
        func viewer() async throws {
            try await withCluster(workers: 0) { cluster in
                try write(["x": "1\n"], in: cluster)
                let key = try await cluster.authorize("wall", as: "viewer")
                let process = try cluster.start(
                    ["submit", "--send", "x", "--", "true"],
                    environment: ["BATON_KEY": key]
                )
                #expect(try await process.end(of: "the command of a viewer") == 77)
                #expect(process.errorText.contains("may not send files"), "\(process.errorText)")
            }
        }
    }
}
