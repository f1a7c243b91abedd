import Foundation
import Testing

extension EndToEndTests {
    @Suite("Checks of graph files", .timeLimit(.minutes(60)))
    struct CheckTests {
        @Test("The command check prints what would run, in which order, without a coordinator")
        func plan() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write(
                    """
                    { name: "thumbnails", queue: "images", queues: { images: { maxConcurrent: 4 } }, operations: [
                      { name: "tidy", command: ["rm", "a.png"], after: ["sepia", "12/*"] },
                      { name: "fetch", command: "curl -o a.png https://example.org/a.png", hold: true },
                      { name: "sepia", command: ["convert", "a b.png"], needs: ["fetch"] },
                      { name: "many", command: ["step", "{}"], array: "1-3", after: ["fetch"], queue: "other" },
                      { name: "alert", command: ["mail", "me"], onFailure: ["sepia"] },
                    ] }
                    """,
                    to: "graph.json5"
                )
                let result = try await cluster.baton("check", "graph.json5")
                #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
                #expect(
                    result.output == """
                        file:         graph.json5
                        name:         thumbnails
                        operations:   7 in 3 steps
                        queues:       images (4 operations, at most 4 at once), other (3 operations)
                        other jobs:   waits for 12/*
                        held:         1 operation
                        widest step:  2, of 4 operations
                        longest path: 3: fetch -> sepia -> tidy

                        STEP  INDEX  NAME   QUEUE   COMMAND                                  NOTE
                           1  1      fetch  images  curl -o a.png https://example.org/a.png  held
                           2  2      sepia  images  convert 'a b.png'
                           2  3-5    many   other   step {}
                           3  0      tidy   images  rm a.png
                           3  6      alert  images  mail me                                  only if sepia fails

                        """,
                    "\(result)"
                )
                let document = try await cluster.json("check", "graph.json5")
                #expect(document.operations == 7 && document.steps == 3)
                #expect(document.widestStep.step == 2 && document.widestStep.operations == 4)
                #expect(document.longestPath.elements == ["fetch", "sepia", "tidy"])
                #expect(document.otherJobs.elements == ["12/*"])
                #expect(document.plan.elements.map(\.name) == ["fetch", "sepia", "many", "tidy", "alert"])
                #expect(document.plan.elements.map(\.step.int) == [1, 2, 2, 3, 3])
                #expect(document.plan.elements[2].count == 3 && document.plan.elements[2].index == 3)
                #expect(document.queues.elements.map(\.maxConcurrent.int) == [4, -1])
                #expect(document.plan.elements[3].dependencies.elements.map(\.condition) == ["any", "any"])
            }
        }

        @Test("The command check says whether one failure is enough for an operation, or all have to fail")
        func failuresOfAll() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write(
                    """
                    { name: "a", kind: "noop" }
                    { name: "b", kind: "noop" }
                    { name: "any", kind: "noop", onFailure: ["a", "b"] }
                    { name: "all", kind: "noop", onFailure: ["a", "b"], all: true }
                    { name: "only", kind: "noop", onFailure: "a", all: true }
                    """,
                    to: "graph.jsonl"
                )
                let result = try await cluster.baton("check", "graph.jsonl")
                #expect(result.status == 0, "\(result)")
                for note in ["only if a or b fails", "only if a and b fail", "only if a fails"] {
                    #expect(result.output.contains("  \(note)\n"), "\(result)")
                }
            }
        }

        @Test("The command check refuses with 65 what submit refuses, with the line and the column")
        func refused() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write("{ operations: [\n  { command: [\"x\"], aftr: [] },\n] }", to: "graph.json5")
                let result = try await cluster.baton("check", "graph.json5")
                #expect(result.status == 65 && result.output.isEmpty, "\(result)")
                let sentence = "graph.json5:2:21: unknown key \"aftr\"; did you mean \"after\"?"
                #expect(result.errors.contains(sentence), "\(result)")
                let circle = """
                    { name: "a", kind: "noop", after: "c" }
                    { name: "b", kind: "noop", after: "a" }
                    { name: "c", kind: "noop", after: "b" }
                    """
                let cycle = try await cluster.baton("check", "-", "--json", input: circle)
                #expect(cycle.status == 65, "\(cycle)")
                let error = try JSONValue(parsing: cycle.errors).error
                #expect(error.code == "cycle" && error.path.elements.count == 4, "\(cycle)")
                #expect(error.message.string.contains("standard input:"), "\(cycle)")
                #expect(try await cluster.baton("check", "none.json").status == 66)
            }
        }

        @Test("A long file has a short table and a whole plan as JSON")
        func long() async throws {
            try await withCluster(workers: nil) { cluster in
                let lines = (0..<20_000).map { index in
                    #"{name:"n\#(index)",kind:"noop"\#(index % 10 == 0 ? "" : #",needs:"n\#(index - 1)""#)}"#
                }
                try cluster.write(lines.joined(separator: "\n"), to: "graph.jsonl")
                let result = try await cluster.baton("check", "graph.jsonl", "--limit", "3")
                #expect(result.output.contains("operations:   20000 in 10 steps\n"), "\(result)")
                let path = "longest path: 10: n0 -> n1 -> n2 -> ... -> n7 -> n8 -> n9\n"
                #expect(result.output.contains(path), "\(result)")
                #expect(result.output.hasSuffix("   1  20     n20   default  -\n"), "\(result)")
                #expect(result.errors == "There are 19997 more lines; print more with --limit.\n", "\(result)")
                let plan = try await cluster.json("check", "graph.jsonl").plan.elements
                #expect(plan.count == 20_000)
                #expect(plan.enumerated().allSatisfy { $1.step.int == $0 / 2000 + 1 })
            }
        }
    }
}
