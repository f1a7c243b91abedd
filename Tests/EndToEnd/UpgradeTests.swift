import Foundation
import Testing

/// Workers whose version the coordinator does not speak.
@Suite("Upgrades", .timeLimit(.minutes(60)))
struct UpgradeTests {
    @Test("A worker that is refused for its version finishes its operation, and nothing runs again under its successor")
    func successor() async throws {
        try await withCluster(workers: nil, coordinator: ["--insecure"]) { cluster in
            try await cluster.startCoordinator()
            try await cluster.startWorker("w1", options: ["--insecure"])
            let gate = try cluster.gate()
            let running = try await cluster.submit(
                script: "echo running >> runs; \(gate.wait); echo output; printf result > $BATON_RESULT",
                "--insecure"
            )
            try await gate.arrival()
            let waiting = try await cluster.submit(script: "echo waiting >> runs", "--insecure")
            cluster.coordinator?.signal(SIGTERM)
            #expect(try await cluster.coordinator?.end() == 0)

            let refusing = try ScriptedCoordinator.refusing(at: cluster.endpoint)
            let worker = try #require(cluster.workers["w1"])
            try await worker.error(containing: "refuses the worker's version")
            try await gate.open()
            #expect(try await worker.end() == 69)
            #expect(worker.errorText.contains("Upgrade the worker."), "\(worker.errorText)")
            try await onThreadOfItsOwn { try refusing.close() }

            try await cluster.startCoordinator()
            try await cluster.startWorker("w1", options: ["--insecure"])
            #expect(try await cluster.baton("wait", running, waiting, "--insecure").status == 0)
            #expect(cluster.read("runs") == "running\nwaiting\n")
            for job in [running, waiting] {
                let operation = try await cluster.json("show", "\(job)/0", "--insecure")
                #expect((operation.outcome, operation.losses) == ("succeeded", 0))
            }
            #expect(try await cluster.json("show", "\(running)/0", "--insecure").attempt == 1)
            #expect(try await cluster.baton("result", "\(running)/0", "--insecure").output == "result")
            #expect(try await cluster.baton("log", "\(running)/0", "--insecure").output == "output\n")
        }
    }
}
