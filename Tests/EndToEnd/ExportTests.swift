import Foundation
@_spi(Baton) import BatonOperations
import Testing

extension EndToEndTests {
    @Suite("Jobs as graph files", .timeLimit(.minutes(60)))
    struct ExportTests {
        /// A graph with what a graph file can say; held, so that nothing runs.
        private static func graph(using random: inout SplitMix, after earlier: String) -> String {
            let names: [String?] = (0..<Int.random(in: 1...14, using: &random)).map { index in
                ["n\(index)", "写真\(index)", "operation\(index + 1)", nil].randomElement(using: &random) ?? nil
            }
            let operations = names.indices.map { index in
                var members = names[index].map { ["name: '\($0)'"] } ?? []
                let works = ["command: ['x', '{}', 'a b\\'c\\n']", "command: 'echo {} \"$X\" && y'", "kind: 'noop'"]
                members.append(works.randomElement(using: &random) ?? "")
                for key in ["after", "needs", "onFailure"] where random.chance(50) {
                    let own = names[..<index].compactMap { $0 }.filter { _ in random.chance(25) }
                    let others = ["\(earlier)/*", "\(earlier)/many", "\(earlier)/2"]
                    let targets = own + others.shuffled(using: &random).prefix(1)
                    members.append("\(key): [\(targets.map { "'\($0)'" }.joined(separator: ", "))]")
                }
                let arrays = [
                    "array: '5-9'", "array: '1-9:4,7,20-22'", "eachLine: ['p', 'q\\'\\\\', '日本']",
                    "each: 'a,b', array: '1-2'",
                ]
                for member in [
                    "queue: 'q\(index % 2)'", "priority: 'high'", "delay: '250ms'", "timeout: '3d'",
                    "grace: 'forever'", "retries: 9", "cwd: 'here'", "qos: 'utility'", "cpus: 0.5",
                    "memory: '512M'", "resources: { gpu: 2 }", "labels: ['zone=a']",
                    "onFinish: 'tell $BATON_OUTCOME'", "cancelled: true", "input: 'first\\nsecond'",
                    arrays.randomElement(using: &random) ?? "",
                ] where random.chance(25) {
                    members.append(member)
                }
                return "{ \(members.joined(separator: ", ")) }"
            }
            let head =
                random.chance(50)
                ? "name: 'a \"name\"', queue: 'main', queues: { main: { maxConcurrent: 3 } }," : ""
            return "{ \(head) defaults: { hold: true }, operations: [ \(operations.joined(separator: ",\n")) ] }"
        }

        /// The operations of a job without what differs between two equal jobs.
        private static func operations(of job: String, in cluster: TestCluster) async throws -> [JSONValue] {
            try await cluster.show(job).operations.elements.map { operation in
                guard case .object(var members) = operation else { return operation }
                members["submittedAt"] = nil
                members["finishedAt"] = nil
                members["readyAt"] = nil
                members["message"] = nil
                // The cause may be an operation of the same job.
                let cause = members["skippedBecauseOf"]?.string.replacing("\(job)/", with: "own/")
                members["skippedBecauseOf"] = .text(cause ?? "")
                let text = "\(members["operation"]?.string.split(separator: "/").last ?? "")"
                members["operation"] = .text(text)
                // An unnamed operation with dependents gets a name.
                members["name"] = nil
                // The conditions are in another order, and the job has another number.
                let dependencies = (members["dependencies"]?.elements ?? []).map { dependency in
                    let target = dependency.operation.string.replacing("\(job)/", with: "own/")
                    return "\(dependency.condition.string) \(target)"
                }
                members["dependencies"] = .array(dependencies.sorted().map { .text($0) })
                return .object(members)
            }
        }

        @Test("A job that is submitted from its graph file is equal, for random graphs")
        func roundTrip() async throws {
            let start = UInt64.random(in: 0...10_000)
            try await withCluster(workers: 0) { cluster in
                let earlier = try await cluster.submit(
                    graph:
                        "{ operations: [ { kind: 'noop', name: 'many', array: '1-2', hold: true }, { kind: 'noop', hold: true } ] }"
                )
                for seed in start..<start + 12 {
                    var random = SplitMix(seed: seed)
                    let graph = Self.graph(using: &random, after: earlier)
                    let job = try await cluster.submit(graph: graph)
                    let first = try await cluster.baton("export", job)
                    try #require(first.status == 0 && first.errors.isEmpty, "seed \(seed): \(first)")
                    let second = try await cluster.submit(graph: first.output)
                    let again = try await cluster.baton("export", second)
                    let (comment, text) = (first.output.prefix { $0 != "\n" }, first.output.drop { $0 != "\n" })
                    #expect(comment.hasPrefix("// Job \(job)"), "seed \(seed)")
                    #expect(text == again.output.drop { $0 != "\n" }, "seed \(seed): \(graph)")
                    let left = try await Self.operations(of: job, in: cluster)
                    let right = try await Self.operations(of: second, in: cluster)
                    #expect(left.count == right.count, "seed \(seed): \(graph)")
                    for (left, right) in zip(left, right) {
                        #expect(left.differences(from: right).isEmpty, "seed \(seed): \(graph)")
                    }
                }
            }
        }

