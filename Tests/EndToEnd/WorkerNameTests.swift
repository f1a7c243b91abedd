@_spi(Baton) import BatonKeys
import Foundation
import Testing

extension EndToEndTests {
    @Suite("Names of workers", .timeLimit(.minutes(60)))
    struct WorkerNameTests {
        /// Starts a worker with a home of its own, without waiting for anything.
        private func start(_ name: String?, home: String, in cluster: TestCluster) throws -> ChildProcess {
            let name = name.map { ["--name", $0] } ?? []
            let options = ["--slots", "1", "--home", "\(cluster.home.path)/\(home)"]
            return try cluster.start(
                ["worker"] + options + name,
                environment: ["BATON_KEY_FILE": try cluster.keyFile(of: .worker)]
            )
        }

        private func workers(of cluster: TestCluster) async throws -> [String] {
            try await cluster.json("workers").workers.elements.map(\.worker.string).sorted()
        }

        @Test("A second worker of a name is refused while the first is connected, and does not disturb it")
        func refused() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let other = try start("w1", home: "other", in: cluster)
                #expect(try await other.end() == 69)
                let sentence = "The name w1 belongs to another worker, which is connected (process "
                let errors = other.errorText
                #expect(errors.contains(sentence) && errors.contains("--replace"), "\(errors)")
                // Nor does another process get into its directory.
                let same = try await cluster.baton("worker", "--name", "w1")
                #expect(same.status == 69 && same.errors.contains("/workers/w1"), "\(same)")
                #expect(try await workers(of: cluster) == ["w1"])
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.attempt, operation.losses) == (1, 0))
                // Once it has left, the name is free.
                cluster.workers["w1"]?.signal(SIGTERM)
                try await cluster.workers["w1"]?.end()
                try await cluster.startWorker("w1", in: "other")
            }
        }

        @Test("A worker with --replace evicts the worker of its name, whose operation runs again without a loss")
        func replaces() async throws {
            try await withCluster { cluster in
                let (first, second) = (try cluster.gate("1"), try cluster.gate("2"))
                let job = try await cluster.submit(script: "echo $$ >> pids; \(cluster.waitAtGate("$BATON_ATTEMPT"))")
                try await first.arrival()
                let evicted = try #require(cluster.workers["w1"])
                try await cluster.startWorker("w1", in: "other", options: ["--replace"])
                #expect(try await evicted.end() == 69)
                #expect(evicted.errorText.contains("Another worker has replaced w1 "), "\(evicted.errorText)")
                #expect(!isAlive(cluster.read("pids").split(separator: "\n").first.map(String.init) ?? ""))
                try await second.arrival()
                try await second.open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.attempt, operation.losses) == (2, 0))
            }
        }

        @Test(
            "Workers with a name in use are refused each time that they start, and the first worker goes on",
            // A name that says hello more than 20 times in a row waits for two seconds and longer: HostileWorkerTests shows that.
            arguments: [2, 3, 6]
        )
        func restartLoop(count: Int) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                for _ in 0..<3 {
                    let others = try (2...count).map { try start("w1", home: "home-\($0)", in: cluster) }
                    for other in others { #expect(try await other.end() == 69) }
                }
                #expect(try await workers(of: cluster) == ["w1"])
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.attempt, operation.losses) == (1, 0))
            }
        }

        @Test("A worker's name stays reserved over a restart of the coordinator")
        func coordinatorAway() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                // A worker's operation goes on while the worker is stopped, too.
                let worker = try #require(cluster.workers["w1"])
                worker.pause()
                try await cluster.restartCoordinator(with: SIGKILL)
                let other = try start("w1", home: "other", in: cluster)
                #expect(try await other.end() == 69)
                #expect(other.errorText.contains("may still reconnect"), "\(other.errorText)")
                worker.signal(SIGCONT)
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
            }
        }

        @Test("Workers without a name share a home, and get the same names after a restart")
        func unnamed() async throws {
            try await withCluster(workers: 0) { cluster in
                func startTwo() async throws -> [ChildProcess] {
                    let both = try (0..<2).map { _ in try start(nil, home: "shared", in: cluster) }
                    for worker in both { try await worker.error(containing: "welcomed") }
                    return both
                }
                let first = try await startTwo()
                let names = try await workers(of: cluster)
                #expect(names.count == 2)
                for worker in first { worker.signal(SIGKILL) }
                for worker in first { try await worker.end() }
                let second = try await startTwo()
                #expect(try await workers(of: cluster) == names)
                let elsewhere = try start(nil, home: "elsewhere", in: cluster)
                try await elsewhere.error(containing: "welcomed")
                #expect(try await workers(of: cluster).count == 3)
                #expect(try await cluster.wait(cluster.submit("--array", "1-30", "--", "true")) == 0)
                for worker in second + [elsewhere] { worker.signal(SIGTERM) }
                for worker in second + [elsewhere] { #expect(try await worker.end() == 0) }
            }
        }

        @Test("A worker from a copied directory evicts the original, which is refused from then on")
        func copy() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1")
                let original = try #require(cluster.workers["w1"])
                let directories = ["\(cluster.home.path)/workers", "\(cluster.home.path)/copy"]
                try FileManager.default.createDirectory(atPath: directories[1], withIntermediateDirectories: true)
                // Like a person's copy, with the socket of the worker's health.
                let copying = try Process.run(URL(filePath: "/bin/cp"), arguments: ["-a"] + directories)
                copying.waitUntilExit()
                #expect(copying.terminationStatus == 0)
                let copy = try start("w1", home: "copy", in: cluster)
                try await copy.error(containing: "welcomed")
                #expect(try await original.end() == 69)
                #expect(original.errorText.contains("is a copy"), "\(original.errorText)")
                for _ in 0..<3 {
                    let again = try await cluster.baton("worker", "--name", "w1", "--slots", "1")
                    #expect(again.status == 69 && again.errors.contains("belongs to another worker"), "\(again)")
                }
                #expect(try await cluster.wait(cluster.submit("--", "true")) == 0)
                copy.signal(SIGTERM)
                #expect(try await copy.end() == 0)
            }
        }
    }
}
