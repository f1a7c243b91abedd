import Testing

extension SemanticsTests {
    @Suite("Barriers")
    struct Barriers {
        @Test(
            "BA1 A barrier starts only when every operation that was in its queue has finished",
            arguments: ClusterShape.tested
        )
        func ba1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "executing", command: "\(gate.wait); \(cluster.note("executing"))" },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                          { name: "delayed", command: "\(cluster.note("delayed"))", delay: "1h" },
                        ] }
                        """
                )
                let barrier = try await cluster.submit(
                    script: cluster.note("barrier"),
                    "--queue",
                    "q",
                    "--barrier",
                    "--priority",
                    "veryHigh"
                )
                try await gate.arrival()
                func expectWaiting(for count: Int) async throws {
                    #expect(try await cluster.outcomes(of: barrier) != ["executing"])
                    let reasons = try await cluster.json("explain", barrier).waitsFor.elements
                    let reason = try #require(reasons.first { $0.kind == "barrier" }, "\(reasons)")
                    #expect(reason.ahead.int == count)
                }
                try await expectWaiting(for: 3)
                try await gate.open()
                #expect(try await cluster.wait("\(job)/executing") == 0)
                try await cluster.useAllSlots(of: shape)
                try await expectWaiting(for: 2)
                try await cluster.change("cancel", "\(job)/delayed", count: 1)
                try await cluster.useAllSlots(of: shape)
                try await expectWaiting(for: 1)
                try await cluster.change("release", "\(job)/held", count: 1)
                #expect(try await cluster.wait(barrier) == 0)
                #expect(cluster.notes == ["executing", "held", "barrier"])
                #expect(try await cluster.show("\(barrier)/0").barrier == true)
            }
        }

        @Test(
            "BA2 Operations added after a barrier start only when the barrier has finished",
            arguments: ClusterShape.tested
        )
        func ba2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "held", command: "\(cluster.note("before"))", hold: true },
                          { name: "barrier", command: "\(gate.wait); \(cluster.note("barrier"))", barrier: true },
                          { array: "1-2", command: "\(cluster.note("behind"))", priority: "veryHigh" },
                        ] }
                        """
                )
                let later = try await cluster.submit(
                    script: cluster.note("behind"),
                    "--queue",
                    "q",
                    "--priority",
                    "veryHigh"
                )
                // Before it, while it waits.
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                try await cluster.change("release", "\(job)/held", count: 1)
                // And while it executes.
                try await gate.arrival()
                if shape.slots > 1 {
                    let others = try await cluster.occupy(shape.slots - 1)
                    try await others.release(0...)
                    #expect(try await cluster.wait(others.job) == 0)
                }
                #expect(cluster.notes == ["before"])
                #expect(try await cluster.outcomes(of: later) == ["ready"])
                let reasons = try await cluster.json("explain", later).waitsFor.elements
                #expect(reasons.first { $0.kind == "barrier" }?.operation.string == "\(job)/1", "\(reasons)")
                try await gate.open()
                #expect(try await cluster.wait(job, later) == 0)
                #expect(cluster.notes == ["before", "barrier", "behind", "behind", "behind"])
            }
        }

        @Test("BA3 Four barriers between arrays run in their order, each alone", arguments: ClusterShape.tested)
        func ba3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                func barrier(_ name: String) -> String {
                    "{ barrier: true, command: \"\(cluster.note("+\(name)")); \(cluster.note("-\(name)"))\" }"
                }
                func array(_ name: String) -> String {
                    "{ array: '1-10', command: \"\(cluster.note(name))\" }"
                }
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          \(barrier("1")), \(array("a")), \(barrier("2")), \(barrier("3")), \(array("b")), \(barrier("4"))
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                let a = Array(repeating: "a", count: 10)
                let b = Array(repeating: "b", count: 10)
                #expect(cluster.notes == ["+1", "-1"] + a + ["+2", "-2", "+3", "-3"] + b + ["+4", "-4"])
            }
        }

        @Test(
            "BA6 A barrier that is cancelled, alone or with its queue, does not run and lets later operations go",
            arguments: ClusterShape.tested
        )
        func ba6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let graph = """
                    { queue: "q", operations: [
                      { name: "before", command: "\(gate.wait)" },
                      { name: "barrier", command: "\(cluster.note("barrier"))", barrier: true },
                      { name: "behind", command: "\(cluster.note("behind"))" },
                    ] }
                    """
                let cancelled = try await cluster.submit(graph: graph)
                try await gate.arrival()
                try await cluster.change("queue", "cancel", "q", count: 3)
                let later = try await cluster.submit(script: cluster.note("later"), "--queue", "q")
                #expect(try await cluster.wait(later) == 0)
                #expect(try await cluster.wait(cancelled) == 1)
                #expect(try await cluster.outcomes(of: cancelled) == ["cancelled", "cancelled", "cancelled"])
                #expect(cluster.notes == ["later"])

                // Cancel the barrier alone: a later operation runs, although an earlier operation is not finished.
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "before", command: "\(cluster.note("before"))", hold: true },
                          { name: "barrier", command: "\(cluster.note("barrier"))", barrier: true },
                          { name: "behind", command: "\(cluster.note("behind"))" },
                          { name: "another", command: "\(cluster.note("another"))", barrier: true },
                        ] }
                        """
                )
                try await cluster.change("cancel", "\(job)/barrier", count: 1)
                #expect(try await cluster.wait("\(job)/behind") == 0)
                try await cluster.useAllSlots(of: shape)
                #expect(
                    try await cluster.outcomes(of: job).map { $0 == "succeeded" } == [false, false, true, false]
                )
                try await cluster.change("release", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["later", "behind", "before", "another"])
            }
        }

        @Test("BA7 A barrier does not affect other queues, and does not wait for them", arguments: ClusterShape.tested)
        func ba7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "before", command: "true", hold: true },
                          { name: "barrier", command: "\(gate.wait)", barrier: true },
                          { name: "behind", command: "true" },
                        ] }
                        """
                )
                // Only operations of the barrier's own queue wait for the barrier.
                let waiting = try await cluster.submit("--queue", "other", "--array", "1-20", "--", "true")
                #expect(try await cluster.wait(waiting) == 0)
                // The barrier does not wait for operations that execute in other queues.
                let blockers = shape.slots > 1 ? try await cluster.occupy(shape.slots - 1, queue: "other") : nil
                try await cluster.change("release", "\(job)/before", count: 1)
                try await gate.arrival()
                try await blockers?.release(0...)
                if shape.slots > 1 {
                    let beside = try await cluster.submit("--queue", "other", "--array", "1-20", "--", "true")
                    #expect(try await cluster.wait(beside) == 0)
                }
                #expect(try await cluster.show("\(job)/barrier").state == "executing")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
            }
        }

        @Test("BA8 A later operation that is cancelled does not wait for the barrier", arguments: ClusterShape.tested)
        func ba8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "before", command: "\(cluster.note("before"))", hold: true },
                          { name: "barrier", command: "\(cluster.note("barrier"))", barrier: true },
                          { name: "behind", command: "\(cluster.note("behind"))", array: "1-3" },
                        ] }
                        """
                )
                try await cluster.change("cancel", "\(job)/2", "\(job)/4", count: 2)
                #expect(try await cluster.wait("\(job)/2", "\(job)/4") == 1)
                let states = try await cluster.outcomes(of: job)
                #expect((states[2], states[4]) == ("cancelled", "cancelled"))
                #expect(states[1] != "executing" && states[3] == "ready", "\(states)")
                try await cluster.change("release", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["before", "barrier", "behind"])
            }
        }

        @Test("BA9 A wait for a queue includes its barriers", arguments: ClusterShape.tested)
        func ba9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                _ = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { command: "\(cluster.note("before"))" },
                          { command: "\(gate.wait); \(cluster.note("barrier"))", barrier: true },
                        ] }
                        """
                )
                try await gate.arrival()
                let waiting = try cluster.startOnTerminal("wait", "--queue", "q")
                try await waiting.output(containing: "0/1")
                #expect(waiting.isRunning)
                #expect(try await cluster.json("queue", "show", "q").count == 1)
                try await gate.open()
                #expect(try await waiting.end() == 0)
                #expect(cluster.notes == ["before", "barrier"])
            }
        }

        @Test(
            "BA10 A barrier behind a failed, cancelled or skipped operation still runs",
            arguments: ClusterShape.tested
        )
        func ba10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "bad", command: "\(cluster.note("bad")); exit 3" },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                          { name: "skipped", command: "\(cluster.note("skipped"))", needs: ["bad"] },
                          { name: "barrier", command: "\(cluster.note("barrier"))", barrier: true },
                        ] }
                        """
                )
                try await cluster.change("cancel", "\(job)/held", count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.outcomes(of: job) == ["failed", "cancelled", "skipped", "succeeded"])
                #expect(cluster.notes == ["bad", "barrier"])
            }
        }

        @Test(
            "BA11 A barrier obeys suspension, is listed in its queue and has an outcome",
            arguments: ClusterShape.tested
        )
        func ba11(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "good", command: "\(cluster.note("good")); echo r > $BATON_RESULT", barrier: true },
                          { name: "bad", command: "\(cluster.note("bad")); exit 3", barrier: true },
                          { name: "skipped", command: "\(cluster.note("skipped"))", barrier: true, needs: ["bad"] },
                          { name: "cancelled", command: "\(cluster.note("cancelled"))", barrier: true },
                          { name: "behind", command: "\(cluster.note("behind"))", needs: ["good"] },
                        ] }
                        """
                )
                try await cluster.change("cancel", "\(job)/cancelled", count: 1)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.count, queue.executing) == (5, 0))
                #expect(queue.operations.elements.map(\.string) == (0..<5).map { "\(job)/\($0)" })
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(
                    try await cluster.outcomes(of: job) == ["succeeded", "failed", "skipped", "cancelled", "succeeded"]
                )
                #expect(cluster.notes == ["good", "bad", "behind"])
                #expect(try await cluster.baton("result", "\(job)/good").output == "r\n")
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.barrier) == [true, true, true, true, false])
                // An array cannot be a barrier.
                for values in [["--array", "1-3"], ["--each-line", "/etc/passwd"]] {
                    let refused = try await cluster.baton(["submit", "--barrier"] + values + ["--", "true"])
                    #expect(refused.status == 64, "\(refused)")
                }
            }
        }
    }
}