        @Test("The file leaves out the values of environment variables, and says so")
        func environment() async throws {
            try await withCluster { cluster in
                let script = "echo \"$SHADE $TONE\" >> notes"
                let variables = ["--env", "SHADE=dark", "--env", "TONE=secret"]
                let submitted = try await cluster.baton(
                    ["submit"] + variables + ["--key", "k", "--", "sh", "-c", script]
                )
                let job = submitted.line
                #expect(try await cluster.wait(job) == 0)
                let file = try await cluster.baton("export", "last")
                #expect(file.status == 0)
                #expect(!file.output.contains("secret") && !file.output.contains("\"k\""), "\(file)")
                #expect(file.output.contains("/* env: SHADE, TONE */"), "\(file)")
                let sentence =
                    "The file leaves out the values of environment variables: SHADE, TONE. "
                    + "Give them with \"submit --env\".\n"
                #expect(file.errors == sentence, "\(file)")
                #expect(file.output.contains("// " + sentence), "\(file)")
                let again = try await cluster.submit(
                    "--file",
                    "-",
                    "--env",
                    "SHADE=light",
                    "--env",
                    "TONE=x",
                    input: file.output
                )
                #expect(again != job)
                #expect(try await cluster.wait(again) == 0)
                #expect(cluster.notes == ["dark secret", "light x"])
                let strict = try await cluster.baton("export", job, "--json")
                let document = try JSONValue(parsing: strict.output)
                let operations = document.operations.elements
                #expect(operations.count == 1 && operations.first?.command.elements.count == 3)
            }
        }

        @Test("Long arrays and long jobs come in pages, and an operation may depend on a later one")
        func pages() async throws {
            try await withCluster(workers: 0) { cluster in
                let lines = (0..<2500).map { "line \($0) \u{1F3B2}" }.joined(separator: "\n")
                try cluster.write(lines, to: "lines")
                let many = (0..<1500).map { index in
                    index == 1499
                        ? "{ kind: 'noop', name: 'last' }" : "{ kind: 'noop', after: 'last', name: 'n\(index)' }"
                }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { hold: true }, operations: [ { kind: "noop", eachLine: "lines" },
                        { kind: "noop", array: "0-2999:3,5000,9000-9900" }, { kind: "noop", array: "1-1000000" },
                        \(many.joined(separator: ",\n")) ] }
                        """
                )
                let first = try await cluster.baton("export", job, "--json")
                #expect(first.status == 0 && first.errors.isEmpty)
                let operations = try JSONValue(parsing: first.output).operations.elements
                #expect(operations.count == 1503)
                #expect(operations[0].eachLine.elements.count == 2500)
                #expect(operations[0].eachLine.elements.last == "line 2499 \u{1F3B2}")
                #expect(operations[1].array == "0-2997:3,5000-9000:4000,9001-9900")
                #expect(operations[2].array == "1-1000000")
                #expect(operations[3].after.elements == ["last"])
                let second = try await cluster.submit(graph: first.output)
                #expect(try await cluster.baton("export", second, "--json").output == first.output)
            }
        }

        @Test("Dependencies on elements of arrays of the same graph are about those of the new job")
        func elements() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { hold: true }, operations: [ { kind: 'noop', array: '10-30:10', name: 'sim' },
                        { kind: 'noop', needs: 'sim/20' }, { kind: 'noop', array: '1-3', after: 'sim/=' } ] }
                        """
                )
                let first = try await cluster.baton("export", job, "--json")
                #expect(first.status == 0 && first.errors.isEmpty)
                let operations = try JSONValue(parsing: first.output).operations.elements
                #expect(operations[1].needs.elements == ["sim/20"] && operations[2].after.elements == ["sim/="])
                let second = try await cluster.submit(graph: first.output)
                #expect(try await cluster.baton("export", second, "--json").output == first.output)
            }
        }

        @Test("A missing job and an operation are refused with clear answers")
        func refused() async throws {
            try await withCluster(workers: 0) { cluster in
                let missing = try await cluster.baton("export", "77")
                #expect(missing.status == 66 && missing.output.isEmpty, "\(missing)")
                #expect(try await cluster.baton("export", "77/3").status == 64)
                let open = try await cluster.baton("submit", "--open", "--name", "x[1]").line
                // A name may have the characters of patterns.
                let empty = try await cluster.baton("export", "x[1]")
                #expect(empty.status == 65 && empty.output.isEmpty, "\(empty)")
                #expect(empty.errors.contains("Job \(open) has no operations"), "\(empty)")
            }
        }
    }
}

extension SplitMix {
    fileprivate mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
