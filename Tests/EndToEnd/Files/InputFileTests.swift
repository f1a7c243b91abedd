import Foundation
import Testing

extension EndToEndTests {
    /// The files of dependencies, as their dependents find them.
    @Suite("Input files", .timeLimit(.minutes(60)))
    struct InputFileTests {
        /// Files of all sizes that matter: nothing, less than a piece, whole pieces, and an odd rest.
        private static let sizes = [
            "empty": 0, "one": 1, "piece": 512 << 10, "more": (512 << 10) + 1, "odd": 3_000_001,
        ]

        /// A script that makes the files of ``sizes`` in `data/`.
        private static func maker(seed: Int) -> String {
            "mkdir -p data/deep; "
                + sizes.sorted { $0.key < $1.key }.map {
                    FileScript.make("data/deep/\($0.key)", bytes: $0.value, seed: seed)
                }.joined(separator: "; ")
        }

        /// A JSON5 string.
        private static func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }

        @Test("FI3 A dependent on another host finds all files of its dependency, complete and with their digests")
        func fi3() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name) }
                let script = Self.maker(seed: 1) + "; chmod 755 data/deep/odd"
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: \(Self.quoted(script)), outputs: ["data/"], labels: ["host=w1"] },
                          { name: "near", command: \(Self.quoted(FileScript.inputDigests)), needs: ["make"], labels: ["host=w1"] },
                          { name: "far", command: \(Self.quoted(FileScript.inputDigests)), needs: ["make"], labels: ["host=w2"] },
                          { name: "modes", command: "cd $BATON_INPUTS/make && find . -printf '%m %p\\\\n' | sort", needs: ["make"],
                            labels: ["host=w3"] },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                let files = try await cluster.files("\(job)/make")
                #expect(files.map(\.size).sorted() == Self.sizes.values.sorted())
                let expected = [String: String](files.map { ("make/\($0.path)", $0.digest) }) { first, _ in first }
                for name in ["near", "far"] {
                    #expect(
                        try await cluster.baton("log", "\(job)/\(name)").output.digestsByPath == expected,
                        "\(name)"
                    )
                }
                // What dependents find is not theirs: nobody may write it, and who may run a program may run it there, too.
                let modes = try await cluster.baton("log", "\(job)/modes").output.split(separator: "\n").map(
                    String.init
                )
                #expect(modes.contains("555 ./data/deep/odd") && modes.contains("444 ./data/deep/one"), "\(modes)")
                #expect(modes.contains("555 ./data/deep") && modes.contains("555 ./data"), "\(modes)")
                // Whoever has fetched a file holds it.
                #expect(files.allSatisfy { $0.holders == ["w1", "w2", "w3"] }, "\(files)")
                #expect(try await cluster.show("\(job)/far").attempt == 1)
            }
        }

        @Test("FI3 A dependent starts only once its files are there, and FI4 holds no slot until then")
        func fi4() async throws {
            // With several places ahead, the worker has both operations at once, whatever the durations so far.
            try await withCluster(workers: 0, coordinator: ["--send-ahead", "4"]) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let note = cluster.note("dependent")
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: \(Self.quoted(Self.maker(seed: 2))), outputs: ["data/"], labels: ["host=w1"] },
                          { name: "use", command: \(Self.quoted(note + "; " + FileScript.inputDigests)), needs: ["make"],
                            labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/make") == 0)
                let holder = try #require(cluster.workers["w1"])
                holder.pause()
                try await cluster.change("release", "\(job)/use", count: 1)
                try await eventually(orFail: "The operation \(job)/use was not sent to the worker w2.") {
                    try await cluster.show("\(job)/use").state == "ready"
                }
                // The only slot of the worker is free for others, several times.
                for number in 1...3 {
                    let other = try await cluster.submit(
                        graph:
                            "{operations: [{command: \(Self.quoted(cluster.note("other-\(number)"))), labels: ['host=w2']}]}"
                    )
                    #expect(try await cluster.finish(other) == 0)
                }
                #expect(cluster.notes == ["other-1", "other-2", "other-3"])
                #expect(try await cluster.show("\(job)/use").state == "ready")
                holder.signal(SIGCONT)
                #expect(try await cluster.finish(job) == 0)
                let files = try await cluster.files("\(job)/make")
                let seen = try await cluster.baton("log", "\(job)/use").output.digestsByPath
                #expect(seen == [String: String](files.map { ("make/\($0.path)", $0.digest) }) { first, _ in first })
                #expect(try await cluster.show("\(job)/use").attempt == 1)
            }
        }

        @Test("FI5 A file on the host is linked, not copied, and one that was fetched is not fetched again")
        func fi5() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                // The number of a file is the same for all its links.
                let numbers = "cd $BATON_INPUTS/make && find data -type f -printf '%i %p\\\\n' | sort -k 2"
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: \(Self.quoted(Self.maker(seed: 3))), outputs: ["data/"], labels: ["host=w1"] },
                          { name: "near", array: "1-2", command: "\(numbers)", needs: ["make"], labels: ["host=w1"] },
                          { name: "far", array: "1-2", command: "\(numbers)", needs: ["make"], labels: ["host=w2"] },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                let files = try await cluster.files("\(job)/make")
                for (first, worker) in [(1, "w1"), (3, "w2")] {
                    let objects = cluster.objects(of: worker)
                    #expect(objects.count == files.count)
                    let lines = try files.map { file in
                        let object = try #require(objects[file.digest])
                        return "\(try Self.number(of: object)) \(file.path)"
                    }
                    for index in first...first + 1 {
                        let seen = try await cluster.baton("log", "\(job)/\(index)").output
                        #expect(Set(seen.split(separator: "\n").map(String.init)) == Set(lines), "operation \(index)")
                    }
                }
            }
        }

        @Test(
            "FI3 Files of several dependencies, of elements of an array and of other jobs have folders with the inputs' names"
        )
        func fi3Several() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name, slots: 2) }
                let early = try await cluster.submit(
                    script: "echo early > x.txt",
                    "--name",
                    "make",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "x.txt"
                )
                #expect(try await cluster.finish(early) == 0)
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "part", array: "1-7", command: "echo part {} > x.txt; mkdir d; echo deep {} > d/y.txt",
                            outputs: ["*.txt", "d/"] },
                          { name: "other", command: "echo other > x.txt", outputs: ["x.txt"] },
                          { name: "none", command: "true", outputs: ["x.txt?"] },
                          { name: "late", command: "echo late > x.txt; exit 1", outputs: ["x.txt"] },
                          { name: "all", needs: ["part", "other", "none", "\(early)/make"], after: ["late"],
                            command: "cd $BATON_INPUTS && find -L . -type f | sort | while read f; do echo $f: $(cat $f); done" },
                          { name: "one", needs: ["part/3"], command: "cd $BATON_INPUTS && find -L . -type f | sort" },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/all", "\(job)/one") == 0)
                var expected = ["./other/x.txt: other"]
                for number in 1...7 {
                    expected += ["./part.\(number)/d/y.txt: deep \(number)", "./part.\(number)/x.txt: part \(number)"]
                }
                let all = try await cluster.baton("log", "\(job)/all").output.split(separator: "\n").map(String.init)
                // An input of another job has its name alone, unless an input of this job has it, too.
                #expect(Set(all) == Set(expected + ["./make/x.txt: early"]), "\(all)")
                let one = try await cluster.baton("log", "\(job)/one").output
                #expect(Set(one.split(separator: "\n")) == ["./part.3/d/y.txt", "./part.3/x.txt"])
            }
        }

        @Test("Files of a finished job serve a later job, also after a restart of the coordinator and of the holder")
        func laterJob() async throws {
            // Long enough for a host that is busy with other tests.
            try await withCluster(workers: 0, coordinator: ["--reconcile-window", "40s"]) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let first = try await cluster.submit(
                    graph: """
                        {operations: [{ name: "make", command: \(Self.quoted(Self.maker(seed: 4))), outputs: ["data/"],
                          workspace: "fresh", labels: ["host=w1"] }]}
                        """
                )
                #expect(try await cluster.finish(first) == 0)
                let files = try await cluster.files("\(first)/make")
                let expected = [String: String](files.map { ("make/\($0.path)", $0.digest) }) { one, _ in one }
                func submit(on host: String) async throws -> String {
                    try await cluster.submit(
                        graph: """
                            {operations: [{ command: \(Self.quoted(FileScript.inputDigests)), needs: ["\(first)/make"],
                              labels: ["host=\(host)"] }]}
                            """
                    )
                }
                func finish(_ later: String) async throws {
                    let status = try await cluster.finish(later)
                    let shown = try await cluster.baton("show", "\(later)/0").output
                    #expect(status == 0, "\(shown)")
                    #expect(try await cluster.baton("log", later).output.digestsByPath == expected)
                    #expect(try await cluster.show("\(first)/make").attempt == 1, "nothing ran again")
                }
                // The job comes before the only holder is back.
                let holder = try #require(cluster.workers["w1"])
                holder.pause()
                try await cluster.restartCoordinator(with: SIGKILL)
                let early = try await submit(on: "w2")
                #expect(try await cluster.show("\(early)/0").state == "pending")
                let wait = try await cluster.baton("explain", "\(early)/0").output
                #expect(wait.contains("The coordinator was restarted and waits for w1"), "\(wait)")
                holder.signal(SIGCONT)
                try await finish(early)
                try await cluster.leave("w2")
                // The job comes while the holder comes back.
                try await cluster.restartCoordinator(with: SIGKILL)
                try await cluster.startHost("w2", in: "w2-again")
                try await finish(try await submit(on: "w2"))
                try await cluster.leave("w2")
                for signal in [SIGTERM, SIGKILL] {
                    let worker = try #require(cluster.workers["w1"])
                    worker.signal(signal)
                    _ = try await worker.end(of: "the holder")
                    try await cluster.startHost("w1")
                    try await cluster.startHost("w2", in: "w2-\(signal)")
                    try await finish(try await submit(on: "w2"))
                    try await cluster.leave("w2")
                }
            }
        }

        @Test("A dependency that left files and a result has the files in its folder, and the result beside it")
        func results() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "both", command: "echo 7 > $BATON_RESULT; echo file > x.txt", outputs: ["x.txt"],
                            labels: ["host=w1"] },
                          { name: "result", command: "echo 8 > $BATON_RESULT", labels: ["host=w1"] },
                          { name: "use", needs: ["both", "result"], labels: ["host=w2"],
                            command: "cd $BATON_INPUTS && cat result both.result both/x.txt" },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/use").output == "8\n7\nfile\n")
                #expect(try await cluster.baton("result", "\(job)/both").output == "7\n")
            }
        }

        @Test(
            "FI3 An operation finds the inputs that it picks in its workspace, on another host, from a graph file and from options"
        )
        func fi3Picked() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "reads", array: "1-3", command: "echo read {} > r{}.fq", outputs: ["*.fq"], labels: ["host=w1"] },
                          { name: "ref", command: "mkdir d; echo ref > d/ref.fa; echo 7 > $BATON_RESULT", outputs: ["d/"],
                            labels: ["host=w1"] },
                          { name: "use", needs: ["reads", "ref"], labels: ["host=w2"], outputs: ["out/"],
                            inputs: { "reads.*/*.fq": "in/", "ref/d/ref.fa": "ref.fa", "ref.result": "value", "ref/*.idx?": "idx/" },
                            command: "cat in/*.fq ref.fa value; LC_ALL=C ls; mkdir out; cp ref.fa out/; stat -c %a ref.fa" },
                          { name: "each", array: "1-3", needs: ["reads"], labels: ["host=w2"], inputs: { "reads.{}/*": "mine" },
                            command: "cat mine" },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                let use = try await cluster.baton("log", "\(job)/use").output
                #expect(use == "read 1\nread 2\nread 3\nref\n7\nin\nref.fa\nvalue\n444\n")
                #expect(try await cluster.files("\(job)/use").map(\.path) == ["out/ref.fa"])
                let each = try await cluster.baton("log", "\(job)/each").output
                for number in 1...3 { #expect(each.contains("read \(number)\n"), "\(each)") }
                let shown = try await cluster.baton("show", "\(job)/use").output
                #expect(shown.contains("ref.result=value") && shown.contains("reads.*/*.fq=in/"), "\(shown)")

                let options = ["--workspace", "fresh", "--needs", "\(job)/ref"]
                func submit(_ picks: String...) async throws -> String {
                    let chosen = picks.flatMap { ["--pick", $0] }
                    let result = try await cluster.baton(
                        ["submit"] + options + chosen + ["--", "sh", "-c", "cat x.fa in/*"]
                    )
                    try #require(result.status == 0, "\(result)")
                    return result.line
                }
                let both = try await submit("ref/d/*.fa=x.fa", "ref.result=in/")
                #expect(try await cluster.finish(both) == 0)
                #expect(try await cluster.baton("log", both).output == "ref\n7\n")
                let missing = try await submit("ref/*.bam=in/", "ref.result=x.fa")
                #expect(try await cluster.finish(missing) == 1)
                let failed = try await cluster.show("\(missing)/0")
                #expect((failed.outcome, failed.reason) == ("failed", "launch"), "\(failed)")
                #expect(failed.message.string.contains("ref/*.bam"), "\(failed.message)")
            }
        }

        @Test(
            "Picked inputs in a shared directory, and places that lead out or clash, are refused before anything is submitted"
        )
        func refusedPicks() async throws {
            try await withCluster(workers: 0) { cluster in
                for (options, status, words) in [
                    (["--pick", "a/x=in/"], 65, "workspace of its own"),
                    (["--pick", "a/x"], 64, "a pattern and a place"),
                    (["--pick", "a/x=../in/", "--workspace", "fresh"], 64, "below the operation's directory"),
                    (["--pick", "a/x=y", "--pick", "a/x=z", "--workspace", "fresh"], 64, "given twice"),
                    (["--pick", "a/x=y", "--pick", "b/x=y", "--workspace", "fresh"], 65, "one place"),
                ] {
                    let refused = try await cluster.baton(["submit"] + options + ["--", "true"])
                    #expect(refused.status == Int32(status) && refused.errors.contains(words), "\(refused)")
                    #expect(refused.output.isEmpty)
                }
                #expect(try await cluster.json("list").jobs == [])
            }
        }

        /// The number of a file, which all its links have.
        private static func number(of path: String) throws -> UInt64 {
            var status = stat()
            let result = stat(path, &status)
            try #require(result == 0, "\(path): \(String(cString: strerror(errno)))")
            return UInt64(status.st_ino)
        }
    }
}
