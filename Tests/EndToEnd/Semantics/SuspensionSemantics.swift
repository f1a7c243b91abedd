import Foundation
import Testing

extension SemanticsTests {
    @Suite("Suspension")
    struct Suspension {
        @Test(
            "SU1 A suspended queue starts nothing, and its executing operation goes on",
            arguments: ClusterShape.tested
        )
        func su1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let executing = try await cluster.submit(
                    script: "\(gate.wait); \(cluster.note("executing"))",
                    "--queue",
                    "q"
                )
                try await gate.arrival()
                if shape.slots > 1 { _ = try await cluster.occupy(shape.slots - 1, queue: "blockers") }
                let waiting = try await cluster.submit(
                    script: cluster.note("waiting"),
                    "--queue",
                    "q",
                    "--array",
                    "1-2"
                )
                try await cluster.change("queue", "suspend", "q", count: 1)
                #expect(try await cluster.show("\(executing)/0").state == "executing")
                try await gate.open()
                #expect(try await cluster.wait(executing) == 0)
                // The slot is free now, and goes to the operation that was added later.
                #expect(try await cluster.wait(cluster.submit("--", "true")) == 0)
                #expect(cluster.notes == ["executing"])
                #expect(try await cluster.outcomes(of: waiting) == ["ready", "ready"])
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.suspended, queue.count, queue.executing) == (true, 2, 0))
                let reasons = try await cluster.json("explain", "\(waiting)/0").waitsFor.elements
                #expect(reasons.map(\.kind).contains("suspended"))

                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(waiting) == 0)
                #expect(cluster.notes == ["executing", "waiting", "waiting"])
            }
        }

        @Test("SU2 Operations can be added to a suspended queue", arguments: ClusterShape.tested)
        func su2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                // Suspending a queue creates the queue.
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let job = try await cluster.submit(script: cluster.note("alone"), "--queue", "q")
                let graph = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "first", command: "\(cluster.note("graph"))" },
                          { command: "\(cluster.note("graph"))", needs: ["first"] },
                        ] }
                        """
                )
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                #expect(try await cluster.outcomes(of: job) == ["ready"])
                #expect(try await cluster.outcomes(of: graph) == ["ready", "pending"])
                #expect(try await cluster.json("queue", "show", "q").count == 3)
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(queue: "q") == 0)
                #expect(cluster.notes.sorted() == ["alone", "graph", "graph"])
                _ = try await cluster.json("queue", "set", "images", "--max-concurrent", "2")
                for (command, names) in [
                    ("suspend", ["iamges"]), ("resume", ["iamges"]), ("suspend", ["q", "iamges"]),
                ] {
                    let unknown = try await cluster.baton(["queue", command] + names)
                    #expect(unknown.status == 66, "\(unknown)")
                    let sentence = "There is no queue \"iamges\". Did you mean \"images\"?"
                    #expect(unknown.errors.contains(sentence), "\(unknown)")
                }
                // The refused commands create no queue, and change no queue.
                let queues = try await cluster.json("queue", "list").queues.elements
                #expect(!queues.contains { $0.queue == "iamges" || $0.suspended == true })
            }
        }

        @Test(
            "SU3 A suspended queue keeps cancelled operations unfinished and counted until it is resumed",
            arguments: ClusterShape.tested
        )
        func su3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "ready", command: "\(cluster.note("ready"))" },
                          { name: "pending", command: "\(cluster.note("pending"))", after: ["ready"] },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                        ] }
                        """
                )
                let elsewhere = try await cluster.submit(script: cluster.note("elsewhere"), "--after", "\(job)/ready")
                try await cluster.change("cancel", job, count: 3)
                try await cluster.useAllSlots(of: shape)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.cancelled) == [true, true, true])
                #expect(operations.map(\.state).allSatisfy { $0 != "finished" })
                #expect(operations.map(\.outcome) == [nil, nil, nil])
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.count, queue.executing) == (3, 0))
                #expect(queue.operations.elements.map(\.string) == (0..<3).map { "\(job)/\($0)" })
                #expect(try await cluster.outcomes(of: elsewhere) == ["pending"])

                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(job, elsewhere) == 1)
                #expect(try await cluster.outcomes(of: job) == ["cancelled", "cancelled", "cancelled"])
                #expect(try await cluster.json("queue", "show", "q").count == 0)
                #expect(cluster.notes == ["elsewhere"])
            }
        }

        @Test(
            "SU4 A resumed queue finishes cancelled operations without running, and starts others by priority and age",
            arguments: ClusterShape.tested
        )
        func su4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let priorities = [
                    ("normal1", "normal"), ("low", "low"), ("cancelled", "veryHigh"), ("high1", "high"),
                    ("normal2", "normal"), ("high2", "high"),
                ]
                let operations = priorities.map { name, priority in
                    "{ name: '\(name)', priority: '\(priority)', command: \"\(cluster.note(name))\" }"
                }
                let job = try await cluster.submit(
                    graph: "{ queue: 'q', operations: [\(operations.joined(separator: ","))] }"
                )
                try await cluster.change("cancel", "\(job)/cancelled", count: 1)
                let blockers = try await cluster.occupy(shape.slots)
                try await cluster.change("queue", "resume", "q", count: 1)
                // No slot is free, and a cancelled operation needs none.
                let cancelled = try await cluster.show("\(job)/cancelled")
                #expect((cancelled.outcome, cancelled.attempt, cancelled.startedAt) == ("cancelled", 0, nil))
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(queue: "q") == 0)
                #expect(cluster.notes == ["high1", "high2", "normal1", "normal2", "low"])
            }
        }

        @Test("SU5 A second suspension or resume of a queue has no effect", arguments: ClusterShape.tested)
        func su5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                try await cluster.change("queue", "suspend", "q", count: 0)
                let first = try await cluster.submit(script: cluster.note("first"), "--queue", "q")
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(first) == 0)
                try await cluster.change("queue", "resume", "q", count: 0)
                try await cluster.change("queue", "suspend", "q", count: 1)
                let second = try await cluster.submit(script: cluster.note("second"), "--queue", "q")
                try await cluster.useAllSlots(of: shape)
                #expect(try await cluster.outcomes(of: second) == ["ready"])
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(second) == 0)
                #expect(cluster.notes == ["first", "second"])
            }
        }

        @Test(
            "SU6 Other queues go on beside a suspended queue, and dependents of its operations wait",
            arguments: ClusterShape.tested
        )
        func su6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let waiting = try await cluster.submit(script: cluster.note("waiting"), "--queue", "q")
                let dependent = try await cluster.submit(
                    script: cluster.note("dependent"),
                    "--queue",
                    "other",
                    "--needs",
                    waiting
                )
                let other = try await cluster.submit(script: cluster.note("other"), "--queue", "other")
                #expect(try await cluster.wait(other) == 0)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == ["other"])
                #expect(try await cluster.outcomes(of: dependent) == ["pending"])
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(dependent) == 0)
                #expect(cluster.notes == ["other", "waiting", "dependent"])
            }
        }

        @Test("SU7 A wait for a suspended queue waits for the resume", arguments: ClusterShape.tested)
        func su7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await cluster.change("queue", "set", "q", "--suspended", count: 1)
                let job = try await cluster.submit(script: cluster.note("ran"), "--queue", "q")
                // On a terminal `wait` shows its progress, so the request was sent and waits for the answer.
                let waiting = try cluster.startOnTerminal("wait", "--queue", "q")
                try await waiting.output(containing: "0/1")
                try await cluster.useAllSlots(of: shape)
                #expect(waiting.isRunning)
                #expect(try await cluster.outcomes(of: job) == ["ready"])
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await waiting.end() == 0)
                #expect(cluster.notes == ["ran"])
            }
        }

        @Test(
            "SU8 D5 No prefetched operation starts after suspend was answered",
            arguments: ClusterShape.tested
        )
        func su8(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let job = try await cluster.submit(
                    script: cluster.note("{}"),
                    "--queue",
                    "q",
                    "--array",
                    "1-\(count)"
                )
                let sent = try await cluster.sentAhead(of: job)
                #expect(sent.count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                try await cluster.change("queue", "suspend", "q", count: 1)
                #expect(try await cluster.sentAhead(of: job) == [:])
                try await blockers.release(0...)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                #expect(try await cluster.show(job).counts.ready.int == count)
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(job) == 0)
                #expect(Set(cluster.notes) == Set((1...count).map { "\($0)" }))
                #expect(cluster.notes.count == count)
                // A recalled dispatch was no attempt.
                #expect(try await cluster.show(job).operations.elements.allSatisfy { $0.attempt == 1 })
            }
        }

        @Test(
            "SU8 The answer to suspend names the workers that did not answer in time",
            arguments: ClusterShape.tested
        )
        func su8Unanswered(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let job = try await cluster.submit(
                    script: cluster.note("{}"),
                    "--queue",
                    "q",
                    "--array",
                    "1-\(count)"
                )
                #expect(try await cluster.sentAhead(of: job).count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                let worker = try #require(cluster.workers["w1"])
                worker.pause()
                let report = try await cluster.json("queue", "suspend", "q")
                #expect(report.unanswered == ["w1"])
                #expect(Set(try await cluster.sentAhead(of: job).values) == ["w1"])
                // A second suspend gives the same answer, as a sentence.
                let again = try await cluster.baton("queue", "suspend", "q")
                #expect((again.status, again.output) == (0, ""))
                #expect(again.errors.contains("Worker w1 did not answer in time"), "\(again)")
                worker.signal(SIGCONT)

                // The worker hears of the suspension before an operation of the queue could start.
                try await cluster.letWorkersCatchUp(executing: blockers)
                try await blockers.release(0...)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes.count == count)
                #expect(Set(cluster.notes).count == count)
            }
        }

        @Test(
            "SU8 The answer to suspend names stopped workers with free slots, whose operations run once after a resume",
            arguments: ClusterShape.tested
        )
        func su8Undelivered(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                for worker in cluster.workers.values { worker.pause() }
                let job = try await cluster.submit(
                    script: cluster.note("{}"),
                    "--queue",
                    "q",
                    "--array",
                    "1-\(shape.slots)"
                )
                #expect(try await cluster.sentAhead(of: job).count == shape.slots)
                let report = try await cluster.json("queue", "suspend", "q")
                #expect(report.unanswered.elements.map(\.string) == cluster.workers.keys.sorted())
                for worker in cluster.workers.values { worker.signal(SIGCONT) }
                try await cluster.change("queue", "resume", "q", count: 1)
                #expect(try await cluster.wait(job) == 0)
                #expect(Set(cluster.notes).count == shape.slots)
                #expect(cluster.notes.count == shape.slots)
            }
        }
    }
}
