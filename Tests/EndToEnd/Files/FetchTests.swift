import Foundation
@_spi(Baton) import BatonNetworkFaults
import Testing

extension EndToEndTests {
    /// The command `baton fetch`: all bytes, or a status other than 0.
    @Suite("Fetching files", .timeLimit(.minutes(60)))
    struct FetchTests {
        /// A job of several operations that leave files, and the digest of each file by the path below the directory of a fetch.
        private func submitSeveral(to cluster: TestCluster) async throws -> (job: String, digests: [String: String]) {
            let script = FileScript.make("x.bin", bytes: 1_200_001, seed: 7) + "; chmod 755 x.bin"
            let job = try await cluster.submit(
                graph: """
                    { defaults: { workspace: "fresh" }, operations: [
                      { name: "one", command: "\(script)", outputs: ["*.bin"] },
                      { name: "part", array: "1-5", command: "mkdir d; echo {} > d/y.txt; : > empty.bin",
                        outputs: ["d/", "*.bin"] },
                      { name: "none", command: "true" },
                    ] }
                    """
            )
            #expect(try await cluster.finish(job) == 0)
            var digests: [String: String] = [:]
            let names = try await cluster.show(job).operations.elements.enumerated().map { place, operation in
                place == 0 || place == 6 ? operation.name.string : "part.\(place)"
            }
            for file in try await cluster.files(job) {
                let index = try #require(file.operation.split(separator: "/").last.flatMap { Int($0) })
                digests["\(names[index])/\(file.path)"] = file.digest
            }
            #expect(digests.count == 11)
            return (job, digests)
        }

        /// The digests of all files below a directory of the test.
        private func digests(below directory: String, in cluster: TestCluster) async throws -> [String: String] {
            let process = try cluster.start(script: "cd '\(directory)' && \(FileScript.digests)")
            #expect(try await process.end(of: "the computation of digests") == 0)
            return process.outputText.digestsByPath
        }

