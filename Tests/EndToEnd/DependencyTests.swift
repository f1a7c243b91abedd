import Testing

extension EndToEndTests {
    @Suite("Dependencies", .timeLimit(.minutes(2)))
    struct DependencyTests {
        @Test(
            "DE7 DE9 What comes after a failure runs, is skipped or runs because of it, and skipping travels along needs"
        )
        func conditions() async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    { operations: [
                      { name: "bad", command: "exit 3" },
                      { name: "after", command: "true", after: ["bad"] },
                      { name: "needs", command: "true", needs: ["bad"] },
                      { name: "onFailure", command: "true", onFailure: ["bad"] },
                      { name: "needsSkipped", command: "true", needs: ["needs"] },
                      { name: "afterSkipped", command: "true", after: ["needs"] },
                      { name: "onFailureOfSkipped", command: "true", onFailure: ["needs"] },
                      { name: "onFailureOfGood", command: "true", onFailure: ["after"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                #expect(try await cluster.wait(job) == 1)
                let operations = try await cluster.show(job).operations.elements
                let outcomes = operations.map { "\($0.name.string) \($0.outcome.string)" }
                #expect(
                    outcomes == [
                        "bad failed", "after succeeded", "needs skipped", "onFailure succeeded", "needsSkipped skipped",
                        "afterSkipped succeeded", "onFailureOfSkipped skipped", "onFailureOfGood skipped",
                    ]
                )
                #expect(operations[2].reason == "dependency")
                #expect(operations[2].message == "It needs 1/0 (bad), which failed.")
                #expect(operations[2].startedAt == nil)
                #expect(operations[7].message == "It runs only on the failure of 1/1 (after), which succeeded.")
                #expect(
                    try operations[1].dependencies == JSONValue(parsing: #"[{"operation":"1/0","condition":"any"}]"#)
                )
            }
        }

        @Test("DE5 DE6 Dependencies may lie in other jobs and queues, by name, number or job, finished or not")
        func otherJobs() async throws {
            try await withCluster(slots: 2) { cluster in
                let gate = try cluster.gate()
                let early = try await cluster.submit(script: cluster.note("early"), "--name", "early")
                #expect(try await cluster.wait(early) == 0)
                let held = try await cluster.submit(script: "\(gate.wait); \(cluster.note("held"))", "--queue", "other")
                let late = try await cluster.submit(
                    script: cluster.note("late"),
                    "--needs",
                    "\(early)/early",
                    "--needs",
                    held,
                    "--after",
                    "\(held)/0"
                )
                try await gate.arrival()
                #expect(try await cluster.show("\(late)/0").state == "pending")
                try await gate.open()
                #expect(try await cluster.wait(late) == 0)
                #expect(cluster.notes == ["early", "held", "late"])
                let dependencies = try await cluster.show("\(late)/0").dependencies.elements
                #expect(Set(dependencies.map(\.operation)) == ["1/0", "2", "2/0"])
            }
        }

        @Test("DE2 DE9 A dependent of an array waits for all of its elements")
        func wholeArray() async throws {
            try await withCluster(slots: 2) { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    { operations: [
                      { name: "map", command: "test {} -lt 20 || { \(gate.wait); }; \(cluster.note("map"))", array: "1-20" },
                      { name: "reduce", command: "\(cluster.note("reduce"))", needs: ["map"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                try await gate.arrival()
                #expect(try await cluster.show("\(job)/reduce").state == "pending")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == Array(repeating: "map", count: 20) + ["reduce"])
            }
        }

        @Test("DE3 DE22 What waits for its dependencies blocks nobody, whatever its level")
        func blocksNobody() async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, operations: [
                      { name: "first", command: "\(cluster.note("first"))", needs: ["second"], priority: "veryHigh" },
                      { name: "second", command: "\(cluster.note("second"))", priority: "veryLow" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == ["second", "first"])
            }
        }
    }
}
