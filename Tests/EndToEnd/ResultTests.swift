import Foundation
import Testing

extension EndToEndTests {
    @Suite("Results", .timeLimit(.minutes(60)))
    struct ResultTests {
        @Test("DE20 Results travel between workers without a common directory, and a missing result has no file")
        func inputs() async throws {
            try await withCluster(workers: 2) { cluster in
                let gates = [try cluster.gate("a"), try cluster.gate("b")]
                // Both producers are executing at once, so each worker runs one producer.
                try cluster.write(
                    """
                    { operations: [
                      { name: "a", command: "\(gates[0].wait); printf one > $BATON_RESULT" },
                      { name: "b", command: "\(gates[1].wait); printf two > $BATON_RESULT" },
                      { name: "none", command: "true" },
                      { name: "failed", command: "printf partial > $BATON_RESULT; exit 1" },
                      { name: "list", array: "1-2", command: "printf {} > $BATON_RESULT" },
                      { name: "join", needs: ["a", "b", "none", "list"], after: ["failed"],
                        command: "cd $BATON_INPUTS && for file in *; do echo $file: $(cat $file); done" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                for gate in gates { try await gate.arrival() }
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait("\(job)/join") == 0)
                #expect(
                    try await cluster.baton("log", "\(job)/join").output
                        == "a: one\nb: two\nlist.1: 1\nlist.2: 2\n"
                )
                let operations = try await cluster.show(job).operations.elements
                #expect(operations[0].worker != operations[1].worker)
                #expect(operations.map(\.hasResult) == [true, true, false, false, true, true, false])
            }
        }

        @Test(
            "Inputs of the same name from several jobs have the jobs' numbers, and without dependencies there are none"
        )
        func otherJobs() async throws {
            try await withCluster { cluster in
                let early = try await cluster.submit(script: "echo early > $BATON_RESULT", "--name", "early")
                let second = try await cluster.submit(script: "echo second > $BATON_RESULT", "--name", "early")
                let script = "ls $BATON_INPUTS && cat $BATON_INPUTS/*"
                let late = try await cluster.submit(script: script, "--needs", "\(early)/early")
                let both = try await cluster.submit(
                    script: script,
                    "--needs",
                    "\(early)/early",
                    "--needs",
                    "\(second)/early"
                )
                let whole = try await cluster.submit(script: script, "--needs", early)
                let lone = try await cluster.submit(script: "test -d $BATON_INPUTS && ls -A $BATON_INPUTS")
                #expect(try await cluster.wait(late, both, whole, lone) == 0)
                #expect(try await cluster.baton("log", late).output == "early\nearly\n")
                #expect(try await cluster.baton("log", both).output == "1.early\n2.early\nearly\nsecond\n")
                #expect(try await cluster.baton("log", whole).output == "1.early\nearly\n")
                #expect(try await cluster.baton("log", lone).output == "")
            }
        }

        @Test("A retried operation finds its inputs under their names, from the first job and from the retry")
        func retried() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "many", array: "1-4",
                            command: "case {} in 1|3) test -e mended || exit 1 ;; esac; printf {} > $BATON_RESULT" },
                          { name: "sum", needs: ["many"],
                            command: "cd $BATON_INPUTS && for file in *; do echo $file: $(cat $file); done" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                #expect(
                    try await cluster.outcomes(of: job) == ["failed", "succeeded", "failed", "succeeded", "skipped"]
                )
                try cluster.write("", to: "mended")
                let retry = "\(try await cluster.json("retry", job).job.int)"
                #expect(try await cluster.wait(retry) == 0)
                #expect(
                    try await cluster.baton("log", "\(retry)/sum").output
                        == "many.1: 1\nmany.2: 2\nmany.3: 3\nmany.4: 4\n"
                )
            }
        }

        @Test("The command result prints the bytes of a result, and exits with 66 if there is none")
        func bytes() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(script: #"printf '\000\377\n' > $BATON_RESULT"#)
                let gate = try cluster.gate()
                let unfinished = try await cluster.submit(script: "echo early > $BATON_RESULT; \(gate.wait)")
                #expect(try await cluster.wait(job) == 0)
                let result = try await cluster.baton("result", job)
                #expect(result.bytes == [0, 255, 10])
                #expect(result.errors == "")
                let document = try await cluster.json("result", job)
                #expect((document.result, document.encoding) == ("AP8K", "base64"))

                try await gate.arrival()
                let early = try await cluster.baton("result", unfinished)
                #expect(early.status == 66)
                #expect(early.errors.contains("is not finished"), "\(early)")
                try await gate.open()
                #expect(try await cluster.wait(unfinished) == 0)
                #expect(try await cluster.json("result", unfinished).result == "early\n")

                let none = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(none) == 0)
                let absent = try await cluster.baton("result", none)
                #expect(absent.status == 66)
                #expect(absent.errors.contains("left no result"), "\(absent)")
                let absentDocument = try await cluster.baton("result", none, "--json")
                #expect(absentDocument.status == 66 && absentDocument.output.isEmpty, "\(absentDocument)")
            }
        }

        @Test("Several results are refused by name, job and pattern, and printed with --all")
        func several() async throws {
            try await withCluster(slots: 4) { cluster in
                try cluster.write(
                    """
                    { operations: [
                      { name: "plain", command: "true" },
                      { name: "sweep", array: "1-3", command: "test {} != 3 && echo $((7 + {})) > $BATON_RESULT" },
                      { command: "printf 'a\\\\nb' > $BATON_RESULT" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                #expect(try await cluster.wait(job) == 1)
                // "Several operations" was taken for the first of them, with exit 0.
                for several in [job, "\(job)/*", "\(job)/sweep", "\(job)/[1-2]"] {
                    for command in ["result", "explain"] where command == "result" || several.contains("sweep") {
                        let refused = try await cluster.baton(command, several)
                        #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
                        #expect(refused.errors.contains("stands for"), "\(refused)")
                        #expect(
                            refused.errors.contains(command == "result" ? "--all" : "baton explain \(job)"),
                            "\(refused)"
                        )
                    }
                }
                let all = try await cluster.baton("result", job, "--all")
                #expect(
                    all.output
                        == "\(job)/1 (sweep) | 8\n\(job)/2 (sweep) | 9\n\(job)/4         | a\n\(job)/4         | b\n"
                )
                // What has not succeeded is missing from the results.
                #expect(all.status == 66 && all.errors.contains("\(job)/3 left no result"), "\(all)")
                let two = try await cluster.baton("result", "\(job)/[1-2]", "--all", "--no-prefix")
                #expect(two.output == "8\n9\n" && two.status == 0, "\(two)")
                let documents = try await cluster.baton("result", "\(job)/sweep", "--all", "--json")
                let lines = try documents.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
                #expect(lines.map(\.operation) == ["\(job)/1", "\(job)/2"] && lines.map(\.result) == ["8\n", "9\n"])
                let none = try await cluster.baton("result", "\(job)/plain", "--all")
                #expect(none.status == 66 && none.output.isEmpty, "\(none)")

                let directory = cluster.home.appending(path: "new/results")
                let files = try await cluster.baton("result", job, "--all", "--output", directory.path)
                #expect(files.status == 66 && files.output.isEmpty, "\(files)")
                let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                #expect(names == ["4", "sweep.1", "sweep.2"])
                #expect(try String(contentsOf: directory.appending(path: "sweep.2"), encoding: .utf8) == "9\n")
            }
        }

        @Test("A result of 1 MiB reaches a dependent, and a longer result fails its operation")
        func length() async throws {
            try await withCluster { cluster in
                let most = try await cluster.submit(script: "head -c 1048576 /dev/zero > $BATON_RESULT")
                let reader = try await cluster.submit(script: "cat $BATON_INPUTS/* | wc -c", "--needs", "\(most)/0")
                let tooLong = try await cluster.submit(script: "head -c 1048577 /dev/zero > $BATON_RESULT")
                #expect(try await cluster.wait(most, reader) == 0)
                #expect(try await cluster.baton("log", reader).output == "1048576\n")
                #expect(try await cluster.baton("result", most).bytes.count == 1_048_576)
                #expect(try await cluster.wait(tooLong) == 1)
                let operation = try await cluster.show("\(tooLong)/0")
                #expect(operation.outcome == "failed")
                #expect(
                    operation.message.string.contains("1048577 bytes, more than the 1048576 that a result may have"),
                    "\(operation.message)"
                )
                #expect(operation.hasResult == false)
            }
        }
    }
}
