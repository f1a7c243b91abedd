import Foundation
import Testing

extension EndToEndTests {
    /// Who may read the bytes of files.
    @Suite("Access to files", .timeLimit(.minutes(60)))
    struct FileAccessTests {
        private static let secret = "hunter2"

        /// Submits an operation that leaves a file with the secret, and returns its job.
        private func submit(to cluster: TestCluster) async throws -> String {
            let job = try await cluster.submit(
                script: "echo \(Self.secret) > x.txt",
                "--workspace",
                "fresh",
                "--outputs",
                "x.txt"
            )
            #expect(try await cluster.finish(job) == 0)
            return job
        }

        /// Runs a command to its end with a key in its environment.
        private func baton(
            _ arguments: String...,
            key: String,
            in cluster: TestCluster
        ) async throws -> (status: Int32, output: String, errors: String) {
            let process = try cluster.start(arguments, environment: ["BATON_KEY": key])
            return (try await process.end(of: "the command \(arguments)"), process.outputText, process.errorText)
        }

        @Test("FI11 A viewer sees names, sizes and holders of files, and no byte of them; a client reads them")
        func fi11Viewer() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                try await cluster.startHost("w1")
                let job = try await submit(to: cluster)
                let viewer = try await cluster.authorize("wall", as: "viewer")
                let listed = try await baton("files", job, "--json", key: viewer, in: cluster)
                #expect(listed.status == 0 && listed.output.contains("x.txt"), "\(listed)")
                let refused = try await baton("fetch", job, "--output", "viewer", key: viewer, in: cluster)
                #expect(refused.status == 77 && refused.errors.contains("wall"), "\(refused)")
                #expect(cluster.tree("viewer").isEmpty && !refused.output.contains(Self.secret))
                let client = try await cluster.authorize("desk", as: "client")
                let fetched = try await baton("fetch", job, "--output", "client", key: client, in: cluster)
                #expect(fetched.status == 0, "\(fetched)")
                #expect(cluster.tree("client") == ["x.txt": Data("\(Self.secret)\n".utf8)])

                // The same over HTTP.
                let token = try await cluster.baton("authorize", "--http", "--role", "viewer", "screen").line
                let base = "/api/v1/operations/\(job)/0/files"
                let names = try await cluster.ask("GET", base, token: token)
                #expect(names.status == 200 && names.body.contains("x.txt"), "\(names)")
                for options in [[], ["--header", "Range: bytes=0-2"]] {
                    let bytes = try await cluster.ask("GET", "\(base)/x.txt", token: token, options: options)
                    #expect(bytes.status == 403 && !bytes.body.contains("hun"), "\(bytes)")
                }
                #expect(try await cluster.ask("GET", "\(base)/x.txt", token: nil).status == 401)
                let desk = try await cluster.baton("authorize", "--http", "--role", "client", "page").line
                #expect(try await cluster.ask("GET", "\(base)/x.txt", token: desk).body == "\(Self.secret)\n")
            }
        }

        @Test("FI11 An operation reads the files of its own job, and none of another job, while its attempt runs")
        func fi11Operation() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let other = try await submit(to: cluster)
                let gate = try cluster.gate()
                let home = cluster.home.path
                try cluster.write(
                    """
                    \(TestCluster.baton) fetch "$BATON_JOB/make" --output '\(home)/own' > '\(home)/out' 2>&1
                    echo "own $?" >> '\(home)/notes'
                    \(TestCluster.baton) fetch "\(other)/0" --output '\(home)/other' >> '\(home)/out' 2>&1
                    echo "other $?" >> '\(home)/notes'
                    echo "$BATON_TOKEN" > '\(home)/token'
                    \(gate.wait)
                    """,
                    to: "operation"
                )
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "make", command: "echo mine > y.txt", outputs: ["y.txt"], workspace: "fresh" },
                          { name: "read", command: ["sh", "operation"], needs: ["make"] },
                        ] }
                        """
                )
                try await gate.arrival(of: "the operation that reads")
                #expect(cluster.notes == ["own 0", "other 77"], "\(cluster.read("out"))")
                #expect(cluster.tree("own") == ["y.txt": Data("mine\n".utf8)])
                #expect(cluster.tree("other").isEmpty && !cluster.read("out").contains(Self.secret))
                #expect(cluster.read("out").contains("Operation \(job)/1"), "\(cluster.read("out"))")
                try await gate.open(for: "the operation that reads")
                #expect(try await cluster.finish(job) == 0)
                // The proof of an attempt ends with it.
                let token = cluster.read("token").trimmingCharacters(in: .newlines)
                let late = try cluster.start(
                    ["fetch", "\(job)/make", "--output", "late"],
                    environment: ["BATON_TOKEN": token]
                )
                #expect(try await late.end(of: "the late fetch") == 77, "\(late.errorText)")
                #expect(cluster.tree("late").isEmpty)
            }
        }

        @Test("FI11 A worker's key reads no file that is not of its attempts")
        func fi11Worker() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await submit(to: cluster)
                let key = try await cluster.authorize("gpu1", as: "worker")
                let refused = try await baton("fetch", job, "--output", "worker", key: key, in: cluster)
                #expect(refused.status == 77, "\(refused)")
                #expect(cluster.tree("worker").isEmpty)
            }
        }
    }
}
