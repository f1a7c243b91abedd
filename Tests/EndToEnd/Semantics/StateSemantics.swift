import Foundation
import Testing

extension SemanticsTests {
    @Suite("States")
    struct States {
        @Test(
            "ST1 A new operation is ready unless it has dependencies, and has default values otherwise",
            arguments: ClusterShape.tested
        )
        func st1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "true" },
                          { name: "second", command: "true", after: ["first"] },
                        ] }
                        """
                )
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.state) == ["ready", "pending"])
                for operation in operations {
                    #expect((operation.outcome, operation.cancelled, operation.reason) == (nil, false, nil))
                    #expect((operation.startedAt, operation.finishedAt, operation.attempt) == (nil, nil, 0))
                    #expect((operation.priority, operation.qos, operation.progress) == (0, nil, 0))
                    #expect((operation.held, operation.barrier, operation.onFinish) == (false, false, nil))
                }
            }
        }

        @Test(
            "ST2 An operation is pending, ready, executing and finished in this order, and can be cancelled before its end",
            arguments: ClusterShape.tested
        )
        func st2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (first, second) = (try cluster.gate("first"), try cluster.gate("second"))
                let job = try await cluster.submit(
                    graph: """
                        { queues: { closed: { maxConcurrent: 0 } }, operations: [
                          { name: "first", command: "\(first.wait)" },
                          { name: "second", command: "\(second.wait)", after: ["first"], queue: "closed" },
                        ] }
                        """
                )
                func state() async throws -> JSONValue { try await cluster.show("\(job)/second").state }
                try await first.arrival()
                #expect(try await state() == "pending")
                try await first.open()
                #expect(try await cluster.wait("\(job)/first") == 0)
                #expect(try await state() == "ready")
                _ = try await cluster.json("queue", "set", "closed", "--max-concurrent", "1")
                try await second.arrival()
                #expect(try await state() == "executing")
                try await second.open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/second")
                #expect(operation.state == "finished")
                let times = [operation.submittedAt, operation.readyAt, operation.startedAt, operation.finishedAt]
                #expect(times.allSatisfy { $0 != nil } && times.map(\.string) == times.map(\.string).sorted())

                let third = try cluster.gate("third")
                let flagged = try await cluster.submit(
                    graph: """
                        { queues: { shut: { maxConcurrent: 0 } }, operations: [
                          { name: "finished", command: "true" },
                          { name: "executing", command: "\(third.wait)", after: ["finished"] },
                          { name: "ready", command: "true", queue: "shut" },
                          { name: "pending", command: "true", after: ["ready"] },
                        ] }
                        """
                )
                try await third.arrival()
                let before = try await cluster.show(flagged).operations.elements
                #expect(before.map(\.state) == before.map(\.name))
                #expect(try await cluster.json("cancel", flagged).cancelled == 3)
                #expect(try await cluster.wait(flagged) == 1)
                let after = try await cluster.show(flagged).operations.elements
                #expect(after.map(\.cancelled) == [false, true, true, true])
                #expect(after.map(\.state) == Array(repeating: "finished", count: 4))
            }
        }

        @Test(
            "ST3 An operation is executing from the first to the last thing that its code does, and not before or after",
            arguments: ClusterShape.tested
        )
        func st3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let count = shape.slots + 2
                let look = "'\(TestCluster.program)' show $BATON_OPERATION --json"
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    script: "\(look) > first-{}; \(look) > last-{}",
                    "--array",
                    "1-\(count)"
                )
                #expect(try await cluster.outcomes(of: job) == Array(repeating: "ready", count: count))
                try await blockers.release(0...)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show(job).operations.elements.allSatisfy { $0.state == "finished" })
                for number in 1...count {
                    for name in ["first-\(number)", "last-\(number)"] {
                        let operation = try JSONValue(parsing: cluster.read(name))
                        #expect((operation.state, operation.finishedAt) == ("executing", nil), "\(name)")
                        #expect((operation.attempt, operation.startedAt == nil) == (1, false), "\(name)")
                    }
                }

                // A cancelled operation stays executing as long as its code runs.
                let gate = try cluster.gate()
                let asked = try await cluster.submit(
                    script: "trap '\(look) > asked; exit 3' TERM; \(gate.checkIn); \(Gate.awaitSignal)"
                )
                try await gate.arrival()
                #expect(try await cluster.json("cancel", asked).cancelled == 1)
                #expect(try await cluster.wait(asked) == 1)
                let operation = try JSONValue(parsing: cluster.read("asked"))
                #expect((operation.state, operation.cancelled) == ("executing", true))
            }
        }

        /// Submits operations for each of the outcomes, and waits for the job.
        private static func allOutcomes(in cluster: TestCluster) async throws -> String {
            let job = try await cluster.submit(
                graph: """
                    { queues: { shut: { maxConcurrent: 0 } }, operations: [
                      { name: "succeeded", command: "true" },
                      { name: "failed", command: "false" },
                      { name: "cancelled", command: "true", queue: "shut" },
                      { name: "skipped", command: "true", needs: ["failed"] },
                    ] }
                    """
            )
            #expect(try await cluster.json("cancel", "\(job)/cancelled").cancelled == 1)
            #expect(try await cluster.wait(job) == 1)
            return job
        }

        @Test(
            "ST4 Success, failure, cancellation and skip all end in finished, with their outcomes",
            arguments: ClusterShape.tested
        )
        func st4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.show(Self.allOutcomes(in: cluster))
                #expect(job.state == "finished")
                for operation in job.operations.elements {
                    #expect((operation.state, operation.outcome) == ("finished", operation.name))
                    #expect(operation.finishedAt != nil)
                }
            }
        }

        @Test(
            "ST5 Later requests change nothing of finished and cancelled operations",
            arguments: ClusterShape.tested
        )
        func st5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await Self.allOutcomes(in: cluster)
                let before = try await cluster.show(job)
                #expect(try await cluster.json("cancel", job).cancelled == 0)
                for change in [["hold"], ["release"], ["priority", "high"]] {
                    let report = try await cluster.baton([change[0], job] + change.dropFirst() + ["--json"])
                    #expect(report.status == 0, "\(report)")
                    #expect(try JSONValue(parsing: report.output).changed == 0, "\(report)")
                }
                let held = try await cluster.submit("--hold", "--", "true")
                for index in 0..<4 {
                    #expect(try await cluster.json("depend", "\(job)/\(index)", "--after", held).changed == 0)
                }
                #expect(try await cluster.show(job) == before)
            }
        }

        @Test("ST6 No operation is ever shown executing and finished at once", arguments: ClusterShape.tested)
        func st6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let count = 60
                let job = try await cluster.submit("--array", "1-\(count)", "--", "/bin/true")
                var finished: Set<JSONValue> = []
                while finished.count < count {
                    let document = try await cluster.show(job)
                    let operations = document.operations.elements
                    try #require(operations.count == count)
                    for operation in operations {
                        let isFinished = operation.state == "finished"
                        #expect((operation.outcome != nil) == isFinished, "\(operation)")
                        #expect((operation.finishedAt != nil) == isFinished, "\(operation)")
                    }
                    let now = Set(operations.filter { $0.state == "finished" }.map(\.operation))
                    #expect(now.isSuperset(of: finished), "one came back")
                    finished = now
                    let counts = ["pending", "ready", "executing", "succeeded"].map { document.counts[$0].int }
                    #expect(counts.reduce(0, +) == count && counts[3] == finished.count, "\(document.counts)")
                }
            }
        }

        @Test(
            "ST7 A finished operation never runs again, and a retry makes new operations",
            arguments: ClusterShape.tested
        )
        func st7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { retryDelay: "1ms" }, operations: [
                          { name: "again", retries: 3,
                            command: "\(cluster.note("again$BATON_ATTEMPT")); test $BATON_ATTEMPT = 2 && \(gate.wait)" },
                          { name: "bad", command: "\(cluster.note("bad")); exit 3", after: ["again"] },
                          { name: "skipped", command: "\(cluster.note("skipped"))", needs: ["bad"] },
                        ] }
                        """
                )
                try await gate.arrival()
                let again = try await cluster.show("\(job)/again")
                #expect((again.state, again.attempt, again.outcome) == ("executing", 2, nil))
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["again1", "again2", "bad"])

                let before = try await cluster.show(job)
                let retried = try await cluster.json("retry", job)
                #expect(retried.operations == 2)
                #expect(try await cluster.wait("\(retried.job.int)") == 1)
                #expect(cluster.notes == ["again1", "again2", "bad", "bad"])
                #expect(try await cluster.outcomes(of: "\(retried.job.int)") == ["failed", "skipped"])
                let after = try await cluster.show(job)
                #expect(after.operations == before.operations && after.counts == before.counts)
            }
        }

        @Test(
            "ST8 A non-zero exit, a signal, a timeout and a missing program are failures, and a lost worker is none",
            arguments: ClusterShape.tested
        )
        func st8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { retries: 1, retryDelay: "1ms" }, operations: [
                          { command: "exit 9" },
                          { command: "kill -SEGV $$" },
                          { command: "trap '' TERM; sleep 1000 & wait; wait", timeout: "20ms", grace: "20ms" },
                          { command: ["/no/such/program"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.outcome) == Array(repeating: "failed", count: 4))
                #expect(operations.map(\.reason) == ["exit", "signal", "timeout", "launch"])
                #expect((operations[0].exitStatus, operations[0].signal) == (9, nil))
                #expect((operations[1].exitStatus, operations[1].signal) == (nil, 11))
                #expect(operations[0].message == "It exited with status 9.")
                #expect(operations.map(\.attempt) == [2, 2, 2, 2], "after its retries")
                #expect(operations.allSatisfy { $0.cancelled == false && $0.losses == 0 })

                let gates = [try cluster.gate("1"), try cluster.gate("2")]
                let lost = try await cluster.submit(script: cluster.waitAtGate("$BATON_ATTEMPT"))
                try await gates[0].arrival()
                let worker = try await cluster.show("\(lost)/0").worker.string
                cluster.workers[worker]?.signal(SIGKILL)
                try await cluster.workers[worker]?.end()
                try await cluster.startWorker(worker, slots: shape.slotsOfEach)
                try await gates[1].open()
                #expect(try await cluster.wait(lost) == 0)
                let operation = try await cluster.show("\(lost)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 2, 1))
            }
        }

        @Test(
            "ST10 An operation that is cancelled before its start is finished without ever executing",
            arguments: ClusterShape.tested
        )
        func st10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "ready", command: "\(cluster.note("ready"))" },
                          { name: "pending", command: "\(cluster.note("pending"))", after: ["ready"] },
                          { name: "delayed", command: "\(cluster.note("delayed"))", delay: "1h" },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.json("cancel", job).cancelled == 4)
                // No slot has become free yet.
                #expect(try await cluster.wait(job) == 1)
                for operation in try await cluster.show(job).operations.elements {
                    #expect(
                        (operation.state, operation.outcome, operation.cancelled) == ("finished", "cancelled", true)
                    )
                    #expect((operation.startedAt, operation.attempt) == (nil, 0))
                }
                try await blockers.release(0...)
                #expect(try await cluster.wait(queue: "blockers") == 0)
                #expect(cluster.notes == [])
            }
        }
    }
}
