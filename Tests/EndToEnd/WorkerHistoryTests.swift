import Foundation
import Testing

extension EndToEndTests {
    @Suite("What workers run and ran", .timeLimit(.minutes(60)))
    struct WorkerHistoryTests {
        @Test("A worker logs what it starts and how it ended at the level info, without commands and environments")
        func log() async throws {
            try await withCluster(workers: nil) { cluster in
                try await cluster.startCoordinator()
                try await cluster.startWorker("loud", labels: ["is": "loud"], options: ["--log-level", "info"])
                try await cluster.startWorker("plain", labels: ["is": "plain"])
                for label in ["loud", "plain"] {
                    let job = try await cluster.submit(
                        script: "echo secret1 $SECRET; exit 3",
                        "--label",
                        "is=\(label)",
                        "--env",
                        "SECRET=secret2",
                        "--on-finish",
                        "echo secret3"
                    )
                    #expect(try await cluster.wait(job) == 1)
                }
                let loud = try #require(cluster.workers["loud"])
                let start = try await loud.error(containing: "started")
                #expect(start.contains("info worker: started") && start.contains("operation=1/0"), "\(start)")
                let end = try await loud.error(containing: "ended")
                #expect(end.contains("operation=1/0") && end.contains("attempt=1"), "\(end)")
                #expect(end.contains("end=\"status 3\"") && end.contains("duration="), "\(end)")
                try await loud.error(containing: "hookOf=1/0")
                let plain = try #require(cluster.workers["plain"])
                #expect(!plain.errorText.contains("started") && plain.errorText.contains("welcomed"))
                for process in [loud, plain] { #expect(!process.errorText.contains("secret")) }
            }
        }

        @Test("A worker by name shows what it executes, its counts and its last operations, also after it has left")
        func worker() async throws {
            try await withCluster(workers: 1, slots: 2) { cluster in
                let good = try await cluster.submit("--array", "1-25", "--", "true")
                #expect(try await cluster.wait(good) == 0)
                let bad = try await cluster.submit(script: "kill -9 $$")
                #expect(try await cluster.wait(bad) == 1)
                let gate = try cluster.gate()
                let running = try await cluster.submit(script: gate.wait)
                try await gate.arrival()

                let present = try await cluster.json("workers", "w1")
                #expect(present.worker.worker == "w1" && present.worker.state == "alive")
                #expect(present.worker.leftAt == .null)
                #expect(present.executing.elements.map(\.operation) == [.text("\(running)/0")])
                #expect(present.executing.elements.first?.attempt == 1)
                #expect(present.succeeded == 25 && present.unsuccessful == 1)
                let ended = present.ended.elements
                #expect(ended.count == 20 && ended[0].operation == .text("\(bad)/0"))
                #expect(ended[0].end == "signal" && ended[0].signal == 9 && ended[0].exitStatus == .null)
                #expect(ended[1].end == "exit" && ended[1].exitStatus == 0)
                let text = try await cluster.baton("workers", "w1")
                for part in ["state:", "alive", "25 succeeded, 1 did not", "\(running)/0", "9 (SIGKILL)", "status 0"] {
                    #expect(text.output.contains(part), "\(part): \(text)")
                }

                try await gate.open()
                #expect(try await cluster.wait(running) == 0)
                let watcher = try cluster.watch()
                cluster.workers["w1"]?.signal(SIGTERM)
                try await cluster.workers["w1"]?.end()
                try await watcher.process.output(containing: "\"state\":\"left\"")
                #expect(try await cluster.json("workers").workers == [])
                let listed = try await cluster.json("workers", "--all").workers.elements
                #expect(listed.count == 1 && listed[0].worker == "w1" && listed[0].state == "left")
                #expect(listed[0].leftAt != .null && listed[0].host != "" && listed[0].executing == 0)
                let left = try await cluster.json("workers", "w1")
                #expect(left.worker.state == "left" && left.executing == [] && left.succeeded == 26)
                #expect(left.ended.elements.first?.operation == .text("\(running)/0"))
                #expect(try await cluster.baton("workers", "w2").status == 66)

                try await cluster.startWorker("w1")
                let back = try await cluster.json("workers", "--all").workers.elements
                #expect(back.count == 1 && back[0].state == "alive" && back[0].leftAt == .null)
                #expect(try await cluster.json("workers", "w1").succeeded == 26)
            }
        }

        @Test("A drained worker that has left is listed once, and --all is not for names")
        func drained() async throws {
            try await withCluster { cluster in
                try await cluster.change("drain", "w1", count: 1)
                let watcher = try cluster.watch()
                cluster.workers["w1"]?.signal(SIGTERM)
                try await cluster.workers["w1"]?.end()
                try await watcher.process.output(containing: "\"state\":\"left\"")
                let listed = try await cluster.json("workers", "--all").workers.elements
                #expect(listed.count == 1 && listed[0].state == "left" && listed[0].draining == true)
                #expect(listed[0].drainedAt != .null && listed[0].leftAt != .null)
                #expect(try await cluster.baton("workers", "--all", "w1").status == 64)
            }
        }
    }
}
