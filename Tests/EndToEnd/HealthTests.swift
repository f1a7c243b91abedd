import Foundation
import Testing

extension EndToEndTests {
    @Suite("The health of processes", .timeLimit(.minutes(60)))
    struct HealthTests {
        /// Runs `baton health` with more time for the answers than any machine needs.
        private func health(
            of cluster: TestCluster,
            _ arguments: String...
        ) async throws -> TestCluster.CommandResult {
            try await cluster.baton(["health", "--timeout", "10h"] + arguments)
        }

        @Test("Where nothing runs, the status is 69, also after a kill; one command asks either role")
        func roles() async throws {
            try await withCluster(workers: nil) { cluster in
                let nothing = try await health(of: cluster)
                #expect(nothing.status == 69 && nothing.output.isEmpty)
                #expect(nothing.errors.contains("No coordinator and no worker runs in \(cluster.home.path)."))
                let document = try await health(of: cluster, "--json")
                #expect(document.status == 69 && document.line == #"{"healthy":false,"processes":[]}"#)

                try await cluster.startCoordinator()
                let coordinator = try await health(of: cluster)
                #expect(coordinator.status == 0)
                #expect(coordinator.line == "The coordinator at \(cluster.endpoint) answers.")
                try await cluster.startWorker("w1", in: "far")
                let worker = try await health(of: cluster, "--ready", "--home", cluster.home.path + "/far")
                #expect(worker.status == 0)
                #expect(
                    worker.line == "The worker w1 answers, and is connected to the coordinator at \(cluster.endpoint)."
                )
                #expect(try await health(of: cluster, "--quiet").output.isEmpty)

                let process = try #require(cluster.coordinator)
                process.signal(SIGKILL)
                try await process.end()
                #expect(FileManager.default.fileExists(atPath: cluster.home.path + "/baton.db.health"))
                #expect(try await health(of: cluster).status == 69)
            }
        }

        @Test("A worker whose coordinator is away is healthy, and ready again once the coordinator is back")
        func absence() async throws {
            try await withCluster { cluster in
                let coordinator = try #require(cluster.coordinator)
                coordinator.signal(SIGKILL)
                try await coordinator.end()
                try await cluster.workers["w1"]?.error(containing: "lost the coordinator")
                #expect(try await health(of: cluster).status == 0)
                let unready = try await health(of: cluster, "--ready", "--quiet")
                #expect(unready.status == 69)
                #expect(unready.line.contains("The worker w1 answers, and is not connected to the coordinator"))
                try await cluster.startCoordinator()
                // The job ends by the worker's return.
                #expect(try await cluster.wait(cluster.submit(script: "true")) == 0)
                let ready = try await health(of: cluster, "--ready", "--json")
                #expect(ready.status == 0)
                let processes = try JSONValue(parsing: ready.output).processes.elements
                #expect(processes.map(\.role.string) == ["coordinator", "worker"])
                #expect(processes.map(\.ready) == [true, true])
            }
        }

        @Test("A process that is stopped is named, with status 69", arguments: [true, false])
        func silence(isWorker: Bool) async throws {
            try await withCluster { cluster in
                let process = try #require(isWorker ? cluster.workers["w1"] : cluster.coordinator)
                process.pause()
                let result = try await cluster.baton("health", "--timeout", "1ms")
                let subject = isWorker ? "The worker w1" : "The coordinator"
                #expect(result.status == 69)
                #expect(result.output.contains("\(subject) runs, and has not answered within 1ms.\n"))
                process.signal(SIGCONT)
                #expect(try await health(of: cluster).status == 0)
            }
        }

        @Test(
            "A coordinator whose record is elsewhere is found by --store, and a removed directory of a worker is made again"
        )
        func places() async throws {
            try await withCluster(workers: nil) { cluster in
                let store = cluster.home.path + "/else.db"
                let process = try cluster.start("coordinator", "--store", store, "--listen", "tcp://127.0.0.1:*")
                try await process.error(containing: "listening")
                #expect(try await health(of: cluster).status == 69)
                #expect(try await health(of: cluster, "--store", store).status == 0)
                #expect(try await health(of: cluster, "--store", "else.db").status == 0)
                process.signal(SIGTERM)
                #expect(try await process.end() == 0)
            }
            try await withCluster { cluster in
                try FileManager.default.removeItem(atPath: cluster.home.path + "/workers")
                // The next operation finds out.
                #expect(try await cluster.wait(cluster.submit(script: "true")) == 0)
                try await cluster.workers["w1"]?.error(containing: "it was created again")
                let document = try JSONValue(parsing: try await health(of: cluster, "--json").output)
                #expect(document.processes.elements.map(\.role.string) == ["coordinator", "worker"])
            }
        }

        @Test("Another user of the host may not ask", .enabled(if: geteuid() == 0, "another user is needed"))
        func otherUser() async throws {
            try await withCluster(workers: 0) { cluster in
                chmod(cluster.home.path, 0o755)
                let command = try cluster.start(
                    script: """
                        exec setpriv --reuid 65534 --regid 65534 --clear-groups '\(TestCluster.program)' \
                        health --home '\(cluster.home.path)'
                        """
                )
                #expect(try await command.end() == 77)
                #expect(command.errorText.contains("Permission denied. Ask as their user."))
            }
        }
    }
}
