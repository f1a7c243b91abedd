import Foundation
import Testing

/// The numbers of attempts after the coordinator and workers have died, in different orders.
///
/// What had never started ran as attempt 2, whenever a worker came back as another process.
@Suite("Attempt numbers after losses of both", .timeLimit(.minutes(60)))
struct AttemptNumberTests {
    /// How coordinator and worker end, and which comes back first.
    enum Ends: CaseIterable {
        case workerFirst, coordinatorFirst, workerBackFirst, workerStopped
    }

    private func kill(_ process: ChildProcess?, _ signal: Int32 = SIGKILL) async throws {
        process?.signal(signal)
        #expect(try await process?.end() == (signal == SIGKILL ? 128 + SIGKILL : 0))
    }

    @Test("D3 What never started begins with 1, whoever was killed and came back first", arguments: Ends.allCases)
    func neverStarted(_ ends: Ends) async throws {
        try await withCluster { cluster in
            let gate = try cluster.gate()
            let note = cluster.note("$BATON_OPERATION $BATON_ATTEMPT")
            let ended = try await cluster.submit(script: note, "--queue", "later")
            #expect(try await cluster.wait(ended) == 0)
            #expect(try await cluster.baton("queue", "suspend", "later").status == 0)
            let running = try await cluster.submit(script: "[ $BATON_ATTEMPT -gt 1 ] || \(gate.wait); \(note)")
            try await gate.arrival()
            let waiting = try await cluster.submit(script: note, "--array", "0-4")
            let suspended = try await cluster.submit(script: note, "--queue", "later")
            let (coordinator, worker) = (cluster.coordinator, cluster.workers["w1"])
            switch ends {
            case .workerFirst, .workerBackFirst:
                try await kill(worker)
                try await kill(coordinator)
            case .coordinatorFirst:
                try await kill(coordinator)
                try await kill(worker)
            case .workerStopped:
                try await kill(coordinator)
                try await kill(worker, SIGTERM)
            }
            if ends == .workerBackFirst { try await cluster.startWorker("w1", awaitsWelcome: false) }
            try await cluster.startCoordinator()
            if ends != .workerBackFirst { try await cluster.startWorker("w1", awaitsWelcome: false) }
            try await cluster.workers["w1"]?.error(containing: "welcomed")
            #expect(try await cluster.wait(running, waiting) == 0)
            #expect(try await cluster.baton("queue", "resume", "later").status == 0)
            #expect(try await cluster.wait(suspended) == 0)
            let expected =
                ["\(ended)/0 1", "\(running)/0 2"] + (0...4).map { "\(waiting)/\($0) 1" } + ["\(suspended)/0 1"]
            #expect(cluster.notes.sorted() == expected.sorted())
        }
    }

    @Test("D3 What never started begins with 1 although both are killed again while another worker is waited for")
    func twice() async throws {
        let patience = ["--reconcile-window", "1h", "--lost-after", "1h"]
        try await withCluster(workers: 2, coordinator: patience) { cluster in
            let gates = [try cluster.gate(), try cluster.gate()]
            let note = cluster.note("$BATON_OPERATION $BATON_ATTEMPT")
            var jobs: [String] = []
            for gate in gates {
                jobs.append(try await cluster.submit(script: "[ $BATON_ATTEMPT -gt 1 ] || \(gate.wait); \(note)"))
                try await gate.arrival()
            }
            let place = try #require(try await cluster.show("\(jobs[0])/0").worker == "w1" ? 1 : 0)
            let waiting = try await cluster.submit(script: note, "--array", "0-2")
            cluster.workers["w2"]?.pause()
            for _ in 0..<2 {
                try await kill(cluster.workers["w1"])
                try await kill(cluster.coordinator)
                try await cluster.startCoordinator()
                try await cluster.startWorker("w1")
            }
            cluster.workers["w2"]?.signal(SIGCONT)
            try await gates[place].open()
            #expect(try await cluster.wait(jobs[0], jobs[1], waiting) == 0)
            let expected =
                ["\(jobs[place])/0 1", "\(jobs[1 - place])/0 2"] + (0...2).map { "\(waiting)/\($0) 1" }
            #expect(cluster.notes.sorted() == expected.sorted())
        }
    }

    @Test("D3 A kill of both amid an array passes over the numbers of what had started alone")
    func amidArray() async throws {
        try await withCluster(slots: 2) { cluster in
            let script = "sleep 0.01; \(cluster.note("$BATON_OPERATION $BATON_ATTEMPT"))"
            let job = try await cluster.submit(script: script, "--array", "1-300")
            for round in 1...2 {
                _ = try await cluster.wait("\(job)/\(100 * round)")
                for process in [cluster.coordinator, cluster.workers["w1"]] { process?.signal(SIGKILL) }
                for process in [cluster.coordinator, cluster.workers["w1"]] { _ = try await process?.end() }
                try await cluster.startCoordinator()
                try await cluster.startWorker("w1", slots: 2)
            }
            #expect(try await cluster.wait(job) == 0)
            let notes = cluster.notes
            #expect(Set(notes).count == notes.count, "two executions share a number")
            #expect(notes.filter { $0.hasSuffix(" 1") }.count >= 300 - 2 * 2, "only what ran at a kill lacks it")
        }
    }
}
