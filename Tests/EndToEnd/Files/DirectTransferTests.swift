import Foundation
import Testing

extension EndToEndTests {
    /// Files that go from worker to worker without the coordinator between them.
    @Suite("Direct transfers of files", .timeLimit(.minutes(60)))
    struct DirectTransferTests {
        /// A metric of the coordinator without labels.
        private func metric(_ name: String, of cluster: TestCluster) async throws -> Double {
            let body = try await cluster.ask("GET", "/metrics", token: cluster.web().token).body
            let line = try #require(body.split(separator: "\n").first { $0.hasPrefix("\(name) ") }, "\(body)")
            return try #require(Double(line.dropFirst(name.count + 1)))
        }

        @Test("FI3 Workers with keys move a large file directly, with the right bytes, and the coordinator tells so")
        func large() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                for host in ["w1", "w2", "w3"] {
                    try await cluster.startHost(
                        host,
                        options: host == "w3" ? [] : ["--data", "tcp://127.0.0.1:*"]
                    )
                }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(FileScript.make("x.bin", bytes: 40_000_000, seed: 11))", outputs: ["x.bin"],
                            labels: ["host=w1"] },
                          { name: "sum", array: "2-3", command: "sha256sum < $BATON_INPUTS/make/x.bin", needs: ["make"],
                            labels: ["host=w2"] },
                          { name: "other", command: "sha256sum < $BATON_INPUTS/make/x.bin", needs: ["make"],
                            labels: ["host=w3"] },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                let digest = try await cluster.files("\(job)/make").map(\.digest).joined()
                for index in 1...3 {
                    #expect(try await cluster.baton("log", "\(job)/\(index)").output == "\(digest)  -\n")
                }
                // A worker reads directly, whether others can read from it or not. What it has received, it tells a moment later.
                try await eventually(orFail: "No byte was received directly.") {
                    try await metric("baton_file_direct_bytes_total", of: cluster) > 0
                }
                #expect(try await metric("baton_file_bytes_total", of: cluster) > 0)
                for (host, isTold) in [("w1", true), ("w2", true), ("w3", false)] {
                    let document = try await cluster.json("workers", host)
                    let text = try await cluster.baton("workers", host).output
                    #expect(text.contains("tcp://127.0.0.1:") == isTold, "\(text)")
                    #expect((document.dataAddress != .null) == isTold)
                }
            }
        }

        @Test("FI8 A file that is damaged at a worker which gives it directly is made again")
        func damaged() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--data", "tcp://127.0.0.1:*"])
                try await cluster.startHost("w2")
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(FileScript.make("x.bin", bytes: 20_000_000, seed: 12))", outputs: ["x.bin"],
                            labels: ["host=w1"] },
                          { name: "use", command: "sha256sum < $BATON_INPUTS/make/x.bin", needs: ["make"], labels: ["host=w2"],
                            hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/make") == 0)
                let digest = try #require(try await cluster.files("\(job)/make").first?.digest)
                let path = try #require(cluster.objects(of: "w1")[digest])
                // The last bytes come directly.
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
                let file = try FileHandle(forUpdating: URL(filePath: path))
                try file.seek(toOffset: 19_999_000)
                try file.write(contentsOf: Data("damage".utf8))
                try file.close()
                try await cluster.change("release", "\(job)/use", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/use").output == "\(digest)  -\n")
                #expect(try await cluster.show("\(job)/make").attempt == 2)
            }
        }

        @Test("An address at which nobody could reach the worker is refused, and so is one that is taken")
        func refusals() async throws {
            try await withCluster(workers: 0) { cluster in
                for (endpoint, sentence) in [
                    ("tcp://*:7463", "stands for all addresses"), ("tcp://0.0.0.0:*", "stands for all addresses"),
                    ("10.0.0.2:7463", "does not begin with tcp://"),
                ] {
                    let result = try await cluster.baton("worker", "--data", endpoint)
                    #expect(result.status == 64 && result.errors.contains(sentence), "\(result)")
                }
                try await cluster.startHost("w1", options: ["--data", "tcp://127.0.0.1:*"])
                let taken = try await cluster.json("workers", "w1").dataAddress.string
                let worker = try cluster.start("worker", "--name", "w2", "--data", taken)
                #expect(try await worker.end() == 69)
                #expect(worker.errorText.contains("--data"), "\(worker.errorText)")
            }
        }
    }
}
