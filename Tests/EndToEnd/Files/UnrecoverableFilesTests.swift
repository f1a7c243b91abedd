import Foundation
import Testing

extension EndToEndTests {
    /// Lost files that no producer makes again.
    @Suite("Files that cannot be made again", .timeLimit(.minutes(60)))
    struct UnrecoverableFilesTests {
        @Test(
            "FI6 A producer that fails when it runs again keeps its success, and its dependent fails with the reason input"
        )
        func fi6Failing() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "test $BATON_ATTEMPT = 1 && echo x > x.txt", outputs: ["x.txt"], labels: ["host=w1"] },
                          { name: "use", command: "\(cluster.note("use"))", needs: ["make"], labels: ["host=w2"], hold: true },
                          { name: "next", command: "\(cluster.note("next"))", needs: ["use"] },
                          { name: "after", command: "\(cluster.note("after"))", onFailure: ["use"] },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/make") == 0)
                let before = try await cluster.verdict(on: "\(job)/make")
                try await cluster.loseDisk(of: "w1")
                try await cluster.change("release", "\(job)/use", count: 1)
                #expect(try await cluster.finish(job) == 1)
                try await expectLostInput(of: "\(job)/use", names: ["x.txt"], in: cluster)
                #expect(try await cluster.outcomes(of: job) == ["succeeded", "failed", "skipped", "succeeded"])
                #expect(try await cluster.verdict(on: "\(job)/make") == before)
                #expect(cluster.notes == ["after"])
            }
        }

        @Test(
            "FI7 Where restart: never forbids another run, the dependent fails with the reason input and the names of the files",
            arguments: FileLoss.allCases
        )
        func fi7(_ loss: FileLoss) async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain(options: ", restart: \"never\"")
                #expect(try await cluster.finish("\(job)/b") == 0)
                let before = [try await cluster.verdict(on: "\(job)/a"), try await cluster.verdict(on: "\(job)/b")]
                try await cluster.lose("w1", by: loss)
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 1)
                try await expectLostInput(of: "\(job)/c", names: ["b.txt"], in: cluster)
                #expect(cluster.notes == ["a-1", "b-1"])
                for (place, name) in ["a", "b"].enumerated() {
                    #expect(try await cluster.verdict(on: "\(job)/\(name)") == before[place])
                    #expect(try await cluster.show("\(job)/\(name)").attempt == 1)
                }
            }
        }

        @Test(
            "FI7 A producer may run again and what it needs may not: both its dependent and it end without another run"
        )
        func fi7Lineage() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "a", command: "\(cluster.note("a")); echo a > a.txt", outputs: ["a.txt"], labels: ["host=w1"],
                            restart: "never" },
                          { name: "b", command: "\(cluster.note("b")); cp $BATON_INPUTS/a/a.txt b.txt", outputs: ["b.txt"],
                            needs: ["a"], labels: ["host=w1"] },
                          { name: "c", command: "\(cluster.note("c"))", needs: ["b"], labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/b") == 0)
                try await cluster.loseDisk(of: "w1")
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 1)
                #expect(cluster.notes == ["a", "b"])
                let last = try await cluster.show("\(job)/c")
                #expect((last.outcome, last.reason) == ("failed", "input"), "\(last)")
                #expect(try await cluster.outcomes(of: job) == ["succeeded", "succeeded", "failed"])
            }
        }

        /// Expects that an operation has failed with the reason `input`, whose message names the lost files.
        private func expectLostInput(of operation: String, names: [String], in cluster: TestCluster) async throws {
            let failed = try await cluster.show(operation)
            #expect((failed.outcome, failed.reason) == ("failed", "input"), "\(failed)")
            for name in names { #expect(failed.message.string.contains(name), "\(failed.message)") }
        }
    }
}
