import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension EndToEndTests {
    @Suite("Graphs of jobs", .timeLimit(.minutes(60)))
    struct GraphDrawingTests {
        @Test("The graph of a job has states, layers and conditions, in three formats")
        func formats() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate("middle")
                let graph = """
                    { name: "study", operations: [
                      { name: 'a"><b>\\\\"&', command: "exit 3" },
                      { name: "parts", array: "1-2", after: ['a"><b>\\\\"&'], command: "\(gate.wait)" },
                      { name: "join", command: "true", needs: ["parts"] },
                      { name: "alarm", command: "true", onFailure: ['a"><b>\\\\"&'] },
                      { name: "never", command: "true", needs: ['a"><b>\\\\"&'] },
                    ] }
                    """
                try cluster.write(graph, to: "graph.json")
                let job = try await cluster.submit("--file", cluster.home.appending(path: "graph.json").path)
                try await gate.arrival()
                let document = try await cluster.json("graph", job)
                #expect(document.level == "operations" && document.name == "study" && document.moreDependencies == 0)
                let nodes = document.nodes.elements
                #expect(nodes.map(\.id.string) == (0..<6).map { "\(job)/\($0)" })
                #expect(nodes.first?.name == #"a"><b>\"&"# && nodes[1].name == "parts.1")
                #expect(nodes.map(\.outcome) == ["failed", nil, nil, nil, nodes[4].outcome, "skipped"])
                #expect(nodes[1].state == "executing" && nodes[2].state == "ready" && nodes[3].state == "pending")
                #expect(nodes.map(\.layer) == [0, 1, 1, 2, 1, 1] && nodes.map(\.size) == [1, 1, 1, 1, 1, 1])
                #expect(Set(nodes.map { [$0.x.int, $0.y.int] }).count == 6)
                let edges = document.edges.elements.map {
                    "\($0.from.string)>\($0.to.string) \($0.condition.string) \($0.count.int)"
                }
                let expected = ["0>1 any", "0>2 any", "0>4 failure", "0>5 success", "1>3 success", "2>3 success"]
                #expect(
                    edges
                        == expected.map { edge in
                            let words = edge.split { $0 == ">" || $0 == " " }
                            return "\(job)/\(words[0])>\(job)/\(words[1]) \(words[2]) 1"
                        }
                )

                let dot = try await cluster.baton("graph", job)
                #expect(dot.status == 0 && dot.output.hasPrefix("digraph \"job \(job)\" {"), "\(dot)")
                #expect(dot.output.contains(#"label="a\"><b>\\\"&amp;\nfailed"#), "\(dot)")
                let file = cluster.home.appending(path: "graph.svg").path
                try cluster.write("old", to: "graph.svg")
                let written = try await cluster.baton("graph", "study", "--format", "svg", "--output", file)
                #expect(written.status == 0 && written.output.isEmpty && written.errors.isEmpty, "\(written)")
                let svg = cluster.read("graph.svg")
                #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(svg)")
                #expect(svg.contains("executing") && !svg.contains("><b>"))
                let names = try FileManager.default.contentsOfDirectory(atPath: cluster.home.path)
                #expect(!names.contains { $0.hasPrefix("graph.svg.") })
                try await gate.open()
                try await gate.open()
            }
        }

        @Test("The graph of a large array is one of groups, with counts by state")
        func groups() async throws {
            try await withCluster(workers: 0) { cluster in
                let graph = """
                    { operations: [
                      { name: "tile_1", command: "true" }, { name: "tile_2", command: "true" },
                      { name: "sweep", array: "1-3000", needs: ["tile_1", "tile_2"], command: "true" },
                      { name: "join", command: "true", after: ["sweep"] },
                    ] }
                    """
                try cluster.write(graph, to: "graph.json")
                let job = try await cluster.submit("--file", cluster.home.appending(path: "graph.json").path)
                let document = try await cluster.json("graph", job)
                #expect(document.level == "groups")
                let nodes = document.nodes.elements
                #expect(nodes.map(\.name) == ["tile_*", "sweep", "join"] && nodes.map(\.size) == [2, 3000, 1])
                #expect(nodes.map(\.state) == ["ready", "pending", "pending"] && nodes[1].counts.pending == 3000)
                #expect(document.edges.elements.map(\.count) == [6000, 1])
                let svg = try await cluster.baton("graph", job, "--format", "svg")
                #expect(svg.output.contains("in 3 groups"), "\(svg)")
            }
        }

        @Test("Contradictory and unknown formats are refused, and a missing job is named")
        func refusals() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--", "true")
                #expect(try await cluster.baton("graph", job, "--json", "--format", "svg").status == 64)
                #expect(try await cluster.baton("graph", job, "--format", "png").status == 64)
                #expect(try await cluster.baton("graph", "77").status == 66)
                #expect(try await cluster.baton("graph", job, "--json", "--format", "json").status == 0)
            }
        }
    }
}