        @Test("FI10 fetch copies the files of a job, of an operation or of a pattern, with their bytes and permissions")
        func fi10() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name, slots: 2) }
                let (job, expected) = try await submitSeveral(to: cluster)
                let all = try await cluster.baton("fetch", job, "--output", "new/all")
                #expect(all.status == 0, "\(all)")
                #expect(try await digests(below: "new/all", in: cluster) == expected)
                let tool = cluster.home.appending(path: "new/all/one/x.bin").path
                #expect(FileManager.default.isExecutableFile(atPath: tool))

                // The files of one operation have their own paths.
                try FileManager.default.createDirectory(
                    at: cluster.home.appending(path: "one"),
                    withIntermediateDirectories: false
                )
                try cluster.write("an earlier file", to: "one/x.bin")
                let one = try await cluster.baton("fetch", "\(job)/one", "--output", "one")
                #expect(one.status == 0, "\(one)")
                let digest = try #require(expected["one/x.bin"])
                #expect(try await digests(below: "one", in: cluster) == ["x.bin": digest])

                let some = try await cluster.baton("fetch", job, "--output", "some", "d/*.txt", "none/*?")
                #expect(some.status == 0, "\(some)")
                let texts = expected.filter { $0.key.hasSuffix(".txt") }
                #expect(try await digests(below: "some", in: cluster) == texts)
                let again = try await cluster.baton("fetch", job, "--output", "some", "--json")
                let lines = try again.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
                #expect(again.status == 0 && lines.count == expected.count, "\(again)")
                #expect(Set(lines.map(\.digest.string)) == Set(expected.values))
            }
        }

        @Test("FI10 fetch exits with a status other than 0 if something is missing, and says what")
        func fi10Missing() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "good", command: "echo x > x.txt", outputs: ["*.txt"] },
                          { name: "bad", command: "echo y > y.txt; exit 1", outputs: ["*.txt"] },
                          { name: "none", command: "true" },
                        ] }
                        """
                )
                #expect(try await cluster.finish(job) == 1)
                let refusals: [(arguments: [String], status: Int32, part: String)] = [
                    (["\(job)/none"], 66, "no files"), (["99"], 66, "99"), (["\(job)/good", "*.bam"], 66, "*.bam"),
                    (["\(job)/bad"], 66, "succeeded"), (["\(job)/good", "../x"], 64, "../x"),
                ]
                for (arguments, status, part) in refusals {
                    let refused = try await cluster.baton(["fetch", "--output", "nothing"] + arguments)
                    #expect(refused.status == status, "\(arguments): \(refused)")
                    #expect(refused.errors.contains(part), "\(arguments): \(refused)")
                    #expect(cluster.tree("nothing").isEmpty)
                }
                // What can be had is fetched all the same.
                let partly = try await cluster.baton("fetch", job, "--output", "partly")
                #expect(partly.status != 0, "\(partly)")
                #expect(Set(cluster.tree("partly").keys) == ["good/x.txt"])
                try await cluster.leave("w1")
                let away = try await cluster.baton("fetch", "\(job)/good", "--output", "away")
                #expect(away.status == 74 && away.errors.contains("x.txt"), "\(away)")
                #expect(cluster.tree("away").isEmpty)
            }
        }

        @Test("FI10 fetch follows no link out of its directory")
        func fi10Links() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await cluster.submit(
                    script: "mkdir d; echo x > d/x.txt",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "d/"
                )
                #expect(try await cluster.finish(job) == 0)
                for name in ["got", "elsewhere"] {
                    let path = cluster.home.appending(path: name)
                    try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
                }
                let link = cluster.home.appending(path: "got/d").path
                try FileManager.default.createSymbolicLink(
                    atPath: link,
                    withDestinationPath: cluster.home.appending(path: "elsewhere").path
                )
                let refused = try await cluster.baton("fetch", job, "--output", "got")
                #expect(refused.status != 0 && refused.errors.contains("got/d"), "\(refused)")
                #expect(cluster.tree("elsewhere").isEmpty)
            }
        }

        /// Starts a worker behind a slow line, which takes 20 seconds for the file that the worker keeps, and a fetch of the file.
        private func fetchSlowly(
            in cluster: TestCluster
        ) async throws -> (job: String, fetch: ChildProcess, relay: Relay) {
            let address = try cluster.address
            var random = SystemRandomNumberGenerator()
            let relay = try Relay(host: address.host, target: address.port, using: &random)
            try await cluster.startHost("w1", options: ["--coordinator", "tcp://127.0.0.1:\(relay.port)"])
            let job = try await cluster.submit(
                script: FileScript.make("x.bin", bytes: 20_000_000, seed: 8),
                "--workspace",
                "fresh",
                "--outputs",
                "x.bin"
            )
            #expect(try await cluster.finish(job) == 0)
            relay.mode = .trickling(bytes: 20_000, connections: 1000)
            let fetch = try cluster.start("fetch", job, "--output", "got")
            try await eventually(orFail: "The fetch of job \(job) did not begin.") {
                cluster.tree("got").values.contains { !$0.isEmpty } || !fetch.isRunning
            }
            try #require(fetch.isRunning, "\(fetch.errorText)")
            return (job, fetch, relay)
        }

        @Test(
            "FI10 A fetch whose only holder is lost in the middle exits with a status other than 0, and leaves no part of a file"
        )
        func fi10Lost() async throws {
            try await withCluster(workers: 0) { cluster in
                let (job, fetch, _) = try await fetchSlowly(in: cluster)
                try await cluster.loseDisk(of: "w1")
                #expect(try await fetch.end(of: "the fetch") == 74, "\(fetch.errorText)")
                #expect(fetch.errorText.contains("x.bin"), "\(fetch.errorText)")
                #expect(cluster.tree("got").isEmpty)
                #expect(try await cluster.files(job).map(\.holders) == [[]])
                #expect(try await cluster.show("\(job)/0").attempt == 1, "a fetch makes nothing run again")
            }
        }

        @Test("FI10 A fetch that is ended by a signal leaves no part of a file", arguments: [SIGTERM, SIGINT])
        func fi10Signal(_ signal: Int32) async throws {
            try await withCluster(workers: 0) { cluster in
                let (_, fetch, relay) = try await fetchSlowly(in: cluster)
                fetch.signal(signal)
                #expect(try await fetch.end(of: "the fetch") == 128 + signal)
                #expect(cluster.tree("got").isEmpty)
                relay.mode = .forwarding
            }
        }

        @Test("FI10 A fetch over a restart of the coordinator has all bytes, or a status other than 0 and none")
        func fi10Restart() async throws {
            try await withCluster(workers: 0) { cluster in
                let (job, fetch, relay) = try await fetchSlowly(in: cluster)
                try await cluster.restartCoordinator(with: SIGKILL)
                relay.mode = .forwarding
                let status = try await fetch.end(of: "the fetch")
                let expected = try await cluster.files(job).map(\.digest)
                let got = try await digests(below: "got", in: cluster)
                if status == 0 {
                    #expect(Array(got.values) == expected)
                } else {
                    #expect(got.isEmpty && !fetch.errorText.isEmpty, "\(fetch.errorText)")
                    #expect(cluster.tree("got").isEmpty)
                }
                try await eventually(orFail: "The worker w1 did not come back with its file.") {
                    try await cluster.files(job).map(\.holders) == [["w1"]]
                }
                let again = try await cluster.baton("fetch", job, "--output", "again")
                #expect(again.status == 0, "\(again)")
                #expect(try await Array(digests(below: "again", in: cluster).values) == expected)
            }
        }
    }
}
