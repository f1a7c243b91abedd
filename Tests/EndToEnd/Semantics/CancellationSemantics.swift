import Foundation
import Testing

extension SemanticsTests {
    @Suite("Cancellation")
    struct Cancellation {
        @Test(
            "CA1 A cancellation sets the flag at once in any unfinished state, and does nothing to a finished operation",
            arguments: ClusterShape.tested
        )
        func ca1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let finished = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(finished) == 0)
                let gate = try cluster.gate()
                let executing = try await cluster.submit(
                    script: "trap '' TERM; \(gate.wait); \(cluster.note("executing"))",
                    "--grace",
                    "forever"
                )
                try await gate.arrival()
                if shape.slots > 1 { _ = try await cluster.occupy(shape.slots - 1) }
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "ready", command: "\(cluster.note("ready"))" },
                          { name: "pending", command: "\(cluster.note("pending"))", after: ["ready"] },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                          { name: "delayed", command: "\(cluster.note("delayed"))", delay: "1h" },
                        ] }
                        """
                )
                let before = try await cluster.show("\(finished)/0")
                try await cluster.change("cancel", job, "\(executing)/0", count: 5)
                let asked = try await cluster.show("\(executing)/0")
                #expect((asked.state, asked.cancelled, asked.outcome) == ("executing", true, nil))
                for operation in try await cluster.show(job).operations.elements {
                    #expect((operation.cancelled, operation.outcome) == (true, "cancelled"), "\(operation)")
                }

                let report = try await cluster.json("cancel", "\(finished)/0")
                #expect(report.cancelled == 0)
                let note = try #require(report.notes.elements.first?.string)
                #expect(note.hasPrefix("\(finished)/0 is finished") && note.contains("no effect"))
                #expect(try await cluster.show("\(finished)/0") == before)
                try await gate.open()
                #expect(try await cluster.wait(executing) == 1)
                #expect(cluster.notes == ["executing"])
            }
        }

        @Test("CA2 ST10 A waiting operation that is cancelled never runs", arguments: ClusterShape.tested)
        func ca2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let ready = try await cluster.submit(script: cluster.note("ready"))
                let array = try await cluster.submit(script: cluster.note("{}"), "--array", "0-9")
                try await cluster.change("cancel", ready, "\(array)/3", "\(array)/7", count: 3)
                try await blockers.release(0...)
                #expect(try await cluster.wait(ready, array) == 1)
                for operation in [ready + "/0", array + "/3", array + "/7"] {
                    let cancelled = try await cluster.show(operation)
                    #expect((cancelled.state, cancelled.outcome) == ("finished", "cancelled"))
                    #expect((cancelled.attempt, cancelled.startedAt, cancelled.worker) == (0, nil, nil))
                }
                #expect(cluster.notes.sorted() == ["0", "1", "2", "4", "5", "6", "8", "9"])
            }
        }

        @Test("CA3 A cancelled operation ignores its dependencies", arguments: ClusterShape.tested)
        func ca3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "held", command: "true", hold: true },
                          { name: "after", command: "true", after: ["held"] },
                          { name: "needs", command: "true", needs: ["held"] },
                          { name: "onFailure", command: "true", onFailure: ["held"] },
                        ] }
                        """
                )
                try await cluster.change("cancel", "\(job)/after", "\(job)/needs", "\(job)/onFailure", count: 3)
                #expect(
                    try await cluster.outcomes(of: job) == ["pending", "cancelled", "cancelled", "cancelled"]
                )
                // The later outcome of the dependency does not make the cancelled operations skipped.
                try await cluster.change("release", "\(job)/held", count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(
                    try await cluster.outcomes(of: job) == ["succeeded", "cancelled", "cancelled", "cancelled"]
                )
            }
        }

        @Test(
            "CA4 An executing operation that is cancelled gets SIGTERM, and so does its process group",
            arguments: ClusterShape.tested
        )
        func ca4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (parent, child) = (try cluster.gate("parent"), try cluster.gate("child"))
                let inner = "trap '\(cluster.note("child")); exit' TERM; echo $$; \(child.checkIn); \(Gate.awaitSignal)"
                try cluster.write(inner, to: "inner.sh")
                let job = try await cluster.submit(
                    script:
                        "trap '\(cluster.note("parent")); wait; exit 3' TERM; sh inner.sh & \(parent.checkIn); wait",
                    "--grace",
                    "forever"
                )
                try await parent.open()
                try await child.open()
                try await cluster.change("cancel", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(Set(cluster.notes) == ["parent", "child"])
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.cancelled, operation.reason) == ("cancelled", true, "cancelled"))
                let innermost = try await cluster.baton("log", job).line
                #expect(Int(innermost) != nil && !isAlive(innermost))
            }
        }

        @Test(
            "CA4 An operation that ignores SIGTERM is killed with its children when its grace period is over",
            arguments: ClusterShape.tested
        )
        func ca4Grace(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "trap '' TERM; sleep 1000 & echo $!; \(gate.wait); \(cluster.note("survived"))",
                    "--grace",
                    "200ms"
                )
                try await gate.arrival()
                try await cluster.change("cancel", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.signal) == ("cancelled", 9))
                #expect(cluster.notes == [])
                let innermost = try await cluster.baton("log", job).line
                #expect(Int(innermost) != nil && !isAlive(innermost))
            }
        }

        @Test("CA4 A command is asked to end with its stop signal", arguments: ClusterShape.tested)
        func ca4Signal(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "trap '' TERM; trap '\(cluster.note("usr1")); exit 3' USR1; "
                        + "\(gate.checkIn); \(Gate.awaitSignal)",
                    "--grace",
                    "forever",
                    "--stop-signal",
                    "USR1"
                )
                try await gate.open()
                try await cluster.change("cancel", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["usr1"])
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.exitStatus) == ("cancelled", 3))
                let refused = try await cluster.baton("submit", "--stop-signal", "STOP", "--", "true")
                #expect(refused.status == 64)
            }
        }

        @Test(
            "CA4 An operation with --grace forever is not killed, decides how to end, and its effects stand",
            arguments: ClusterShape.tested
        )
        func ca4Forever(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, asked) = (try cluster.gate("gate"), try cluster.gate("asked"))
                let job = try await cluster.submit(
                    script: Self.endingWhenAsked(at: gate, asked, "echo r > $BATON_RESULT; \(cluster.note("done"))"),
                    "--grace",
                    "forever"
                )
                let dependent = try await cluster.submit("--needs", job, "--", "true")
                try await gate.open()
                try await cluster.change("cancel", job, count: 1)
                try await asked.arrival()
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.cancelled) == ("executing", true))
                try await asked.open()
                #expect(try await cluster.wait(job, dependent) == 1)
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.outcome, ended.cancelled, ended.exitStatus) == ("cancelled", true, 0))
                #expect(cluster.notes == ["done"])
            }
        }

        @Test(
            "CA16 A command that gets its signal from a cancel is cancelled whatever it exits with, and leaves no result",
            arguments: ClusterShape.tested
        )
        func ca16(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gates = try (0..<2).map { try cluster.gate("\($0)") }
                let script =
                    "trap 'echo r > $BATON_RESULT; exit {}' TERM; : < '\(cluster.home.path)/gate-'{}; \(Gate.awaitSignal)"
                let job = try await cluster.submit(
                    script: script,
                    "--array",
                    "0-1",
                    "--retries",
                    "3",
                    "--grace",
                    "forever"
                )
                let dependents = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "needs", command: "true", needs: ["\(job)/0"] },
                          { name: "onFailure", command: "true", onFailure: ["\(job)/1"] },
                          { name: "after", command: "ls $BATON_INPUTS; true", after: ["\(job)/0"] },
                        ] }
                        """
                )
                for (index, gate) in gates.enumerated() {
                    try await gate.open()
                    try await cluster.change("cancel", "\(job)/\(index)", count: 1)
                    #expect(try await cluster.wait("\(job)/\(index)") == 1)
                }
                #expect(try await cluster.wait(dependents) == 1)
                for (index, operation) in try await cluster.show(job).operations.elements.enumerated() {
                    #expect(
                        (operation.outcome, operation.cancelled, operation.reason) == ("cancelled", true, "cancelled")
                    )
                    #expect((operation.exitStatus, operation.attempt) == (.number(Double(index)), 1))
                    #expect(operation.hasResult == false)
                    #expect(try await cluster.baton("result", operation.operation.string).status == 66)
                }
                #expect(try await cluster.outcomes(of: dependents) == ["skipped", "skipped", "succeeded"])
                let roots = try await cluster.show(dependents).operations.elements.map(\.skippedBecauseOf)
                #expect(roots == [.text("\(job)/0"), .text("\(job)/1"), nil])
                #expect(try await cluster.baton("log", "\(dependents)/after").output == "")
            }
        }

        @Test(
            "CA16 One signalled command of several makes the operation cancelled, and a failed operation stays failed",
            arguments: ClusterShape.tested
        )
        func ca16Several(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let wait = "trap 'exit 0' TERM; \(gate.checkIn); \(Gate.awaitSignal)"
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { commands: [["true"], ["sh", "-c", "exit 4"], ["sh", "-c", "\(wait)"]], grace: "forever" }
                        ] }
                        """
                )
                try await gate.open()
                try await cluster.change("cancel", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.reason) == ("cancelled", "cancelled"))

                let failed = try await cluster.submit(script: "exit 4")
                #expect(try await cluster.wait(failed) == 1)
                try await cluster.change("cancel", failed, count: 0)
                let before = try await cluster.show("\(failed)/0")
                #expect((before.outcome, before.cancelled, before.exitStatus) == ("failed", false, 4))
            }
        }

        @Test(
            "CA16 A command that was signalled because of its timeout has failed, whatever it exits with",
            arguments: ClusterShape.tested
        )
        func ca16Timeout(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let script = "trap 'echo r > $BATON_RESULT; exit {}' TERM; \(Gate.awaitSignal)"
                let job = try await cluster.submit(script: script, "--array", "0-1", "--timeout", "300ms")
                #expect(try await cluster.wait(job) == 1)
                for operation in try await cluster.show(job).operations.elements {
                    #expect((operation.outcome, operation.reason, operation.cancelled) == ("failed", "timeout", false))
                    #expect(operation.hasResult == false)
                }
            }
        }

        /// A script that checks in at a gate, waits at a second gate after SIGTERM, and then runs a command.
        ///
        /// The script's sleeping child gets SIGTERM as well, perhaps before the shell does.
        private static func endingWhenAsked(at gate: Gate, _ asked: Gate, _ script: String) -> String {
            """
            trap 'asked=1' TERM; \(gate.checkIn)
            until [ "$asked" ]; do sleep 1000 & wait; done
            kill $!; \(asked.wait); \(script); exit 0
            """
        }

        @Test(
            "CA6 The cancellation of a queue cancels all its present operations and barriers, and nothing added later",
            arguments: ClusterShape.tested
        )
        func ca6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "executing", command: "\(gate.wait); \(cluster.note("executing"))" },
                          { name: "pending", command: "\(cluster.note("pending"))", after: ["executing"] },
                          { name: "ready", command: "\(cluster.note("ready"))", array: "1-50", hold: true },
                          { name: "barrier", command: "\(cluster.note("barrier"))", barrier: true },
                          { name: "behind", command: "\(cluster.note("behind"))" },
                          { name: "elsewhere", command: "\(cluster.note("elsewhere"))", queue: "other",
                            after: ["executing"] },
                        ] }
                        """
                )
                try await gate.arrival()
                try await cluster.change("queue", "cancel", "q", count: 54)
                let later = try await cluster.submit(script: cluster.note("later"), "--queue", "q")
                #expect(try await cluster.wait(later) == 0)
                #expect(try await cluster.wait(job) == 1)
                let counts = try await cluster.show(job).counts
                #expect((counts.cancelled, counts.succeeded) == (54, 1))
                #expect(cluster.notes.sorted() == ["elsewhere", "later"])
                // The same under the command's other name, with no operation left in the queue.
                try await cluster.change("cancel", "--queue", "q", count: 0)
                let unknown = try await cluster.baton("queue", "cancel", "none")
                #expect(unknown.status == 66, "\(unknown)")
            }
        }

        @Test("CA7 Completion hooks of cancelled operations still run", arguments: ClusterShape.tested)
        func ca7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, first, second) = (try cluster.gate(), try cluster.gate(), try cluster.gate())
                let hook = "echo $BATON_NAME $BATON_OUTCOME >> '\(cluster.home.path)/notes'"
                let executing = try await cluster.submit(
                    script: gate.wait,
                    "--name",
                    "executing",
                    "--on-finish",
                    "\(hook); \(first.checkIn)"
                )
                let waiting = try await cluster.submit(
                    script: cluster.note("ran"),
                    "--name",
                    "waiting",
                    "--hold",
                    "--on-finish",
                    "\(hook); \(second.checkIn)"
                )
                try await gate.arrival()
                try await cluster.change("cancel", executing, waiting, count: 2)
                try await first.open()
                try await second.open()
                #expect(cluster.notes.sorted() == ["executing cancelled", "waiting cancelled"])
            }
        }

        @Test(
            "CA8 Waiting operations that are cancelled finish at once, without a slot",
            arguments: ClusterShape.tested
        )
        func ca8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit("--array", "1-1000", "--", "true")
                let dependent = try await cluster.submit("--needs", job, "--", "true")
                try await cluster.change("cancel", job, count: 1000)
                // All operations are finished while no slot is free.
                #expect(try await cluster.wait(job, dependent) == 1)
                #expect(try await cluster.show(job).counts.cancelled == 1000)
                #expect(try await cluster.outcomes(of: dependent) == ["skipped"])
                #expect(try await cluster.show(blockers.job).counts.executing.int == shape.slots)
                try await blockers.release(0...)
                #expect(try await cluster.wait(blockers.job) == 0)
            }
        }

        @Test("CA9 A second cancellation of an operation has no effect", arguments: ClusterShape.tested)
        func ca9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, asked) = (try cluster.gate("gate"), try cluster.gate("asked"))
                let waiting = try await cluster.submit("--hold", "--", "true")
                let executing = try await cluster.submit(
                    script: Self.endingWhenAsked(at: gate, asked, cluster.note("done")),
                    "--grace",
                    "forever"
                )
                try await gate.open()
                try await cluster.change("cancel", waiting, executing, count: 2)
                try await asked.arrival()
                try await cluster.change("cancel", waiting, executing, count: 0)
                let again = try await cluster.baton("cancel", waiting, executing)
                #expect((again.status, again.output) == (0, ""), "\(again)")
                let flags = try await cluster.show("\(executing)/0")
                #expect((flags.state, flags.cancelled) == ("executing", true))
                try await asked.open()
                #expect(try await cluster.wait(executing) == 1)
                try await cluster.change("cancel", waiting, executing, count: 0)
                #expect(try await cluster.show(waiting).counts.cancelled == 1)
                #expect(try await cluster.show("\(executing)/0").outcome == "cancelled")
                #expect(cluster.notes == ["done"])
            }
        }

        @Test(
            "CA10 Dependents of a cancelled operation are not cancelled: after runs, needs and onFailure skip",
            arguments: ClusterShape.tested
        )
        func ca10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "ended", command: "\(gate.wait)" },
                          { name: "after", command: "true", after: ["ended"] },
                          { name: "needs", command: "true", needs: ["ended"] },
                          { name: "onFailure", command: "true", onFailure: ["ended"] },
                        ] }
                        """
                )
                try await gate.arrival()
                try await cluster.change("cancel", "\(job)/ended", count: 1)
                #expect(try await cluster.wait(job) == 1)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.outcome) == ["cancelled", "succeeded", "skipped", "skipped"])
                #expect(operations.map(\.cancelled) == [true, false, false, false])
                #expect(operations[2].message.string == "It needs \(job)/0 (ended), which was cancelled.")
            }
        }

        @Test("CA11 An operation may cancel itself, its job or its queue", arguments: ClusterShape.tested)
        func ca11(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                for target in ["$BATON_OPERATION", "$BATON_JOB", "--queue $BATON_QUEUE"] {
                    let script = "\(TestCluster.baton) cancel \(target) && exec sleep 1000"
                    let job = try await cluster.submit(
                        graph: """
                            { queue: "q", operations: [
                              { name: "canceller", command: "\(script)" },
                              { name: "dependent", command: "\(cluster.note("dependent"))", after: ["canceller"] },
                            ] }
                            """
                    )
                    #expect(try await cluster.wait(job) == 1)
                    let isAlone = target == "$BATON_OPERATION"
                    #expect(
                        try await cluster.outcomes(of: job) == ["cancelled", isAlone ? "succeeded" : "cancelled"],
                        "\(target)"
                    )
                }
                #expect(cluster.notes == ["dependent"])
            }
        }

        @Test(
            "CA12 An operation that is cancelled before it is added can be added, and finishes without running",
            arguments: ClusterShape.tested
        )
        func ca12(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "held", command: "true", hold: true },
                          { name: "alone", command: "\(cluster.note("alone"))", cancelled: true },
                          { name: "behind", command: "\(cluster.note("behind"))", cancelled: true, after: ["held"] },
                          { name: "array", command: "\(cluster.note("array"))", array: "1-3", cancelled: true },
                          { name: "after", command: "\(cluster.note("after"))", after: ["alone", "behind", "array"] },
                          { name: "needs", command: "\(cluster.note("needs"))", needs: ["alone"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/after") == 0)
                let operations = try await cluster.show(job).operations.elements
                #expect(
                    operations.map(\.outcome) == [
                        nil, "cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "succeeded", "skipped",
                    ]
                )
                #expect(operations[1...5].allSatisfy { $0.cancelled == true && $0.attempt == 0 })
                #expect(cluster.notes == ["after"])
            }
        }

        @Test(
            "CA14 An operation that is cancelled while it ends has exactly one outcome, and its flag shows the request",
            arguments: ClusterShape.tested
        )
        func ca14(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                var jobs: [(number: String, cancelled: Int)] = []
                for round in 1...6 {
                    let number = try await cluster.submit(script: cluster.note("\(round)-{}"), "--array", "1-40")
                    // Cancel while some operations have ended, and other operations are ending.
                    let cancelling = try cluster.start(
                        script: """
                            \(TestCluster.baton) wait \(number)/\(5 * round); \(TestCluster.baton) cancel \(number) --json
                            """
                    )
                    #expect(try await cancelling.end() == 0)
                    _ = try await cluster.wait(number)
                    jobs.append((number, try JSONValue(parsing: cancelling.outputText).cancelled.int))
                }
                let events = try await cluster.eventsSoFar(of: try cluster.watch())
                for (round, job) in jobs.enumerated() {
                    let operations = try await cluster.show(job.number).operations.elements
                    #expect(operations.filter { $0.cancelled == true }.count == job.cancelled)
                    for (index, operation) in operations.enumerated() {
                        #expect(operation.state == "finished")
                        if operation.outcome == "cancelled" { #expect(operation.cancelled == true) }
                        let hasRun = cluster.notes.filter { $0 == "\(round + 1)-\(index + 1)" }.count
                        #expect(hasRun <= 1)
                        if operation.outcome == "succeeded" { #expect(hasRun == 1) }
                        if operation.attempt == 0 { #expect((hasRun, operation.outcome) == (0, "cancelled")) }
                        let finished = events.about("\(job.number)/\(index)").filter { $0.state == "finished" }
                        #expect(finished.map(\.outcome) == [operation.outcome])
                    }
                }
            }
        }

        @Test(
            "CA15 D5 No prefetched operation starts after cancel was answered",
            arguments: ClusterShape.tested
        )
        func ca15(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-\(count)")
                #expect(try await cluster.sentAhead(of: job).count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                try await cluster.change("cancel", job, count: count)
                #expect(try await cluster.show(job).counts.cancelled.int == count)
                try await blockers.release(0...)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
            }
        }

        @Test("CA15 The answer to cancel names the workers that did not answer in time", arguments: ClusterShape.tested)
        func ca15Unanswered(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-\(count)")
                #expect(try await cluster.sentAhead(of: job).count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                let worker = try #require(cluster.workers["w1"])
                worker.pause()
                let result = try await cluster.baton("cancel", job, "--json")
                #expect(result.status == 0)
                let report = try JSONValue(parsing: result.output)
                #expect((report.cancelled.int, report.unanswered) == (count, ["w1"]))
                #expect(try await cluster.show(job).operations.elements.allSatisfy { $0.cancelled == true })
                worker.signal(SIGCONT)
                try await cluster.letWorkersCatchUp(executing: blockers)
                try await blockers.release(0...)
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.show(job).counts.cancelled.int == count)
                #expect(cluster.notes == [])
            }
        }

        @Test(
            "CA15 A cancelled operation occupies its slot until its processes are really gone",
            arguments: ClusterShape.tested
        )
        func ca15Slot(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, child) = (try cluster.gate("gate"), try cluster.gate("child"))
                // The first process ends on SIGTERM, and leaves a child behind that ignores SIGTERM. Only the first
                // process holds a pipe open, so the end of the pipe marks the end of the process.
                let pipe = try cluster.gate("pipe").path
                let first = try cluster.start(script: "cat '\(pipe)'")
                try cluster.write("trap '' TERM; \(child.wait); \(cluster.note("child"))", to: "child.sh")
                let job = try await cluster.submit(
                    script: """
                        exec 9> '\(pipe)'; sh child.sh 9>&- & trap '\(cluster.note("first")); exit 1' TERM
                        \(gate.checkIn); wait
                        """,
                    "--grace",
                    "forever"
                )
                try await gate.open()
                try await child.arrival()
                if shape.slots > 1 { _ = try await cluster.occupy(shape.slots - 1) }
                let next = try await cluster.submit(script: cluster.note("next"))
                try await cluster.change("cancel", job, count: 1)
                try await first.end()
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.cancelled) == ("executing", true))
                #expect(try await cluster.json("explain", next).waitsFor.elements.map(\.kind) == ["slots"])
                try await child.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.wait(next) == 0)
                #expect(cluster.notes == ["first", "child", "next"])
            }
        }
    }
}
