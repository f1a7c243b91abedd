import Testing

extension SemanticsTests {
    @Suite("Priorities")
    struct Priorities {
        /// Adds operations in the given order, runs them through one slot, and returns the order of starts.
        ///
        /// - Parameter change: called with the job and the blockers before the slot is free.
        /// - Returns: the names in the order of the starts.
        private static func starts(
            of operations: [(name: String, priority: String)],
            in shape: ClusterShape,
            sendingAhead count: String = "auto",
            before change: @escaping @Sendable (TestCluster, String, Blockers) async throws -> Void = { _, _, _ in }
        ) async throws -> [String] {
            let starts = Observed<[String]>([])
            try await withCluster(shape, coordinator: ["--send-ahead", count]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let lines = operations.map { operation in
                    "{ name: '\(operation.name)', priority: '\(operation.priority)', "
                        + "command: \"\(cluster.note(operation.name))\" },"
                }
                let job = try await cluster.submit(
                    graph: "{ queue: 'q', operations: [\(lines.joined(separator: "\n"))] }"
                )
                try await change(cluster, job, blockers)
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(queue: "q") == 0)
                starts.update { $0 = cluster.notes }
            }
            return starts.value
        }

        /// Expects that operations started by priority, and within a priority in the given order.
        ///
        /// With a fixed number of operations prefetched to each of several workers, each worker starts its own
        /// operations. Then an operation may overtake another operation of the same priority, but never of a higher priority.
        private static func expect(
            _ starts: [String],
            byPriority priorities: [[String]],
            in shape: ClusterShape,
            sendingAhead count: String
        ) {
            let keepsAge = shape.workers == 1 || Int(count) ?? 0 == 0
            var rest = starts[...]
            for names in priorities {
                let part = Array(rest.prefix(names.count))
                #expect(keepsAge ? part == names : part.sorted() == names.sorted(), "sending ahead \(count): \(starts)")
                rest = rest.dropFirst(names.count)
            }
            #expect(rest.isEmpty)
        }

