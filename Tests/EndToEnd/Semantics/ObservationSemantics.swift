import Foundation
import Testing

extension SemanticsTests {
    @Suite("Observation")
    struct Observation {
        @Test(
            "OB1 An operation shows its state, dependencies, priority, cancellation and progress, and its events tell them",
            arguments: ClusterShape.tested
        )
        func ob1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, end) = (try cluster.gate("gate"), try cluster.gate("end"))
                let first = try await cluster.submit("--hold", "--", "true")
                let job = try await cluster.submit(
                    script: """
                        trap '' TERM; \(gate.wait); \(TestCluster.baton) progress 0.25 'one of four'; \(end.wait)
                        """,
                    "--grace",
                    "forever",
                    "--hold"
                )
                let operation = "\(job)/0"
                var seen: [JSONValue] = [try await cluster.show(operation)]
                func look(after arguments: String..., status: Int32 = 0) async throws {
                    let result = try await cluster.baton(arguments)
                    try #require(result.status == status, "\(result)")
                    seen.append(try await cluster.show(operation))
                }
                try await look(after: "depend", operation, "--needs", first)
                try await look(after: "priority", operation, "high")
                try await look(after: "release", operation)
                _ = try await cluster.baton("release", first)
                try await gate.arrival()
                seen.append(try await cluster.show(operation))
                try await gate.open()
                try await end.arrival()
                seen.append(try await cluster.show(operation))
                try await look(after: "cancel", operation)
                try await end.open()
                try await look(after: "wait", operation, status: 1)

