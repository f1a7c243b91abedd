import Foundation
@_spi(Baton) import BatonNetworkFaults
import Testing

extension EndToEndTests {
    /// Transfers under way, beside chains and commands that they must not delay.
    @Suite("Transfers of files", .timeLimit(.minutes(60)))
    struct TransferTests {
        /// Starts a worker behind a relay, which takes minutes for the files of the worker once it trickles.
        private func startSlowly(_ name: String, slots: Int, in cluster: TestCluster) async throws -> Relay {
            let address = try cluster.address
            var random = SystemRandomNumberGenerator()
            let relay = try Relay(host: address.host, target: address.port, using: &random)
            try await cluster.startHost(
                name,
                slots: slots,
                options: ["--coordinator", "tcp://127.0.0.1:\(relay.port)"]
            )
            return relay
        }

        /// The names of the files that a worker is receiving.
        private func incoming(of name: String, in cluster: TestCluster) -> [String] {
            (try? FileManager.default.contentsOfDirectory(
                atPath: cluster.store(of: name).appending(path: "incoming").path
            )) ?? []
        }

        @Test(
            "FI12 A chain, a run and requests come to their ends while files are on their way between the same workers"
        )
        func fi12() async throws {
            try await withCluster(workers: 0) { cluster in
                let relay = try await startSlowly("w1", slots: 2, in: cluster)
                try await cluster.startHost("w2", slots: 2)
                let make = FileScript.make("x.bin", bytes: 8_000_000, seed: 9) + "; echo {} >> x.bin"
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", array: "1-10", command: "\(make)", outputs: ["x.bin"], labels: ["host=w1"] },
                          { name: "use", array: "1-10", command: "sha256sum < $(ls $BATON_INPUTS/make.*/x.bin)", needs: ["make/="],
                            labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                for index in 0..<10 { #expect(try await cluster.finish("\(job)/\(index)") == 0) }
                relay.mode = .trickling(bytes: 2_000, connections: 1000)
                // A client takes files, too.
                let fetch = try cluster.start("fetch", job, "--output", "got")
                try await cluster.change("release", job, count: 10)
                try await eventually(orFail: "The worker w2 did not begin to receive a file.") {
                    !incoming(of: "w2", in: cluster).isEmpty
                }

                // The links of the chain go to and fro between the two workers, over the slow line, too.
                let links = (0..<20).map { number in
                    let needs = number == 0 ? "" : ", needs: ['link\(number - 1)']"
                    return "{name: 'link\(number)', command: 'true', labels: ['host=w\(number % 2 + 1)']\(needs)}"
                }
                let chain = try await cluster.submit(graph: "{operations: [\(links.joined(separator: ", "))]}")
                #expect(try await cluster.finish(chain) == 0)
                for host in ["w1", "w2"] {
                    let run = try cluster.start("run", "--label", "host=\(host)", "--", "true")
                    #expect(try await run.end(of: "a run on \(host)") == 0, "\(run.errorText)")
                }
                #expect(try await cluster.baton("status").status == 0)
                // All of that came before the files, each of which takes more than a minute on this line.
                let outcomes = try await cluster.outcomes(of: job).suffix(10)
                #expect(outcomes.contains { $0 != "succeeded" }, "\(outcomes)")
                #expect(fetch.isRunning, "\(fetch.outputText)\(fetch.errorText)")

                relay.mode = .forwarding
                #expect(try await cluster.finish(job) == 0)
                #expect(try await fetch.end(of: "the fetch") == 0, "\(fetch.errorText)")
                let digests = try await cluster.files(job).map(\.digest)
                #expect(Set(digests).count == 10)
                for index in 10..<20 {
                    let seen = try await cluster.baton("log", "\(job)/\(index)").output.prefix(64)
                    #expect(digests.contains(String(seen)), "operation \(index)")
                }
            }
        }

        @Test(
            "A transfer goes on after a cut of the line, and after a restart of the coordinator, with the right bytes"
        )
        func cut() async throws {
            try await withCluster(workers: 0) { cluster in
                let relay = try await startSlowly("w1", slots: 1, in: cluster)
                try await cluster.startHost("w2")
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(FileScript.make("x.bin", bytes: 20_000_000, seed: 10))", outputs: ["x.bin"],
                            labels: ["host=w1"] },
                          { name: "use", command: "\(cluster.note("use")); sha256sum < $BATON_INPUTS/make/x.bin", needs: ["make"],
                            labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/make") == 0)
                relay.mode = .trickling(bytes: 40_000, connections: 1000)
                try await cluster.change("release", "\(job)/use", count: 1)
                let isReceiving = { !incoming(of: "w2", in: cluster).isEmpty }
                try await eventually(orFail: "The worker w2 did not begin to receive the file.", isReceiving)
                relay.mode = .refusing
                // A worker whose line is cut still counts as the holder: nothing runs again.
                try await cluster.workers["w1"]?.complaint(of: "lost the coordinator")
                relay.mode = .trickling(bytes: 40_000, connections: 1000)
                try await eventually(orFail: "The worker w2 gave up the file.", isReceiving)
                try await cluster.restartCoordinator(with: SIGKILL)
                relay.mode = .forwarding
                #expect(try await cluster.finish(job) == 0)
                let digest = try await cluster.files("\(job)/make").map(\.digest)
                #expect(try await cluster.baton("log", "\(job)/use").output == "\(digest.joined())  -\n")
                #expect(try await cluster.show("\(job)/make").attempt == 1)
                #expect(cluster.notes == ["use"])
            }
        }
    }
}
