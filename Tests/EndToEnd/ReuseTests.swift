import Testing

extension EndToEndTests {
    @Suite("Results of earlier jobs", .timeLimit(.minutes(60)))
    struct ReuseTests {
        /// A graph of three operations and an array, which note that they run.
        private func graph(_ cluster: TestCluster, sort: String, elements: Int) -> String {
            """
            { operations: [
              { name: "fetch", command: "\(cluster.note("fetch")); echo to be > $BATON_RESULT" },
              { name: "sort", command: "\(cluster.note("sort")); \(sort) $BATON_INPUTS/fetch > $BATON_RESULT", needs: ["fetch"] },
              { name: "count", command: "\(cluster.note("count")); wc -c < $BATON_INPUTS/sort > $BATON_RESULT", needs: ["sort"] },
              { name: "part", command: "\(cluster.note("part")); cat $BATON_INPUTS/fetch; true {}", needs: ["fetch"],
                array: "1-\(elements)" },
            ] }
            """
        }

        @Test("D18 With --reuse, only what has changed runs, and the rest has the results of the earlier job")
        func changedGraph() async throws {
            try await withCluster { cluster in
                let first = try await cluster.submit(graph: graph(cluster, sort: "sort", elements: 2))
                #expect(try await cluster.wait(first) == 0)
                #expect(cluster.notes.sorted() == ["count", "fetch", "part", "part", "sort"])

                try cluster.write(graph(cluster, sort: "sort -r", elements: 3), to: "changed.json")
                let second = try await cluster.submit("--file", "changed.json", "--reuse", first)
                #expect(try await cluster.wait(second) == 0)
                #expect(cluster.notes.dropFirst(5).sorted() == ["count", "part", "sort"])
                let job = try await cluster.show(second)
                #expect(job.reuse.int == Int(first))
                let operations = job.operations.elements
                #expect(operations.map(\.outcome) == Array(repeating: "succeeded", count: 6))
                let reused = [0, 3, 4].map { operations[$0] }
                #expect(reused.map(\.reason) == ["reused", "reused", "reused"])
                #expect(reused.map(\.reusedFrom.string) == ["\(first)/0", "\(first)/3", "\(first)/4"])
                #expect(reused.map(\.attempt) == [0, 0, 0])
                #expect(try await cluster.baton("result", "\(second)/fetch").output == "to be\n")
                #expect(try await cluster.baton("show", second).output.contains("reused"))
                let log = try await cluster.baton("log", "\(second)/fetch")
                #expect(log.status == 0 && log.output.isEmpty, "\(log)")
                #expect(log.errors.contains("\(second)/0 took the result of \(first)/0, and did not run."), "\(log)")

                // The result outlives the job that it comes from.
                try await cluster.change("delete", first, count: 1)
                #expect(try await cluster.baton("result", "\(second)/fetch").output == "to be\n")
                let third = try await cluster.submit("--file", "changed.json", "--reuse", "last")
                #expect(try await cluster.wait(third) == 0)
                #expect(cluster.notes.count == 8)
            }
        }

        @Test("D18 With --reuse, what reads a file as its standard input runs again, since the file may have changed")
        func changedInput() async throws {
            try await withCluster { cluster in
                let graph = """
                    { operations: [
                      { name: "a", command: "cat > $BATON_RESULT", stdin: "in" },
                      { name: "b", command: "cat $BATON_INPUTS/a > $BATON_RESULT", needs: ["a"] },
                      { name: "c", command: "\(cluster.note("c"))" },
                    ] }
                    """
                try cluster.write("v1\n", to: "in")
                let first = try await cluster.submit(graph: graph)
                #expect(try await cluster.wait(first) == 0)
                #expect(try await cluster.baton("result", "\(first)/b").output == "v1\n")
                try cluster.write("v2\n", to: "in")
                try cluster.write(graph, to: "again.json")
                let second = try await cluster.submit("--file", "again.json", "--reuse", first)
                #expect(try await cluster.wait(second) == 0)
                #expect(try await cluster.baton("result", "\(second)/b").output == "v2\n")
                #expect(cluster.notes == ["c"])
            }
        }

        @Test("D18 No job that is gone or not finished is reused, and none for an open job, a schedule or --local")
        func refusals() async throws {
            try await withCluster { cluster in
                let held = try await cluster.submit("--hold", "--", "true")
                let cases: [([String], Int32, String)] = [
                    (["submit", "--reuse", "99", "--", "true"], 66, "There is no job 99."),
                    (["submit", "--reuse", held, "--", "true"], 65, "Job \(held) is not finished."),
                    (["submit", "--job", held, "--reuse", held, "--", "true"], 64, "--reuse is for new jobs"),
                    (
                        ["run", "--local", "--reuse", held, "--", "true"], 64,
                        "--reuse is for jobs of a running cluster"
                    ),
                    (
                        ["schedule", "add", "nightly", "--cron", "0 2 * * *", "--reuse", held, "--", "true"], 64,
                        "--reuse is for submit and run"
                    ),
                ]
                for (arguments, status, sentence) in cases {
                    let refused = try await cluster.baton(arguments)
                    #expect(refused.status == status && refused.output.isEmpty, "\(refused)")
                    #expect(refused.errors.contains(sentence), "\(refused)")
                }
            }
        }
    }
}
