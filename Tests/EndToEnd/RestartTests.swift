import Foundation
import Testing

/// Tests that wait for processes to end and start, and so run beside each other and beside the other end-to-end tests.
@Suite("Ends and restarts", .timeLimit(.minutes(60)))
struct RestartTests {
    /// A script that starts a child, writes both process ids to a file, and waits at a gate.
    private func family(at gate: Gate, in cluster: TestCluster, before: String = ":") -> String {
        "\(before); sleep 1000 & echo $$ $! >> '\(cluster.home.path)/pids'; \(gate.wait); kill $!"
    }

    private func expectGone(in cluster: TestCluster, count: Int) {
        let processes = cluster.read("pids").split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(processes.count == count)
        #expect(processes.filter(isAlive) == [])
    }

    @Test("Coordinator and worker end with all children on SIGTERM, and go on after a restart")
    func terminate() async throws {
        try await withCluster(slots: 2) { cluster in
            let (gate, stubborn) = (try cluster.gate("gate"), try cluster.gate("stubborn"))
            let finished = try await cluster.submit("--name", "early", "--", "true")
            #expect(try await cluster.wait(finished) == 0)
            try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "7").status == 0)
            let executing = try await cluster.submit(script: family(at: gate, in: cluster))
            let ignoring = try await cluster.submit(
                script: family(at: stubborn, in: cluster, before: "trap '' TERM"),
                "--grace",
                "200ms"
            )
            let waiting = try await cluster.submit("--needs", executing, "--", "true")
            try await gate.arrival()
            try await stubborn.arrival()

