import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

/// Tests of workers and commands that are given several addresses.
@Suite("A coordinator that moves to another address", .timeLimit(.minutes(60)))
struct MovedCoordinatorTests {
    /// Starts a coordinator on a copy of the cluster's record and keys, which nobody writes meanwhile.
    private func startCopy(of cluster: TestCluster, at endpoint: String) async throws -> ChildProcess {
        let home = cluster.home.path + "/second"
        let copy = "mkdir second && cp -Rp baton.db* second && rm -f second/baton.db-shm && cp -Rp keys second"
        try #require(try await cluster.start(script: copy).end() == 0)
        let limits = ["--http", "off", "--suspect-after", "1h", "--lost-after", "1h"]
        let process = try cluster.start(
            ["coordinator", "--listen", endpoint] + limits,
            environment: ["BATON_HOME": home, "BATON_COORDINATOR": ""]
        )
        try await process.error(containing: "listening")
        return process
    }

    @Test(
        "Worker and client with both addresses go on where the record was moved to, and an older copy that still runs is not obeyed",
        arguments: [SIGTERM, SIGSTOP]
    )
    func moves(signal: Int32) async throws {
        try await withCluster(workers: nil) { cluster in
            try await cluster.startCoordinator()
            let (old, new) = (cluster.endpoint, try ScriptedCoordinator.freeEndpoint())
            let list = "\(new),\(old)"
            try await cluster.startWorker("w1", slots: 2, options: ["--coordinator", list])
            let gate = try cluster.gate()
            let job = try await cluster.submit(script: "echo started; \(gate.wait)")
            try await gate.arrival()
            let epoch = try await cluster.json("status", "--coordinator", list).epoch.int
            let following = try cluster.start("log", "-f", job, "--coordinator", list)
            // The command has reached the older coordinator: a command that has reached no coordinator gives up when no coordinator
            // listens.
            try await following.output(containing: "started")

            // After SIGSTOP, the older coordinator keeps its address and its connections, and is silent.
            cluster.coordinator?.signal(signal)
            if signal == SIGTERM { #expect(try await cluster.coordinator?.end() == 0) }
            let second = try await startCopy(of: cluster, at: new)
            #expect(try await cluster.json("status", "--coordinator", list).epoch.int == epoch + 1)
            try await gate.open()
            #expect(try await following.end() == 0, "\(following.errorText)")
            #expect(following.outputText == "started\n")
            let operation = try await cluster.json("show", "\(job)/0", "--coordinator", new)
            #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))

            if signal == SIGSTOP {
                cluster.coordinator?.signal(SIGCONT)
                _ = try await cluster.submit(script: cluster.note("old"))
            }
            let later = try await cluster.submit(script: cluster.note("new"), "--coordinator", new)
            #expect(try await cluster.wait(later, "--coordinator", new) == 0)
            #expect(cluster.notes == ["new"])

            cluster.workers["w1"]?.signal(SIGTERM)
            #expect(try await cluster.workers["w1"]?.end() == 0)
            second.signal(SIGTERM)
            #expect(try await second.end() == 0)
        }
    }

    @Test("A command names the leader that the only coordinator knows, and is answered with both addresses")
    func standsBy() async throws {
        try await withCluster(workers: nil) { cluster in
            let leader = try ScriptedCoordinator.answering { _ in .changed(ChangeReport(changed: 1)) }
            let address = leader.endpoint
            let standby = try ScriptedCoordinator { message in
                guard case .client(.hello) = message else { return nil }
                return ClientReply.leadership(Leadership(isLeading: false, leader: address)).encoded()
            }
            let alone = try await cluster.baton("hold", "1", "--insecure", "--coordinator", standby.endpoint)
            #expect(alone.status == 69, "\(alone)")
            let sentence = "The coordinator at \(standby.endpoint) stands by, and the leader is at \(address)."
            #expect(alone.errors.contains(sentence), "\(alone)")
            #expect(alone.errors.contains("--coordinator"), "\(alone)")
            for list in ["\(standby.endpoint),\(address)", "\(address), \(standby.endpoint)"] {
                let both = try await cluster.baton("hold", "1", "--insecure", "--coordinator", list)
                #expect(both.status == 0, "\(both)")
            }
            try standby.close()
            try leader.close()
        }
    }

    @Test(
        "Where nobody listens at any of several addresses, a command exits with 69 and names them all",
        arguments: 2...4
    )
    func nobody(count: Int) async throws {
        try await withCluster(workers: nil) { cluster in
            let addresses = try (0..<count).map { _ in try ScriptedCoordinator.freeEndpoint() }
            let list = addresses.joined(separator: ",")
            let result = try await cluster.baton("status", "--insecure", "--coordinator", list)
            #expect(result.status == 69, "\(result)")
            let names = addresses.dropLast().joined(separator: ", ") + " or \(addresses[count - 1])"
            #expect(result.errors.contains("No coordinator answers at \(names)."), "\(result)")
        }
    }
}
