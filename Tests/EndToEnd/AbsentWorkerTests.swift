import Foundation
import Testing

/// Workers that are paused while the coordinator restarts.
@Suite("Absent workers after a restart", .timeLimit(.minutes(60)))
struct AbsentWorkerTests {
    private static let patience = ["--reconcile-window", "1s", "--lost-after", "1h"]

    @Test("D3 D6 A running operation waits for its absent worker over a restart, and other operations go on")
    func executing() async throws {
        try await withCluster(workers: 2, coordinator: Self.patience) { cluster in
            var running: [(job: String, worker: String, gate: Gate)] = []
            for _ in 0..<2 {
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "\(cluster.note("$BATON_OPERATION $BATON_ATTEMPT")); \(gate.wait)"
                )
                try await gate.arrival()
                running.append((job, try await cluster.show("\(job)/0").worker.string, gate))
            }
            let waiting = try await cluster.submit(script: cluster.note("waiting"))
            let (away, present) = (running[0], running[1])
            cluster.workers[away.worker]?.pause()
            try await cluster.restartCoordinator(with: SIGKILL)

            // The present worker ends its operation, and then the ready job runs: the reconcile window is over.
            try await present.gate.open()
            #expect(try await cluster.wait(present.job, waiting) == 0)
            #expect(try await cluster.wait(cluster.submit(script: cluster.note("new"))) == 0)
            let status = try await cluster.json("status")
            #expect(status.awaitedWorkers.elements.map(\.string) == [away.worker] && status.workers == 1)
            let listed = try await cluster.json("workers").workers.elements.first { $0.worker.string == away.worker }
            #expect(listed?.absent == true && listed?.state == "suspect" && listed?.executing == 1)
            let executing = try await cluster.show("\(away.job)/0")
            #expect((executing.state, executing.attempt, executing.worker.string) == ("executing", 1, away.worker))

            cluster.workers[away.worker]?.signal(SIGCONT)
            try await away.gate.open()
            #expect(try await cluster.wait(away.job) == 0)
            let ended = try await cluster.show("\(away.job)/0")
            #expect((ended.outcome, ended.attempt, ended.losses) == ("succeeded", 1, 0))
            let starts = running.map { "\($0.job)/0 1" }
            #expect(cluster.notes.sorted() == (starts + ["new", "waiting"]).sorted())
        }
    }

    @Test("D3 Executions never share an attempt number, although workers are paused when the coordinator is killed")
    func numbers() async throws {
        try await withCluster(workers: 2, coordinator: Self.patience) { cluster in
            let script = "sleep 0.01; \(cluster.note("$BATON_OPERATION $BATON_ATTEMPT"))"
            let job = try await cluster.submit(script: script, "--array", "1-600")
            for round in 1...3 {
                _ = try await cluster.wait("\(job)/\(100 * round)")
                cluster.coordinator?.signal(SIGKILL)
                for worker in ["w1", "w2"] { cluster.workers[worker]?.pause() }
                try await cluster.coordinator?.end()
                try await cluster.startCoordinator()
                // After the reconcile window, the other worker gets the ready operations.
                try await cluster.startWorker("other\(round)")
                let seen = cluster.notes.count
                while cluster.notes.count < min(seen + 10, 600) { try await Task.sleep(for: .milliseconds(20)) }
                for worker in ["w1", "w2"] { cluster.workers[worker]?.signal(SIGCONT) }
            }
            #expect(try await cluster.wait(job) == 0)
            #expect(Set(cluster.notes).count == cluster.notes.count)
            #expect(Set(cluster.notes.map { $0.prefix { $0 != " " } }).count == 600)
        }
    }
}
