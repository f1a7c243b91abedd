import Foundation
import Testing

extension EndToEndTests {
    @Suite("Limits of arrays", .timeLimit(.minutes(60)))
    struct ArrayLimitTests {
        @Test("At most %N elements of an array execute at once, shown by explain and show, across a restart")
        func limit() async throws {
            try await withCluster(workers: 2, slots: 2) { cluster in
                let gates = try (1...4).map { try cluster.gate("\($0)") }
                let job = try await cluster.submit(
                    script: cluster.waitAtGate("{}"),
                    "--array",
                    "1-4%2",
                    "--name",
                    "sweep"
                )
                for gate in gates[..<2] { try await gate.arrival() }
                // A later operation passes the array: a slot is free.
                let other = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(other) == 0)
                #expect(try await cluster.show(job).counts.executing == 2)
                let waiting = try await cluster.json("explain", "\(job)/2").waitsFor.elements
                let reason = try #require(waiting.first)
                #expect(reason.kind == "limit" && reason.limit == 2 && reason.executing == 2, "\(waiting)")
                #expect(reason.operation == .text("\(job)/sweep"))
                let text = try await cluster.baton("explain", "\(job)/2").output
                #expect(text.contains("The array \(job)/sweep executes 2 of at most 2 at once"), "\(text)")
                let shown = try await cluster.baton("show", "\(job)/3")
                #expect(shown.output.contains("max concurrent: 2\n"), "\(shown)")
                try await cluster.restartCoordinator(with: SIGKILL)
                try await gates[0].open()
                try await gates[2].arrival()
                #expect(try await cluster.show(job).counts.executing == 2)
                #expect(try await cluster.show("\(job)/3").state == "ready")
                for gate in gates[1...] { try await gate.open() }
                #expect(try await cluster.wait(job) == 0)
            }
        }

        @Test("A limit stands in graph files and in exported ones, and is refused where it makes no sense")
        func files() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [ { kind: "noop", array: "1-9:2,20%3" },
                          { kind: "noop", each: "a,b", maxConcurrent: 1 } ] }
                        """
                )
                let settings = try await cluster.show(job).operations.elements.map(\.settings.maxConcurrent.int)
                #expect(settings == [3, 3, 3, 3, 3, 3, 1, 1])
                let file = try await cluster.baton("export", job, "--json")
                let operations = try JSONValue(parsing: file.output).operations.elements
                #expect(operations.map(\.maxConcurrent.int) == [3, 1], "\(file)")
                for arguments in [
                    ["--array", "1-9%", "--", "true"], ["--array", "1-9%0", "--", "true"],
                    ["--array", "1-9%x", "--", "true"], ["--max-concurrent", "2", "--", "true"],
                ] {
                    let result = try await cluster.baton(["submit"] + arguments)
                    #expect(result.status == 64, "\(result)")
                }
                try cluster.write("{ operations: [ { kind: 'noop', maxConcurrent: 2 } ] }", to: "single.json")
                let single = try await cluster.baton("submit", "--file", "single.json")
                #expect(single.status == 65, "\(single)")
                #expect(single.errors.contains("its maxConcurrent of 2 is for arrays"), "\(single)")
            }
        }
    }
}
