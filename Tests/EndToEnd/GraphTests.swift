import Foundation
import Testing

extension EndToEndTests {
    @Suite("Graphs", .timeLimit(.minutes(60)))
    struct GraphTests {
        /// A WfFormat record with the shape of real workflows: a split, parallel chains, and joins.
        private static func record(width: Int) -> String {
            var tasks: [(id: String, parents: [String], runTime: Double)] = [("split", [], 3)]
            for lane in 0..<width {
                tasks.append(("filter_\(lane)", ["split"], Double(10 + lane % 3)))
                tasks.append(("map_\(lane)", ["filter_\(lane)"], 20))
            }
            for half in 0..<2 {
                let parents = (0..<width).filter { $0 % 2 == half }.map { "map_\($0)" }
                tasks.append(("merge_\(half)", parents, 5))
            }
            tasks.append(("index", ["merge_0", "merge_1", "split"], 1.5))
            let specification = tasks.map { task in
                let parents = task.parents.map { "\"\($0)\"" }.joined(separator: ",")
                return #"{"name":"t","id":"\#(task.id)","parents":[\#(parents)],"children":[],"inputFiles":[]}"#
            }
            let execution = tasks.enumerated().map { number, task in
                #"{"id":"\#(task.id)","runtimeInSeconds":\#(task.runTime),"priority":\#(number % 4 * 10)}"#
            }
            return """
                {"name":"lanes","schemaVersion":"1.5","workflow":{
                "specification":{"tasks":[\(specification.joined(separator: ","))],"files":[]},
                "execution":{"makespanInSeconds":99,"tasks":[\(execution.joined(separator: ","))],"machines":[]}}}
                """
        }

        private func importRecord(width: Int, in cluster: TestCluster) async throws -> String {
            try cluster.write(Self.record(width: width), to: "record.json")
            let graph = try await cluster.baton("import", "wfcommons", "record.json", "--time-scale", "0.001")
            try #require(graph.status == 0, "\(graph)")
            try cluster.write(graph.output, to: "graph.json")
            return "graph.json"
        }

        /// Expects that each operation of a job started after all its dependencies had finished, by the record's times.
        private func expectOrder(_ job: JSONValue) {
            let operations = job.operations.elements
            var finished: [String: String] = [:]
            for operation in operations { finished[operation.operation.string] = operation.finishedAt.string }
            for operation in operations {
                for dependency in operation.dependencies.elements {
                    let end = finished[dependency.operation.string] ?? "unknown"
                    #expect(
                        operation.startedAt.string >= end,
                        "\(operation.name) started before \(dependency) was over"
                    )
                }
            }
        }

        @Test("DE1 DE2 An imported workflow runs in the order of its dependencies, and on both workers")
        func workflow() async throws {
            try await withCluster(workers: 2) { cluster in
                let job = try await cluster.submit("--file", importRecord(width: 12, in: cluster))
                #expect(try await cluster.wait(job) == 0)
                let document = try await cluster.show(job)
                #expect(document.name == "lanes")
                #expect(document.counts.succeeded == 28)
                #expect(document.operations.elements.count == 28)
                #expect(document.operations.elements.map(\.dependencies.elements.count).reduce(0, +) == 39)
                expectOrder(document)
                #expect(Set(document.operations.elements.map(\.worker)) == ["w1", "w2"])
            }
        }

        @Test("A local run executes a graph without a running coordinator, and leaves nothing behind")
        func local() async throws {
            try await withCluster(workers: nil) { cluster in
                let graph = try await importRecord(width: 4, in: cluster)
                let result = try await cluster.baton("run", "--local", "--file", graph, "--json")
                #expect(result.status == 0, "\(result)")
                let document = try JSONValue(parsing: result.output)
                #expect(document.counts.succeeded == 12)
                expectOrder(document)
                let left = try FileManager.default.contentsOfDirectory(atPath: cluster.home.path)
                #expect(Set(left) == ["record.json", "graph.json"])
            }
        }

        @Test("A local run of a graph with a failed operation exits with 1 and names the operation")
        func localFailure() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write(
                    #"{ operations: [{ name: "bad", command: "exit 7" }, { command: "true", needs: ["bad"] }] }"#,
                    to: "graph.json"
                )
                let result = try await cluster.baton("run", "--local", "--file", "graph.json")
                #expect(result.status == 1)
                #expect(result.errors.contains("1/0 (bad): It exited with status 7."), "\(result)")
                #expect(result.errors.contains("1 failed, 1 skipped"), "\(result)")
            }
        }
    }
}
