import Foundation
import Testing

extension EndToEndTests {
    /// Several copies of each file, which workers make behind the ends of operations.
    @Suite("Copies of files", .timeLimit(.minutes(60)))
    struct CopiesTests {
        /// Waits until as many workers have each file of an operation.
        private func awaitCopies(_ count: Int, of operation: String, in cluster: TestCluster) async throws {
            try await eventually(orFail: "The files of \(operation) did not come to have \(count) copies.") {
                try await cluster.files(operation).allSatisfy { $0.holders.count == count }
            }
        }

        @Test("FI6 With two copies the disks of all workers are lost one after the other, and nothing runs again")
        func losses() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain(options: ", copies: 2")
                #expect(try await cluster.finish("\(job)/b") == 0)
                let before = [try await cluster.verdict(on: "\(job)/a"), try await cluster.verdict(on: "\(job)/b")]
                for name in ["w1", "w2", "w3", "w1"] {
                    for operation in ["a", "b"] { try await awaitCopies(2, of: "\(job)/\(operation)", in: cluster) }
                    try await cluster.loseDisk(of: name)
                }
                for operation in ["a", "b"] { try await awaitCopies(2, of: "\(job)/\(operation)", in: cluster) }
                let list = try await cluster.baton("files", "\(job)/b").output
                #expect(list.contains("COPIES") && list.contains("2/2"), "\(list)")
                let shown = try await cluster.baton("show", "\(job)/b").output
                #expect(shown.contains("2 copies; see"), "\(shown)")
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["a-1", "b-1", "c-1"])
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
                #expect(try await cluster.verdict(on: "\(job)/a") == before[0])
                #expect(try await cluster.verdict(on: "\(job)/b") == before[1])
            }
        }

        @Test("FI6 A restarted coordinator goes on to make copies, also for a job that has ended and keeps its files")
        func restart() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name) }
                let large = FileScript.make("x", bytes: 700_001, seed: 5)
                let job = try await cluster.submit(
                    graph: """
                        {keepFiles: "1h", operations: [
                          {name: "make", command: "\(large); mkdir d; echo y > d/y; : > empty",
                            outputs: ["x", "d/", "empty"], workspace: "fresh", copies: 2}]}
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                try await awaitCopies(2, of: job, in: cluster)
                try await cluster.restartCoordinator(with: SIGKILL)
                try await awaitCopies(2, of: job, in: cluster)
                let files = try await cluster.files(job)
                #expect(files.map(\.path) == ["d/y", "empty", "x"])
                let holder = try #require(files.last?.holders.first)
                try await cluster.loseDisk(of: holder)
                try await awaitCopies(2, of: job, in: cluster)
                let fetched = try await cluster.baton("fetch", job, "--output", "got")
                #expect(fetched.status == 0, "\(fetched)")
                #expect(cluster.tree("got")["d/y"] == Data("y\n".utf8) && cluster.tree("got")["empty"] == Data())
                #expect(cluster.tree("got")["x"]?.count == 700_001)
                #expect(try await cluster.show("\(job)/make").attempt == 1)
            }
        }

        @Test("Copies without room are not made, keep nobody waiting, and are made once a worker has room")
        func room() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try await cluster.startHost("w2", options: ["--files-limit", "1M"])
                let job = try await cluster.submit(
                    graph: """
                        {operations: [
                          {name: "make", command: "\(FileScript.make("x", bytes: 2_000_000, seed: 1))", outputs: ["x"],
                            workspace: "fresh", labels: ["host=w1"], copies: 2},
                          {name: "use", command: "wc -c < $BATON_INPUTS/make/x", needs: ["make"], labels: ["host=w1"]},
                          {name: "last", command: "wc -c < $BATON_INPUTS/make/x", needs: ["make"], hold: true}]}
                        """
                )
                #expect(try await cluster.finish("\(job)/make", "\(job)/use") == 0)
                #expect(try await cluster.baton("log", "\(job)/use").line == "2000000")
                #expect(try await cluster.files("\(job)/make").map(\.holders) == [["w1"]])
                let list = try await cluster.baton("files", "\(job)/make").output
                #expect(list.contains("1/2"), "\(list)")
                try await cluster.startHost("w3")
                try await awaitCopies(2, of: "\(job)/make", in: cluster)
                #expect(try await cluster.files("\(job)/make").map(\.holders) == [["w1", "w3"]])
                // The loss of the one that made it takes nothing.
                try await cluster.loseDisk(of: "w1")
                try await cluster.change("release", "\(job)/last", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.show("\(job)/make").attempt == 1)
            }
        }
    }
}
