import Foundation
import Testing

extension SemanticsTests {
    @Suite("Replaced records", .timeLimit(.minutes(60)))
    struct RecordSemantics {
        /// Coordinator options with a long reconcile window.
        ///
        /// A worker starts dispatched operations only during its lease, which lasts at most the window. A machine that
        /// is busy with other tests needs more than seconds.
        private static let coordinator = ["--send-ahead", "4", "--reconcile-window", "1h"]

        /// A worker's attempts of a record before its replacement: running, waiting and finished.
        private struct Held {
            var running: String
            var over: String
            var next: String
            var waiting: String
        }

        /// Makes a worker with two slots hold an attempt of each kind, and kills the coordinator.
        private func hold(in cluster: TestCluster) async throws -> Held {
            let (first, second) = (try cluster.gate("running"), try cluster.gate("over"))
            let third = try cluster.gate("next")
            func submit(_ name: String) async throws -> String {
                let gate = cluster.waitAtGate(name)
                let note = cluster.note("\(name)-$BATON_ATTEMPT")
                return try await cluster.submit(script: "echo $$ >> pids; \(gate); \(note); echo old > $BATON_RESULT")
            }
            let held = Held(
                running: try await submit("running"),
                over: try await submit("over"),
                next: try await submit("next"),
                waiting: try await cluster.submit(script: cluster.note("waiting-$BATON_ATTEMPT"))
            )
            try await first.arrival()
            try await second.arrival()
            cluster.coordinator?.signal(SIGKILL)
            try await cluster.coordinator?.end()
            // The result of this attempt stays in the outbox, and the slot goes to a prefetched operation.
            try await second.open()
            try await third.arrival()
            return held
        }

        /// Submits as many jobs as the other record had since, and expects that each job runs once.
        private func expectWork(in cluster: TestCluster, from number: Int) async throws {
            var jobs: [String] = []
            for offset in 0..<5 {
                let script = "\(cluster.note("new-\(offset)")); echo new > $BATON_RESULT"
                jobs.append(try await cluster.submit(script: script))
                #expect(jobs.last == "\(number + offset)")
            }
            for job in jobs {
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
                #expect(try await cluster.baton("result", "\(job)/0").line == "new")
            }
            #expect(cluster.notes.filter { $0.hasPrefix("new") }.sorted() == (0..<5).map { "new-\($0)" })
            // Waiting attempts never started, and running attempts were ended early.
            for name in ["waiting", "running", "next"] { #expect(!cluster.notes.contains { $0.hasPrefix(name) }) }
            let processes = cluster.read("pids").split(separator: "\n").map(String.init)
            #expect(processes.count == 3 && processes.filter(isAlive) == [])
        }

        /// Moves the record, whose files no process has open.
        private func moveRecord(in cluster: TestCluster, from old: String, to new: String) throws {
            let files = FileManager.default
            for suffix in ["", "-wal", "-shm", "-tally"] {
                let (source, target) = ("\(cluster.home.path)/\(old)\(suffix)", "\(cluster.home.path)/\(new)\(suffix)")
                try? files.removeItem(atPath: target)
                if files.fileExists(atPath: source) { try files.moveItem(atPath: source, toPath: target) }
            }
        }

        @Test("D12 A worker that meets a new record ends its old attempts, and runs new operations of the same numbers")
        func d12New() async throws {
            try await withCluster(slots: 2, coordinator: Self.coordinator) { cluster in
                let held = try await hold(in: cluster)
                try moveRecord(in: cluster, from: "baton.db", to: "old.db")
                try await cluster.startCoordinator()
                try await cluster.workers["w1"]?.error(containing: "has another record")
                try await expectWork(in: cluster, from: 1)

                // The right record comes back: the worker sends the kept result after all, and the ended attempts run
                // again.
                cluster.coordinator?.signal(SIGTERM)
                try await cluster.coordinator?.end()
                try moveRecord(in: cluster, from: "baton.db", to: "wrong.db")
                try moveRecord(in: cluster, from: "old.db", to: "baton.db")
                for gate in ["running", "next"] {
                    // An operation that comes to the gate again does not wait.
                    try FileManager.default.removeItem(atPath: "\(cluster.home.path)/gate-\(gate)")
                    try cluster.write("", to: "gate-\(gate)")
                }
                try await cluster.startCoordinator()
                #expect(try await cluster.wait(held.over, held.running, held.next, held.waiting) == 0)
                let over = try await cluster.show("\(held.over)/0")
                #expect((over.attempt, over.losses) == (1, 0))
                #expect(try await cluster.show("\(held.running)/0").attempt == 2)
                #expect(cluster.notes.filter { $0.hasPrefix("over") } == ["over-1"])
            }
        }

        @Test("D12 A worker that meets an older copy of its record runs new operations, although epochs repeat")
        func d12Older() async throws {
            try await withCluster(slots: 2, coordinator: Self.coordinator) { cluster in
                let early = try await cluster.submit(script: cluster.note("early"))
                #expect(try await cluster.wait(early) == 0)
                cluster.coordinator?.signal(SIGTERM)
                try await cluster.coordinator?.end()
                let (record, copy) = ("\(cluster.home.path)/baton.db", "\(cluster.home.path)/copy.db")
                try FileManager.default.copyItem(atPath: record, toPath: copy)
                try await cluster.startCoordinator()
                #expect(try await cluster.json("status").epoch == 2)
                _ = try await hold(in: cluster)

                try moveRecord(in: cluster, from: "baton.db", to: "newer.db")
                try moveRecord(in: cluster, from: "copy.db", to: "baton.db")
                try await cluster.startCoordinator()
                #expect(try await cluster.json("status").epoch == 2)
                try await cluster.workers["w1"]?.error(containing: "has another record")
                try await expectWork(in: cluster, from: 2)
                #expect(cluster.notes.filter { $0 == "early" }.count == 1)
            }
        }
    }
}