            cluster.workers["w1"]?.signal(SIGTERM)
            #expect(try await cluster.workers["w1"]?.end() == 0)
            expectGone(in: cluster, count: 4)
            for job in [executing, ignoring] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.attempt) == ("ready", 1))
            }
            try await cluster.restartCoordinator(with: SIGTERM)
            #expect(try await cluster.show(finished).counts.succeeded == 1)
            #expect(try await cluster.show("\(finished)/early").worker == "w1")
            #expect(try await cluster.show("\(waiting)/0").state == "pending")
            #expect(try await cluster.json("queue", "show", "q").maxConcurrent == 7)

            gate.reset()
            stubborn.reset()
            try await cluster.startWorker("w1", slots: 2)
            try await gate.open()
            try await stubborn.open()
            #expect(try await cluster.wait(executing, ignoring, waiting) == 0)
            for job in [executing, ignoring] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 2, 0))
            }
            #expect(try await cluster.submit("--", "true") == "5")
        }
    }

    @Test("D3 An operation of a worker that gets SIGTERM runs elsewhere as attempt 2, without using up a retry")
    func requeue() async throws {
        try await withCluster(workers: 1) { cluster in
            let (first, second) = (try cluster.gate("1"), try cluster.gate("2"))
            let gate = "'\(cluster.home.path)/gate-'$BATON_ATTEMPT"
            let job = try await cluster.submit(
                script: "echo $$ >> pids; read x < \(gate); exit $((BATON_ATTEMPT - 2))"
            )
            try await first.arrival()
            try await cluster.startWorker("w2")
            cluster.workers["w1"]?.signal(SIGTERM)
            #expect(try await cluster.workers["w1"]?.end() == 0)
            try await second.arrival()
            let workers = try await cluster.json("workers").workers.elements
            #expect(workers.map(\.worker) == ["w2"])
            try await second.open()
            #expect(try await cluster.wait(job) == 0)
            let operation = try await cluster.show("\(job)/0")
            #expect((operation.attempt, operation.worker, operation.losses) == (2, "w2", 0))
            expectGone(in: cluster, count: 2)
        }
    }

    @Test("D3 A killed worker runs its operation again after its return, and leaves no child of its earlier life")
    func killedWorker() async throws {
        try await withCluster { cluster in
            let (first, second) = (try cluster.gate("1"), try cluster.gate("2"))
            let job = try await cluster.submit(
                script: "echo $$ >> pids; read x < '\(cluster.home.path)/gate-'$BATON_ATTEMPT; :"
            )
            try await first.arrival()
            cluster.workers["w1"]?.signal(SIGKILL)
            #expect(try await cluster.workers["w1"]?.end() == 128 + SIGKILL)
            try await cluster.startWorker("w1")
            try await second.arrival()
            #expect(!isAlive(String(cluster.read("pids").prefix { $0 != "\n" })))
            try await second.open()
            #expect(try await cluster.wait(job) == 0)
            let operation = try await cluster.show("\(job)/0")
            #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 2, 1))
        }
    }

    @Test("D3 What waited, was held or depends on it begins with attempt 1 after coordinator and worker were killed")
    func firstNumbers() async throws {
        try await withCluster { cluster in
            let gate = try cluster.gate()
            let running = try await cluster.submit(script: "[ $BATON_ATTEMPT -gt 1 ] || \(gate.wait)")
            try await gate.arrival()
            let script = cluster.note("$BATON_OPERATION $BATON_ATTEMPT")
            let waiting = try await cluster.submit(script: script)
            let held = try await cluster.submit(script: script, "--hold")
            let dependent = try await cluster.submit(script: script, "--needs", held)
            cluster.workers["w1"]?.signal(SIGKILL)
            #expect(try await cluster.workers["w1"]?.end() == 128 + SIGKILL)
            try await cluster.restartCoordinator(with: SIGKILL)
            try await cluster.startWorker("w1")
            #expect(try await cluster.wait(running, waiting) == 0)
            #expect(try await cluster.baton("release", held).status == 0)
            #expect(try await cluster.wait(dependent) == 0)
            #expect(cluster.notes == ["\(waiting)/0 1", "\(held)/0 1", "\(dependent)/0 1"])
        }
    }

    @Test(
        "D6 A running operation goes on over a restart of the coordinator, once and under the same attempt",
        arguments: [SIGTERM, SIGKILL]
    )
    func restart(_ signal: Int32) async throws {
        try await withCluster(slots: 2) { cluster in
            let (gate, during) = (try cluster.gate("gate"), try cluster.gate("during"))
            let held = try await cluster.submit(
                script: "\(gate.wait); \(cluster.note("held")); echo out; echo r > $BATON_RESULT"
            )
            let ended = try await cluster.submit(script: "\(during.wait); \(cluster.note("ended"))")
            let next = try await cluster.submit(
                script: "cat $BATON_INPUTS/*; \(cluster.note("next"))",
                "--needs",
                "\(held)/0"
            )
            try await gate.arrival()
            try await during.arrival()

            cluster.coordinator?.signal(signal)
            #expect(try await cluster.coordinator?.end() == (signal == SIGKILL ? 128 + SIGKILL : 0))
            // One operation ends while no coordinator runs.
            try await during.open()
            try await cluster.startCoordinator()
            #expect(try await cluster.wait(ended) == 0)
            let executing = try await cluster.show("\(held)/0")
            #expect((executing.state, executing.attempt, executing.worker) == ("executing", 1, "w1"))
            try await gate.open()
            #expect(try await cluster.wait(held, next) == 0)
            for job in [held, ended, next] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
            }
            #expect(cluster.notes == ["ended", "held", "next"])
            #expect(try await cluster.baton("log", held).output == "out\n")
            #expect(try await cluster.baton("log", next).output == "r\n")
            #expect(try await cluster.json("status").epoch == 2)
        }
    }

    @Test("D6 WA8 Eight operations keep their processes over a kill of the coordinator, and a wait for them ends")
    func manyOutlive() async throws {
        try await withCluster(workers: 2, slots: 4) { cluster in
            let gates = try (0..<8).map { try cluster.gate("\($0)") }
            let script = "echo $$ > '\(cluster.home.path)/pid-'$BATON_INDEX-$BATON_ATTEMPT; \(cluster.waitAtGate("{}"))"
            let job = try await cluster.submit(script: "\(script); \(cluster.note("{}-$$"))", "--array", "0-7")
            for gate in gates { try await gate.arrival() }
            let children = (0..<8).map { cluster.read("pid-\($0)-1").trimmingCharacters(in: .newlines) }
            let waiting = try cluster.startOnTerminal("wait", job)
            try await waiting.output(containing: "0/8")
            cluster.coordinator?.signal(SIGKILL)
            #expect(try await cluster.coordinator?.end() == 128 + SIGKILL)
            #expect(children.filter(isAlive) == children)
            try await cluster.startCoordinator()
            for gate in gates { try await gate.open() }
            #expect(try await waiting.end() == 0)
            #expect(Set(cluster.notes) == Set(children.enumerated().map { "\($0.offset)-\($0.element)" }))
            #expect(cluster.notes.count == 8)
            let operations = try await cluster.show(job).operations.elements
            #expect(operations.allSatisfy { $0.outcome == "succeeded" && $0.attempt == 1 && $0.losses == 0 })
        }
    }

    @Test("D6 A restarted coordinator dispatches once all its workers are back, within its reconcile window")
    func windowEndsEarly() async throws {
        try await withCluster(
            workers: 2,
            coordinator: ["--reconcile-window", "1h", "--lost-after", "1h"]
        ) { cluster in
            let (gate, other) = (try cluster.gate("held"), try cluster.gate("other"))
            let held = try await cluster.submit(script: gate.wait)
            _ = try await cluster.submit(script: other.wait)
            for gate in [gate, other] { try await gate.arrival() }
            let next = try await cluster.submit("--", "true")
            try await cluster.restartCoordinator(with: SIGKILL)
            try await other.open()
            #expect(try await cluster.wait(next) == 0)
            let operation = try await cluster.show("\(held)/0")
            #expect((operation.state, operation.attempt) == ("executing", 1))
            try await gate.open()
            #expect(try await cluster.wait(held) == 0)
            #expect(try await cluster.show("\(held)/0").attempt == 1)
        }
    }

    @Test("D6 Waiting operations keep their order, their limit and their delay over a kill of the coordinator")
    func order() async throws {
        try await withCluster(workers: 0, coordinator: ["--reconcile-window", "1h"]) { cluster in
            try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "1").status == 0)
            for (name, priority) in [("normal", "normal"), ("low", "low"), ("high", "high"), ("second", "normal")] {
                _ = try await cluster.submit(script: cluster.note(name), "--queue", "q", "--priority", priority)
            }
            let delayed = try await cluster.submit("--delay", "1h", "--", "true")
            let cancelled = try await cluster.submit("--", "true")
            try await #require(cluster.baton("cancel", cancelled).status == 0)
            try await cluster.restartCoordinator(with: SIGKILL)
            try await cluster.startWorker("w1", slots: 4)
            #expect(try await cluster.baton("wait", "--queue", "q").status == 0)
            #expect(cluster.notes == ["high", "normal", "second", "low"])
            #expect(try await cluster.json("explain", delayed).waitsFor.elements.map(\.kind) == ["delay"])
            #expect(try await cluster.show("\(cancelled)/0").outcome == "cancelled")
        }
    }

    @Test("The command start runs a coordinator and workers, and a SIGTERM ends them with all their children")
    func start() async throws {
        try await withCluster(workers: nil) { cluster in
            let all = try await cluster.startAll("--workers", "2", "--slots", "1")
            let gates = [try cluster.gate("0"), try cluster.gate("1")]
            var jobs: [String] = []
            for gate in gates { jobs.append(try await cluster.submit(script: family(at: gate, in: cluster))) }
            for gate in gates { try await gate.arrival() }
            let workers = try await cluster.json("workers").workers.elements
            #expect(workers.map(\.worker) == ["w1", "w2"])
            #expect(workers.allSatisfy { $0.slots == 1 && $0.executing == 1 && $0.state == "alive" })

            all.signal(SIGTERM)
            #expect(try await all.end() == 0)
            expectGone(in: cluster, count: 4)
            #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])

            for gate in gates { gate.reset() }
            let again = try await cluster.startAll("--workers", "1", "--slots", "2")
            for gate in gates { try await gate.open() }
            for job in jobs { #expect(try await cluster.wait(job) == 0) }
            again.signal(SIGINT)
            #expect(try await again.end() == 0)
        }
    }
}
