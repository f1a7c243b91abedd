import Foundation
import Testing

extension EndToEndTests {
    /// Fetches of files whose workers are silent.
    @Suite("Fetches that wait", .timeLimit(.minutes(60)))
    struct FetchWaitTests {
        /// A cluster in which a killed worker is suspect soon, and lost after a while.
        private func withSilences(_ body: (TestCluster) async throws -> Void) async throws {
            let limits = ["--suspect-after", "1s", "--lost-after", "20s"]
            try await withCluster(workers: 0, coordinator: limits) { try await body($0) }
        }

        private func kill(_ name: String, in cluster: TestCluster) async throws {
            let worker = try #require(cluster.workers[name])
            worker.signal(SIGKILL)
            #expect(try await worker.end(of: "the killed worker \(name)") == 128 + SIGKILL)
        }

        private func makeFile(_ copies: Int, in cluster: TestCluster) async throws -> String {
            let job = try await cluster.submit(
                graph: """
                    {keepFiles: "1h", operations: [
                      {name: "make", command: "\(FileScript.make("x.txt", bytes: 700_001, seed: 9))", outputs: ["x.txt"],
                        workspace: "fresh", labels: ["host=w1"], copies: \(copies)}]}
                    """
            )
            #expect(try await cluster.finish(job) == 0)
            return job
        }

        @Test("FI10 fetch tells which silent worker it waits for, and until when, and fails once that is lost")
        func onlyHolder() async throws {
            try await withSilences { cluster in
                try await cluster.startHost("w1")
                let job = try await makeFile(1, in: cluster)
                try await kill("w1", in: cluster)
                let fetched = try await cluster.baton("fetch", job, "--output", "got")
                #expect(fetched.status == 74, "\(fetched)")
                let sentence = "Waiting for x.txt: only w1 has it, and is silent, at most until "
                #expect(fetched.errors.contains(sentence), "\(fetched)")
                #expect(fetched.errors.contains("No worker has the file"), "\(fetched)")
                #expect(cluster.tree("got").isEmpty)
            }
        }

        @Test("FI10 fetch takes a file of a killed worker from another one that has it")
        func otherHolder() async throws {
            try await withSilences { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await makeFile(2, in: cluster)
                try await eventually(orFail: "The file did not come to have two copies.") {
                    try await cluster.files(job).allSatisfy { $0.holders == ["w1", "w2"] }
                }
                try await kill("w1", in: cluster)
                let fetched = try await cluster.baton("fetch", job, "--output", "got")
                #expect(fetched.status == 0 && !fetched.errors.contains("silent"), "\(fetched)")
                #expect(cluster.tree("got")["x.txt"]?.count == 700_001)
            }
        }
    }
}