        @Test("PR1 The priorities are -8, -4, 0, 4 and 8, and normal is the default", arguments: ClusterShape.tested)
        func pr1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { command: "true", priority: "veryLow" }, { command: "true", priority: "low" },
                          { command: "true", priority: "normal" }, { command: "true", priority: "high" },
                          { command: "true", priority: "veryHigh" }, { command: "true" },
                        ] }
                        """
                )
                #expect(try await cluster.show(job).operations.elements.map(\.priority) == [-8, -4, 0, 4, 8, 0])
                let low = try await cluster.submit("--priority", "low", "--", "true")
                let number = try await cluster.submit("--priority=-4", "--", "true")
                for job in [low, number] { #expect(try await cluster.show("\(job)/0").priority == -4) }
                for arguments in [["submit", "--priority", "urgent", "--", "true"], ["priority", low, "urgent"]] {
                    let refused = try await cluster.baton(arguments)
                    #expect(refused.status == 64)
                    #expect(refused.errors.contains("'urgent'"), "\(refused)")
                }
            }
        }

        @Test(
            "PR2 An operation of a higher priority starts first among the ready operations of a queue",
            arguments: ClusterShape.tested
        )
        func pr2(_ shape: ClusterShape) async throws {
            let starts = try await Self.starts(
                of: [
                    ("normal", "normal"), ("lowest", "veryLow"), ("high", "high"), ("low", "low"),
                    ("highest", "veryHigh"),
                ],
                in: shape
            )
            #expect(starts == ["highest", "high", "normal", "low", "lowest"])
        }

        @Test("PR3 Operations of the same priority start in the order of addition", arguments: ClusterShape.tested)
        func pr3(_ shape: ClusterShape) async throws {
            let starts = try await Self.starts(
                of: (0..<5).flatMap { [("high\($0)", "high"), ("normal\($0)", "normal")] },
                in: shape,
                before: { cluster, _, _ in
                    for priority in ["normal", "high"] {
                        let late = cluster.note("\(priority){}")
                        _ = try await cluster.submit(
                            script: late,
                            "--queue",
                            "q",
                            "--priority",
                            priority,
                            "--array",
                            "5-7"
                        )
                    }
                }
            )
            #expect(starts == (0..<8).map { "high\($0)" } + (0..<8).map { "normal\($0)" })
        }

        @Test(
            "PR5 A number between the priorities moves towards normal to the nearest priority",
            arguments: ClusterShape.tested
        )
        func pr5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let numbers = [-100, -9, -8, -7, -5, -4, -3, -1, 0, 1, 3, 4, 5, 7, 8, 9, 100]
                let priorities: [JSONValue] = [-8, -8, -8, -4, -4, -4, 0, 0, 0, 0, 0, 4, 4, 4, 8, 8, 8]
                let operations = numbers.map { "{ kind: 'noop', priority: \($0), hold: true }," }.joined()
                let job = try await cluster.submit(graph: "{ operations: [\(operations)] }")
                #expect(try await cluster.show(job).operations.elements.map(\.priority) == priorities)
                for (number, priority) in [("-7", -4), ("-3", 0), ("5", 4), ("99", 8), ("-99", -8)]
                    as [(String, JSONValue)]
                {
                    #expect(try await cluster.baton("priority", "\(job)/0", number).status == 0)
                    #expect(try await cluster.show("\(job)/0").priority == priority, "\(number)")
                }
                let submitted = try await cluster.submit("--priority=-7", "--hold", "--", "true")
                #expect(try await cluster.show("\(submitted)/0").priority == -4)
            }
        }

        @Test(
            "PR6 A waiting operation whose priority is changed goes to the tail of its new priority",
            arguments: ClusterShape.tested
        )
        func pr6(_ shape: ClusterShape) async throws {
            for sendAhead in ["auto", "4"] {
                let starts = try await Self.starts(
                    of: [
                        ("up", "normal"), ("normal1", "normal"), ("high1", "high"), ("down", "high"), ("high2", "high"),
                        ("normal2", "normal"),
                    ],
                    in: shape,
                    sendingAhead: sendAhead,
                    before: { cluster, job, _ in
                        if sendAhead == "4" { try await cluster.requireSentAhead("\(job)/down") }
                        for (name, priority) in [("up", "high"), ("down", "normal")] {
                            let report = try await cluster.json("priority", "\(job)/\(name)", priority)
                            #expect((report.changed, report.unanswered) == (1, []))
                        }
                    }
                )
                Self.expect(
                    starts,
                    byPriority: [["high1", "high2", "up"], ["normal1", "normal2", "down"]],
                    in: shape,
                    sendingAhead: sendAhead
                )
            }
        }

        @Test(
            "PR7 A new priority of an executing or finished operation has no effect, and the reply says so",
            arguments: ClusterShape.tested
        )
        func pr7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let finished = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(finished) == 0)
                let executing = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                for job in [executing, finished] {
                    let before = try await cluster.show("\(job)/0")
                    let report = try await cluster.json("priority", "\(job)/0", "veryHigh")
                    #expect(report.changed == 0)
                    #expect(report.notes.elements.count == 1)
                    #expect(report.notes.elements.first?.string.contains("\(job)/0") == true, "\(report)")
                    #expect(report.notes.elements.first?.string.contains("no effect") == true, "\(report)")
                    #expect(try await cluster.show("\(job)/0") == before)
                }
                let text = try await cluster.baton("priority", executing, "high")
                #expect((text.status, text.output) == (0, ""))
                #expect(text.errors.contains("no effect"), "\(text)")
                try await gate.open()
                #expect(try await cluster.wait(executing) == 0)
            }
        }

        @Test("PR8 The priorities of one queue have no effect in another queue", arguments: ClusterShape.tested)
        func pr8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { array: "1-8", command: "\(cluster.note("high"))", queue: "high", priority: "veryHigh" },
                          { array: "1-8", command: "\(cluster.note("low"))", queue: "low", priority: "veryLow" },
                        ] }
                        """
                )
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(job) == 0)
                // The queues have the same class, and so take turns.
                for end in stride(from: 2, through: 16, by: 2) {
                    #expect(cluster.notes.prefix(end).filter { $0 == "low" }.count == end / 2, "\(cluster.notes)")
                }
            }
        }

        @Test(
            "PR9 A late operation of a higher priority overtakes waiting operations, also if these were prefetched",
            arguments: ClusterShape.tested
        )
        func pr9(_ shape: ClusterShape) async throws {
            for sendAhead in ["0", "auto", "4"] {
                let starts = try await Self.starts(
                    of: (0..<shape.slots + 4).map { ("low\($0)", "low") },
                    in: shape,
                    sendingAhead: sendAhead,
                    before: { cluster, job, blockers in
                        if sendAhead == "4" { try await cluster.requireSentAhead("\(job)/low0") }
                        for (name, priority) in [("normal", "normal"), ("highest", "veryHigh")] {
                            _ = try await cluster.submit(
                                script: cluster.note(name),
                                "--queue",
                                "q",
                                "--priority",
                                priority
                            )
                        }
                        try await cluster.letWorkersCatchUp(executing: blockers)
                    }
                )
                Self.expect(
                    starts,
                    byPriority: [["highest"], ["normal"], (0..<shape.slots + 4).map { "low\($0)" }],
                    in: shape,
                    sendingAhead: sendAhead
                )
            }
        }

        @Test(
            "PR10 An executing operation is not preempted by a later operation of a higher priority",
            arguments: ClusterShape.tested
        )
        func pr10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gates = try (0..<shape.slots).map { try cluster.gate("\($0)") }
                let script = "\(cluster.waitAtGate("{}")); \(cluster.note("low"))"
                let low = try await cluster.submit(
                    script: script,
                    "--priority",
                    "veryLow",
                    "--array",
                    "0-\(shape.slots - 1)"
                )
                for gate in gates { try await gate.arrival() }
                let high = try await cluster.submit(script: cluster.note("high"), "--priority", "veryHigh")
                #expect(try await cluster.outcomes(of: low) == Array(repeating: "executing", count: shape.slots))
                #expect(try await cluster.show("\(high)/0").state == "ready")
                try await gates[0].open()
                #expect(try await cluster.wait(high) == 0)
                #expect(cluster.notes == ["low", "high"])
                for gate in gates.dropFirst() { try await gate.open() }
                #expect(try await cluster.wait(low) == 0)
                #expect(try await cluster.show(low).operations.elements.allSatisfy { $0.attempt == 1 })
            }
        }

        @Test(
            "PR11 A waiting operation does not rise in priority while others overtake it",
            arguments: ClusterShape.tested
        )
        func pr11(_ shape: ClusterShape) async throws {
            let starts = try await Self.starts(
                of: [("low", "low"), ("normal", "normal")],
                in: shape,
                before: { cluster, _, _ in
                    // Each operation arrives while the previous operation executes, and so overtakes two operations
                    // that have waited longer.
                    try cluster.write(
                        """
                        \(cluster.note("high$1"))
                        test $1 = 9 || '\(TestCluster.program)' submit --queue q --priority high -- sh again $(($1 + 1))
                        """,
                        to: "again"
                    )
                    _ = try await cluster.submit("--queue", "q", "--priority", "high", "--", "sh", "again", "0")
                }
            )
            #expect(starts == (0...9).map { "high\($0)" } + ["normal", "low"])
        }
    }
}
