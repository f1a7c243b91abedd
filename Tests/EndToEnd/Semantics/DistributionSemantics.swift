import Foundation
import Testing
@_spi(Baton) import BatonZeroMQ

extension SemanticsTests {
    @Suite("Distribution")
    struct Distribution {
        @Test(
            "D1 Each operation has exactly one terminal event, also with repeated and late reports",
            arguments: ClusterShape.tested
        )
        func d1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    script: "\(cluster.note("{} $BATON_ATTEMPT")); exit $(({} % 5 == 0))",
                    "--array",
                    "1-120"
                )
                // Workers repeat reports until an acknowledgement: while no coordinator runs, and after its restart.
                for round in 1...3 {
                    _ = try await cluster.wait("\(job)/\(30 * round)")
                    try await cluster.restartCoordinator(with: round == 2 ? SIGTERM : SIGKILL)
                }
                _ = try await cluster.wait(job)
                // A worker is thought lost, as another worker has taken the name, and ends an attempt late.
                let (first, second) = (try cluster.gate("attempt-1"), try cluster.gate("attempt-2"))
                let late = try await cluster.submit(script: cluster.waitAtGate("attempt-$BATON_ATTEMPT"))
                try await first.arrival()
                let name = try await cluster.show("\(late)/0").worker.string
                let worker = try #require(cluster.workers[name])
                worker.pause()
                try await cluster.startWorker(name, slots: shape.slotsOfEach, in: "another", options: ["--replace"])
                try await second.arrival()
                try await first.open()
                worker.signal(SIGCONT)
                try await worker.end()
                try await second.open()
                #expect(try await cluster.wait(late) == 0)

