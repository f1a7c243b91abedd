import Testing

extension EndToEndTests {
    @Suite("Order and limits", .timeLimit(.minutes(2)))
    struct OrderTests {
        @Test("PR2 PR3 PR5 With one slot a higher level starts first, and within a level what was submitted first")
        func priorities() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                _ = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                for (name, level) in [
                    ("normal1", "normal"), ("low1", "low"), ("lowest", "veryLow"), ("high1", "5"), ("normal2", "-3"),
                    ("highest", "veryHigh"), ("high2", "high"), ("low2", "low"),
                ] {
                    _ = try await cluster.submit(script: cluster.note(name), "--priority=\(level)")
                }
                try await gate.open()
                #expect(try await cluster.baton("wait", "--queue", "default").status == 0)
                #expect(
                    cluster.notes == ["highest", "high1", "high2", "normal1", "normal2", "low1", "low2", "lowest"]
                )
                #expect(try await cluster.show("5/0").priority == 4)
            }
        }

        @Test(
            "CO1 CO5 CO6 A limit holds in the whole cluster and for its queue alone; raising and lowering it act at once"
        )
        func limit() async throws {
            try await withCluster(workers: 2, slots: 3) { cluster in
                var gates: [Gate] = []
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "1").status == 0)
                for number in 0..<5 {
                    gates.append(try cluster.gate("\(number)"))
                    _ = try await cluster.submit(script: gates[number].wait, "--queue", "q")
                }
                let other = try await cluster.submit("--queue", "other", "--", "true")
                #expect(try await cluster.wait(other) == 0)
                try await gates[0].arrival()
                #expect(try await cluster.show("2/0").state == "ready")
                let reasons = try await cluster.json("explain", "2").waitsFor.elements
                #expect(reasons.map(\.kind) == ["limit"])
                #expect(reasons.first?.limit == 1)

                // Raised: two more start while the first one executes.
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "3").status == 0)
                try await gates[1].arrival()
                try await gates[2].arrival()
                #expect(try await cluster.json("queue", "show", "q").executing == 3)

                // Lowered: nobody is stopped, and nothing starts before fewer than the limit execute.
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "2").status == 0)
                try await gates[0].open()
                #expect(try await cluster.wait("1") == 0)
                let queue = try await cluster.json("queue", "show", "q")
                #expect(queue.executing == 2)
                #expect(queue.operations == ["2/0", "3/0", "4/0", "5/0"])
                try await gates[1].open()
                try await gates[3].arrival()
                for gate in gates[2...] { try await gate.open() }
                #expect(try await cluster.baton("wait", "--queue", "q").status == 0)
            }
        }

        @Test("CO3 CO4 A limit of 0 starts nothing until it is raised, -1 is none, and other negative ones are refused")
        func noneAndUnlimited() async throws {
            try await withCluster(slots: 2) { cluster in
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "0").status == 0)
                for gate in gates { _ = try await cluster.submit(script: gate.wait, "--queue", "q") }
                // What is submitted later, elsewhere, runs and ends: nothing of the queue was merely slow.
                #expect(try await cluster.wait(cluster.submit("--", "true")) == 0)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.maxConcurrent, queue.executing, queue.count) == (0, 0, 2))
                let refused = try await cluster.baton("queue", "set", "q", "--max-concurrent=-2")
                #expect(refused.status == 64)
                #expect(refused.errors.contains("0 or more, or -1 for no limit"), "\(refused)")
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent=-1").status == 0)
                for gate in gates { try await gate.open() }
                #expect(try await cluster.baton("wait", "--queue", "q").status == 0)
                #expect(try await cluster.json("queue", "show", "q").maxConcurrent == nil)
            }
        }

        @Test("CO2 A limit of 1 makes a queue serial")
        func serial() async throws {
            try await withCluster(workers: 2, slots: 2) { cluster in
                try cluster.write(
                    """
                    { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, operations: [
                      { command: "mkdir busy && echo {} >> order && rmdir busy", array: "1-30" }
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.read("order").split(separator: "\n").map(String.init) == (1...30).map { "\($0)" })
            }
        }

        @Test("CO9 With room for two, two operations that wait for each other both complete")
        func together() async throws {
            try await withCluster(slots: 2) { cluster in
                let pipe = try cluster.gate().path
                let reader = try await cluster.submit(script: "read x < '\(pipe)'; test \"$x\" = met")
                let writer = try await cluster.submit(script: "echo met > '\(pipe)'")
                #expect(try await cluster.wait(reader, writer) == 0)
            }
        }
    }
}