                let needed = try JSONValue(parsing: "[{\"operation\":\"\(first)\",\"condition\":\"success\"}]")
                #expect(
                    seen.map(\.state) == [
                        "pending", "pending", "pending", "pending", "executing", "executing", "executing", "finished",
                    ]
                )
                #expect(seen.map(\.dependencies) == [[]] + Array(repeating: needed, count: 7))
                #expect(seen.map(\.priority) == [0, 0, 4, 4, 4, 4, 4, 4])
                #expect(seen.map(\.held) == [true, true, true, false, false, false, false, false])
                #expect(seen.map(\.cancelled) == [false, false, false, false, false, false, true, true])
                #expect(seen[5...6].map(\.progress) == [.number(0.25), .number(0.25)])
                #expect((seen[0].progress, seen[7].progress) == (0, 0), "what was cancelled has not run to its end")

                // The events tell the same as they happen.
                let events = try await cluster.eventsSoFar(of: cluster.watch()).about(operation)
                func kind(_ event: JSONValue) -> String {
                    let keys = ["dependencies", "priority", "held", "cancelled", "progress"]
                    let key = keys.first { event[$0] != nil }
                    return key.map { "\($0) \(event[$0])" } ?? event.state.string
                }
                #expect(
                    events.map(kind).drop { $0 == "pending" } == [
                        "dependencies boolean(true)", "priority number(4.0)", "held boolean(false)", "ready",
                        "executing", "progress number(0.25)", "cancelled boolean(true)", "finished",
                    ]
                )
                #expect(events.last?.outcome == "cancelled")
                #expect(events.first { $0.state == "executing" }?.attempt == 1)
                #expect(events.first { $0.progress != nil }?.message == "one of four")
            }
        }

        @Test(
            "OB2 A queue shows its operations, count, limit, suspension and name, and its events tell the changes",
            arguments: ClusterShape.tested
        )
        func ob2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let executing = try await cluster.submit(script: gate.wait, "--queue", "images")
                try await gate.arrival()
                let waiting = try await cluster.submit("--queue", "images", "--hold", "--array", "0-1", "--", "true")
                try await cluster.change(
                    "queue",
                    "set",
                    "images",
                    "--max-concurrent",
                    "3",
                    "--qos",
                    "utility",
                    count: 1
                )
                try await cluster.change("queue", "suspend", "images", count: 1)
                let queue = try await cluster.json("queue", "show", "images")
                #expect((queue.queue, queue.count, queue.executing) == ("images", 3, 1))
                #expect((queue.maxConcurrent, queue.suspended, queue.qos) == (3, true, "utility"))
                let operations = queue.operations.elements.map(\.string)
                #expect(operations == ["\(executing)/0", "\(waiting)/0", "\(waiting)/1"])
                let list = try await cluster.json("queue", "list").queues.elements
                let listed = try #require(list.first { $0.queue == "images" })
                #expect((listed.count, listed.maxConcurrent, listed.suspended) == (3, 3, true))

                try await cluster.change("queue", "resume", "images", count: 1)
                try await cluster.change("queue", "set", "images", "--max-concurrent=-1", count: 1)
                try await cluster.change("release", waiting, count: 2)
                try await gate.open()
                #expect(try await cluster.wait(queue: "images") == 0)
                let empty = try await cluster.json("queue", "show", "images")
                #expect((empty.count, empty.operations, empty.maxConcurrent, empty.suspended) == (0, [], nil, false))
                let events = try await cluster.eventsSoFar(of: cluster.watch()).filter { $0.queue == "images" }
                #expect(events.allSatisfy { $0.event == "queue" })
                #expect(events.map(\.suspended) == [false, false, true, false, false])
                #expect(events.map(\.maxConcurrent) == [nil, 3, 3, 3, nil])
            }
        }

        @Test(
            "OB5 The events of a cancelled operation tell cancelled once, and finished last and exactly once",
            arguments: ClusterShape.tested
        )
        func ob5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, stubborn) = (try cluster.gate("gate"), try cluster.gate("stubborn"))
                try await cluster.change("queue", "set", "suspended", "--suspended", count: 1)
                let executing = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let pending = try await cluster.submit("--hold", "--array", "0-2", "--", "true")
                let suspended = try await cluster.submit("--queue", "suspended", "--", "true")
                try await cluster.change("cancel", executing, pending, suspended, count: 5)
                #expect(try await cluster.wait(executing, pending) == 1)
                let ignoring = try await cluster.submit(script: "trap '' TERM; \(stubborn.wait)", "--grace", "forever")
                try await stubborn.arrival()
                try await cluster.change("cancel", ignoring, count: 1)
                try await cluster.change("cancel", ignoring, suspended, count: 0)
                try await stubborn.open()
                #expect(try await cluster.wait(ignoring) == 1)
                try await cluster.change("queue", "resume", "suspended", count: 1)
                let born = try await cluster.submit(graph: "{ operations: [{ command: 'true', cancelled: true }] }")
                #expect(try await cluster.wait(born, suspended) == 1)

                let events = try await cluster.eventsSoFar(of: cluster.watch())
                let outcomes = [
                    "\(executing)/0": "cancelled", "\(pending)/0": "cancelled", "\(pending)/1": "cancelled",
                    "\(pending)/2": "cancelled", "\(suspended)/0": "cancelled", "\(ignoring)/0": "cancelled",
                    "\(born)/0": "cancelled",
                ]
                for (operation, outcome) in outcomes {
                    let own = events.about(operation)
                    #expect(own.filter { $0.cancelled == true }.count == 1, "\(operation): \(own)")
                    #expect(own.filter { $0.state == "finished" }.count == 1, "\(operation): \(own)")
                    #expect(
                        (own.last?.state, own.last?.outcome.string) == ("finished", outcome),
                        "\(operation): \(own)"
                    )
                }
            }
        }

        @Test("OB8 Ready is told when the last dependency finishes, and not before", arguments: ClusterShape.tested)
        func ob8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "true", hold: true },
                          { name: "second", command: "exit 1", hold: true },
                          { name: "array", command: "true", array: "1-5", hold: true },
                          { name: "both", command: "true", after: ["first", "second"] },
                          { name: "all", command: "true", after: ["array", "second"] },
                          { name: "skipped", command: "true", needs: ["second", "first"] },
                          { name: "held", command: "true", after: ["first"], hold: true },
                        ] }
                        """
                )
                for name in ["second", "first", "array"] {
                    _ = try await cluster.json("release", "\(job)/\(name)")
                    _ = try await cluster.wait("\(job)/\(name)")
                }
                #expect(try await cluster.wait("\(job)/both", "\(job)/all") == 0)
                try await cluster.change("release", "\(job)/held", count: 1)
                #expect(try await cluster.wait(job) == 1)
                let events = try await cluster.eventsSoFar(of: cluster.watch())
                func number(_ state: JSONValue, _ index: Int) throws -> Int {
                    let found = events.about("\(job)/\(index)").filter { $0.state == state }
                    try #require(found.count == 1, "\(index) is \(state): \(found)")
                    return found[0].seq.int
                }
                #expect(events.states(of: "\(job)/7") == ["ready", "executing", "finished"])
                #expect(try number("ready", 7) > number("finished", 0))
                #expect(try number("ready", 8) > (2...6).map { try number("finished", $0) }.max() ?? .max)
                #expect(events.states(of: "\(job)/9") == ["finished"])
                let release = try #require(events.about("\(job)/10").first { $0.held == false })
                #expect(try number("ready", 10) > release.seq.int)
            }
        }

        /// Expects that the events tell an operation's states in an allowed order.
        ///
        /// After a failed or lost attempt an operation is ready or pending again.
        private static func expectTrueOrder(_ events: [JSONValue], of operation: String) {
            var last = ""
            for state in events.states(of: operation) {
                let allowed = [
                    "": ["ready", "finished"], "pending": ["ready", "finished"],
                    "ready": ["pending", "executing", "finished"], "executing": ["pending", "ready", "finished"],
                ]
                #expect(allowed[last]?.contains(state) == true, "\(operation): \(state) after \(last)")
                last = state
            }
            #expect(last == "finished", "\(operation)")
            let attempts = events.about(operation).filter { $0.state == "executing" }.map(\.attempt.int)
            #expect(attempts == Array(1...attempts.count), "\(operation)")
        }

        @Test(
            "OB10 A watcher that was away resumes after its last event, also after a restart, and misses nothing",
            arguments: ClusterShape.tested
        )
        func ob10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                // A permanent watcher, which survives the coordinator's restart without help.
                let constant = try cluster.watch()
                var union: [JSONValue] = []
                var jobs: [String] = []
                for round in 0..<4 {
                    let watcher = try cluster.watch(since: union.last?.seq.int ?? 0)
                    let gate = try cluster.gate("\(round)")
                    jobs.append(
                        try await cluster.submit(
                            graph: """
                                { operations: [
                                  { name: "first", command: "\(gate.wait)" },
                                  { array: "1-20", command: "exit {}", after: ["first"], retries: 1, retryDelay: "1ms" },
                                  { command: "true", needs: ["first"] },
                                ] }
                                """
                        )
                    )
                    try await gate.arrival()
                    // After the first answer, a watcher waits through an absence of the coordinator.
                    _ = try await watcher.lines(to: "\"\(jobs[round])/0\"", "\"executing\"")
                    if round % 2 == 1 { try await cluster.restartCoordinator(with: SIGKILL) }
                    try await gate.open()
                    #expect(try await cluster.wait(jobs[round]) == 1)
                    // The watcher ends somewhere in the middle; only its complete lines count.
                    _ = try await watcher.lines(toEndOf: "\(jobs[round])/\(5 + round)")
                    watcher.process.signal(SIGKILL)
                    try await watcher.process.end()
                    union += try watcher.events
                }
                let rest = try cluster.watch(since: union.last?.seq.int ?? 0)
                union += try await cluster.eventsSoFar(of: rest)
                union.expectConsecutive()
                #expect(union.contains { $0.event == "missed" } == false)
                for job in jobs {
                    for index in 0..<22 { Self.expectTrueOrder(union, of: "\(job)/\(index)") }
                }
                let all = try await constant.lines(to: "\"seq\":\(union.count),")
                #expect(try all.map { try JSONValue(parsing: $0) } == union)
            }
        }

        @Test(
            "OB10 A watcher that does not read slows no operation, and misses no event that is kept",
            arguments: ClusterShape.tested
        )
        func ob10Slow(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let pipe = try cluster.gate().path
                // Open at both ends, so that the watcher can write until the pipe is full.
                let slow = try cluster.start(
                    script: "exec 3<> '\(pipe)'; exec \(TestCluster.baton) watch --json --since 0 >&3"
                )
                let stopped = try cluster.watch()
                _ = try await cluster.eventsSoFar(of: stopped)
                stopped.process.pause()
                let count = 3000
                let job = try await cluster.submit(
                    graph: "{ operations: [{ kind: 'noop', array: '1-\(count)' }] }"
                )
                #expect(try await cluster.wait(job) == 0)
                let all = try await cluster.linesSoFar(of: cluster.watch())
                #expect(all.enumerated().allSatisfy { $1.hasPrefix("{\"seq\":\($0 + 1),") })
                #expect(all.count { $0.contains("\"finished\"") && $0.contains("\"\(job)/") } == count)
                #expect(slow.isRunning)

                // Now both read on.
                let reader = try cluster.start(script: "head -n \(all.count) '\(pipe)'")
                #expect(try await reader.end() == 0)
                #expect(reader.outputText.split(separator: "\n").map(String.init) == all)
                stopped.process.signal(SIGCONT)
                #expect(try await stopped.lines(to: "\"seq\":\(all.count),") == all)
                slow.signal(SIGTERM)
                try await slow.end()
            }
        }
    }
}