                let events = try await cluster.eventsSoFar(of: cluster.watch())
                events.expectConsecutive()
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.count == 120)
                for operation in operations + [try await cluster.show("\(late)/0")] {
                    let ends = events.about(operation.operation.string).filter { $0.state == "finished" }
                    #expect(ends.map(\.outcome) == [operation.outcome])
                }
                // No attempt has run twice.
                #expect(Set(cluster.notes).count == cluster.notes.count)
                #expect(Set(cluster.notes.map { $0.prefix { $0 != " " } }).count == 120)
                #expect(operations.filter { $0.outcome == "failed" }.count == 24)
                #expect(try await cluster.show("\(late)/0").attempt == 2)
            }
        }

        @Test("D2 A client that comes back finds its operations by their addresses", arguments: ClusterShape.tested)
        func d2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    { name: "mine", operations: [
                      { name: "first", command: "echo out; echo r > $BATON_RESULT" },
                      { name: "second", command: "\(gate.wait)", needs: ["first"] },
                      { name: "third", command: "true", needs: ["second"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                // The client is killed as soon as it has the number.
                let client = try cluster.start(script: "\(TestCluster.baton) submit --file graph.json; kill -9 $$")
                #expect(try await client.end() == 128 + SIGKILL)
                let job = client.outputText.trimmingCharacters(in: .newlines)
                try await gate.arrival()
                func expectFound() async throws {
                    #expect(try await cluster.outcomes(of: job) == ["succeeded", "executing", "pending"])
                    let first = try await cluster.show("\(job)/0")
                    #expect(try await cluster.show("\(job)/first") == first)
                    #expect((first.name, first.operation.string) == ("first", "\(job)/0"))
                    #expect(try await cluster.baton("log", "\(job)/first").output == "out\n")
                    #expect(try await cluster.baton("result", "\(job)/0").output == "r\n")
                    let listed = try await cluster.json("list").jobs.elements
                    #expect(listed.map { [$0.job.int.description, $0.name.string] } == [[job, "mine"]])
                }
                try await expectFound()
                try await cluster.restartCoordinator(with: SIGKILL)
                try await expectFound()
                try await gate.open()
                #expect(try await cluster.wait("\(job)/third") == 0)
                try await cluster.restartCoordinator(with: SIGTERM)
                #expect(try await cluster.outcomes(of: job) == ["succeeded", "succeeded", "succeeded"])
                #expect(try await cluster.baton("log", "\(job)/first").output == "out\n")
                for address in ["\(job)/3", "\(job)/fourth", "\(job)0"] {
                    #expect(try await cluster.baton("show", address).status == 66)
                }
            }
        }

        /// A script that waits at the gate of the attempt.
        private static func gates(_ count: Int, in cluster: TestCluster) throws -> ([Gate], script: String) {
            let gates = try (1...count).map { try cluster.gate("attempt-\($0)") }
            return (gates, "echo $$ >> pids; \(cluster.waitAtGate("attempt-$BATON_ATTEMPT"))")
        }

        /// Ends a worker by a signal, and starts it again.
        private static func restart(
            _ name: String,
            with signal: Int32,
            in cluster: TestCluster,
            _ shape: ClusterShape
        )
            async throws
        {
            let worker = try #require(cluster.workers[name])
            worker.signal(signal)
            #expect(try await worker.end() == (signal == SIGKILL ? 128 + SIGKILL : 0))
            try await cluster.startWorker(name, slots: shape.slotsOfEach)
        }

        @Test(
            "D3 An operation whose worker is lost or ends is ready again, and runs as the next attempt",
            arguments: ClusterShape.tested,
            [SIGKILL, SIGTERM]
        )
        func d3(_ shape: ClusterShape, _ signal: Int32) async throws {
            try await withCluster(shape) { cluster in
                let (gates, script) = try Self.gates(3, in: cluster)
                let job = try await cluster.submit(script: script)
                for attempt in 1...2 {
                    try await gates[attempt - 1].arrival()
                    let operation = try await cluster.show("\(job)/0")
                    #expect((operation.attempt.int, operation.state) == (attempt, "executing"))
                    try await Self.restart(operation.worker.string, with: signal, in: cluster, shape)
                }
                try await gates[2].arrival()
                // No process of the earlier attempts is left.
                let processes = cluster.read("pids").split(separator: "\n").map(String.init)
                #expect(processes.count == 3)
                #expect(processes.dropLast().filter(isAlive) == [])
                try await gates[2].open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                // A worker that ends in order is no loss.
                let losses = JSONValue.number(signal == SIGKILL ? 2 : 0)
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 3, losses))
                let events = try await cluster.eventsSoFar(of: cluster.watch())
                #expect(
                    events.states(of: "\(job)/0") == ["ready", "executing"] + ["ready", "executing"]
                        + ["ready", "executing", "finished"]
                )
                let started = events.about("\(job)/0").filter { $0.state == "executing" }
                #expect(started.map(\.attempt) == [1, 2, 3])
            }
        }

        @Test(
            "D3 An operation that is lost more often than maxLosses fails with reason lost",
            arguments: ClusterShape.tested
        )
        func d3Lost(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gates, script) = try Self.gates(6, in: cluster)
                let often = try await cluster.submit(script: script)
                let dependent = try await cluster.submit(script: cluster.note("lost"), "--on-failure", often)
                for gate in gates {
                    try await gate.arrival()
                    let worker = try await cluster.show("\(often)/0").worker.string
                    try await Self.restart(worker, with: SIGKILL, in: cluster, shape)
                }
                #expect(try await cluster.wait(often) == 1)
                let lost = try await cluster.show("\(often)/0")
                #expect((lost.outcome, lost.reason, lost.attempt, lost.losses) == ("failed", "lost", 6, 6))
                #expect(try await cluster.wait(dependent) == 0)
                #expect(cluster.notes == ["lost"])
            }
        }

        @Test(
            "D3 An operation with restart never fails with reason lost when its worker is lost or ends",
            arguments: ClusterShape.tested,
            [SIGKILL, SIGTERM]
        )
        func d3Never(_ shape: ClusterShape, _ signal: Int32) async throws {
            try await withCluster(shape) { cluster in
                let graph = try cluster.gate()
                let (gates, script) = try Self.gates(1, in: cluster)
                let lost = try await cluster.submit(script: script, "--restart", "never", "--retries", "3")
                try await gates[0].arrival()
                let worker = try await cluster.show("\(lost)/0").worker.string
                try await Self.restart(worker, with: signal, in: cluster, shape)
                #expect(try await cluster.wait(lost) == 1)
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { restart: "never" }, operations: [
                          { name: "lost", command: "\(graph.wait)" },
                          { name: "again", command: "true", restart: "onLoss", after: "lost" } ] }
                        """
                )
                try await graph.arrival()
                let other = try await cluster.show("\(job)/lost").worker.string
                try await Self.restart(other, with: signal, in: cluster, shape)
                #expect(try await cluster.wait(job) == 1)
                for operation in ["\(lost)/0", "\(job)/lost"] {
                    let shown = try await cluster.show(operation)
                    #expect((shown.outcome, shown.reason) == ("failed", "lost"))
                    let losses = JSONValue.number(signal == SIGKILL ? 1 : 0)
                    #expect((shown.attempt, shown.losses, shown.restart) == (1, losses, "never"))
                }
                let again = try await cluster.show("\(job)/again")
                #expect((again.outcome, again.restart) == ("succeeded", "onLoss"))
                #expect(cluster.read("pids").split(separator: "\n").filter { isAlive(String($0)) } == [])
                // An operation uses retries for failures of its own commands.
                let retried = try await cluster.submit(
                    script: "exit $((2 - BATON_ATTEMPT))",
                    "--restart",
                    "never",
                    "--retries",
                    "1",
                    "--retry-delay",
                    "0s"
                )
                #expect(try await cluster.wait(retried) == 0)
                #expect(try await cluster.show("\(retried)/0").attempt == 2)
            }
        }

        @Test(
            "D5 The answer to hold, depend and priority holds also for prefetched operations",
            arguments: ClusterShape.tested
        )
        func d5(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let never = try await cluster.submit("--hold", "--", "true")
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-\(count)")
                #expect(try await cluster.sentAhead(of: job).count == count)
                try await cluster.letWorkersCatchUp(executing: blockers)
                // Operations that each worker was sent, and other operations.
                try await cluster.change("hold", "\(job)/0", "\(job)/\(count - 1)", count: 2)
                try await cluster.change("depend", "\(job)/1", "--after", never, count: 1)
                try await cluster.change("priority", "\(job)/2", "low", count: 1)
                #expect(try await cluster.outcomes(of: job).prefix(3) == ["pending", "pending", "ready"])
                try await blockers.release(0..<1)
                #expect(try await cluster.wait("\(job)/2") == 0)
                try await blockers.release(1...)
                try await cluster.useAllSlots(of: shape)
                let early = Set(cluster.notes)
                #expect(early == Set((3..<count).map { "\($0)" }), "\(cluster.notes)")
                // An operation that was sent to another worker waits for a slot of the other worker.
                if shape.workers == 1 { #expect(cluster.notes.last == "3") }
                try await cluster.change("release", job, never, count: 3)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes.count == count)
                #expect(try await cluster.show(job).operations.elements.allSatisfy { $0.attempt == 1 })
            }
        }

        @Test(
            "D5 A change of an operation at a worker that does not answer is refused with the worker's name",
            arguments: ClusterShape.tested
        )
        func d5Unanswered(_ shape: ClusterShape) async throws {
            try await withCluster(shape, coordinator: ["--send-ahead", "4"]) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let count = 4 * shape.workers
                let other = try await cluster.submit("--hold", "--", "true")
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-\(count)")
                try await cluster.letWorkersCatchUp(executing: blockers)
                let sent = try await cluster.sentAhead(of: job)
                #expect(sent.count == count)
                let operations = sent.filter { $0.value == "w1" }.keys.sorted()
                #expect(operations.count == 4)
                let before = try await cluster.show(job)
                let worker = try #require(cluster.workers["w1"])
                worker.pause()
                // The commands run in parallel, as each waits for the worker for a while.
                let asking = [
                    try cluster.start("hold", operations[0], "--json"),
                    try cluster.start("depend", operations[1], "--after", other, "--json"),
                    try cluster.start("priority", operations[2], "high", "--json"),
                ]
                for process in asking {
                    #expect(try await process.end() == 69)
                    let error = try JSONValue(parsing: process.errorText).error
                    #expect(error.code == "unanswered")
                    #expect(error.message.string.contains("the worker w1 did not answer"), "\(error)")
                    #expect(process.outputText == "")
                }
                #expect(try await cluster.show(job) == before)
                worker.signal(SIGCONT)
                try await blockers.release(0...)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes.count == count)
                #expect(Set(cluster.notes).count == count)
                #expect(try await cluster.show(job).operations.elements.allSatisfy { $0.attempt == 1 })
            }
        }

        @Test(
            "D6 Running operations go on over a restart of the coordinator, each once and under the same attempt",
            arguments: ClusterShape.tested,
            [SIGKILL, SIGTERM]
        )
        func d6(_ shape: ClusterShape, _ signal: Int32) async throws {
            try await withCluster(shape) { cluster in
                let (during, gate) = (try cluster.gate("during"), try cluster.gate("gate"))
                let ended = try await cluster.submit(script: "\(during.wait); \(cluster.note("ended")); exit 3")
                try await during.arrival()
                cluster.coordinator?.signal(signal)
                try await cluster.coordinator?.end()
                // The operation ends while no coordinator runs.
                try await during.open()
                try await cluster.startCoordinator()
                #expect(try await cluster.wait(ended) == 1)

                let running = try await cluster.submit(
                    script: "\(gate.wait); \(cluster.note("running")); echo out; echo r > $BATON_RESULT"
                )
                let next = try await cluster.submit(
                    script: "cat $BATON_INPUTS/*; \(cluster.note("next"))",
                    "--needs",
                    "\(running)/0"
                )
                try await gate.arrival()
                let before = try await cluster.show(running)
                try await cluster.restartCoordinator(with: signal)
                let after = try await cluster.show(running)
                // The coordinator knows the worker of an attempt again once the worker has come back.
                #expect(after.differences(from: before).filter { !$0.contains(".worker:") } == [])
                try await gate.open()
                #expect(try await cluster.wait(running, next) == 0)
                for (job, outcome) in [(ended, "failed"), (running, "succeeded"), (next, "succeeded")] {
                    let operation = try await cluster.show("\(job)/0")
                    #expect((operation.outcome.string, operation.attempt, operation.losses) == (outcome, 1, 0))
                }
                #expect(try await cluster.show("\(running)/0").worker == before.operations.elements[0].worker)
                #expect(cluster.notes == ["ended", "running", "next"])
                #expect(try await cluster.baton("log", running).output == "out\n")
                #expect(try await cluster.baton("log", next).output == "r\n")
                #expect(try await cluster.json("status").epoch == 3)
            }
        }

        @Test(
            "D6 A restart of the coordinator keeps the graph, order, priorities, suspensions, limits, holds and delays",
            arguments: ClusterShape.tested,
            [SIGKILL, SIGTERM]
        )
        func d6Waiting(_ shape: ClusterShape, _ signal: Int32) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate("gate")
                let executing = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                try await cluster.change("queue", "set", "suspended", "--suspended", count: 1)
                func note(_ name: String, _ more: String = "") -> String {
                    "{ name: '\(name)', command: \"\(cluster.note(name))\"\(more.isEmpty ? "" : ", \(more)") },"
                }
                let job = try await cluster.submit(
                    graph: """
                        { queue: "serial", queues: { serial: { maxConcurrent: 0, qos: "utility" } }, operations: [
                          \(note("low", "priority: 'low'")) \(note("normal")) \(note("second"))
                          \(note("high", "priority: 'high'")) \(note("raised")) \(note("freed", "after: ['\(executing)/*']"))
                          \(note("barrier", "barrier: true, priority: 'veryHigh'")) \(note("behind"))
                          \(note("held", "hold: true, queue: 'other'"))
                          \(note("needs", "needs: ['held'], queue: 'other'"))
                          \(note("skipped", "onFailure: ['held'], queue: 'other'"))
                          \(note("delayed", "delay: '1h', queue: 'other'"))
                          \(note("cancelled", "queue: 'suspended'")) \(note("suspended", "queue: 'suspended'"))
                          { name: "array", array: "1-100", command: "true", needs: ["\(executing)/0"], queue: "other" },
                        ] }
                        """
                )
                try await cluster.change("priority", "\(job)/raised", "high", count: 1)
                try await cluster.change("depend", "\(job)/second", "--after", "\(job)/held", count: 1)
                try await cluster.change("undepend", "\(job)/freed", executing, count: 1)
                try await cluster.change("cancel", "\(job)/cancelled", count: 1)
                try await cluster.change("queue", "set", "serial", "--total", "20", count: 1)
                func look() async throws -> [JSONValue] {
                    var documents = [try await cluster.show(job), try await cluster.show(executing)]
                    for queue in ["serial", "suspended", "other"] {
                        documents.append(try await cluster.json("queue", "show", queue))
                    }
                    return documents
                }
                let before = try await look()
                try await cluster.restartCoordinator(with: signal)
                let after = try await look()
                for (one, other) in zip(before, after) {
                    // The contract does not promise the time at which an operation became ready.
                    #expect(other.differences(from: one).filter { !$0.contains(".readyAt:") } == [])
                }

                try await gate.open()
                #expect(try await cluster.wait(executing, "\(job)/array") == 0)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == [])
                try await cluster.change("queue", "set", "serial", "--max-concurrent", "1", count: 1)
                #expect(try await cluster.wait("\(job)/low") == 0)
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == ["high", "raised", "normal", "freed", "low"])
                try await cluster.change("release", "\(job)/held", count: 1)
                #expect(try await cluster.wait("\(job)/behind", "\(job)/needs") == 0)
                let inOrder = cluster.notes.dropFirst(5).filter { $0 != "held" && $0 != "needs" }
                #expect(inOrder == ["second", "barrier", "behind"])
                #expect(try await cluster.show("\(job)/skipped").outcome == "skipped")
                #expect(try await cluster.json("explain", "\(job)/delayed").waitsFor.elements.map(\.kind) == ["delay"])
                let cancelled = try await cluster.show("\(job)/cancelled")
                #expect((cancelled.cancelled, cancelled.outcome) == (true, nil))
                try await cluster.change("queue", "resume", "suspended", count: 1)
                #expect(try await cluster.wait("\(job)/suspended", "\(job)/cancelled") == 1)
                #expect(try await cluster.show("\(job)/cancelled").outcome == "cancelled")
                #expect(cluster.notes.last == "suspended")
            }
        }

        @Test(
            "D8 Random frames from ten peers neither crash, block nor confuse the coordinator",
            arguments: ClusterShape.tested
        )
        func d8(_ shape: ClusterShape) async throws {
            let seed =
                ProcessInfo.processInfo.environment["BATON_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 1 ... .max)
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let running = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let process = try #require(cluster.coordinator)
                let before = try await cluster.show(running)
                try Self.sendGarbage(to: cluster.endpoint, seed: seed)
                #expect(process.isRunning, "seed \(seed)")
                #expect(try await cluster.json("status").epoch == 1)
                #expect(try await cluster.show(running) == before, "seed \(seed)")
                let listed = try await cluster.json("workers").workers.elements
                #expect(listed.map(\.worker.string).sorted() == cluster.workers.keys.sorted(), "seed \(seed)")
                try await gate.open()
                let job = try await cluster.submit(script: cluster.note("{}"), "--array", "1-20")
                #expect(try await cluster.wait(running, job) == 0)
                #expect(cluster.notes.count == 20, "seed \(seed)")
                #expect(try await cluster.json("list").jobs.elements.count == 2, "seed \(seed)")
            }
        }

        /// Sends random bytes, in one frame or several, from several short-lived peers.
        private static func sendGarbage(to endpoint: String, seed: UInt64) throws {
            // Good enough for bytes (xorshift).
            var state = seed
            func next() -> UInt64 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return state
            }
            for _ in 0..<10 {
                let context = try Context()
                let socket = try Socket(.dealer, in: context)
                try socket.connect(endpoint)
                for _ in 0..<100 {
                    let frames = (0...next() % 3).map { _ in
                        (0..<next() % 200).map { _ in UInt8(truncatingIfNeeded: next() >> 11) }
                    }
                    // The first bytes of real messages let the garbage reach deeper into the decoder.
                    let isKnown = next() % 2 == 0
                    let first = isKnown ? [UInt8(next() % 8), UInt8(next() % 32)] + frames[0] : frames[0]
                    _ = try socket.send(frames: [first] + frames.dropFirst())
                }
                socket.close()
                context.terminate()
            }
        }
    }
}
