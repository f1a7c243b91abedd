import Testing

extension SemanticsTests {
    @Suite("Dependencies and readiness")
    struct Dependencies {
        @Test("DE7 A cancelled or failed dependency still lets a plain dependent run", arguments: ClusterShape.all)
        func de7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "bad", command: "exit 3" },
                          { name: "ended", command: "\(gate.wait)" },
                          { name: "afterBad", command: "true", after: ["bad"] },
                          { name: "afterEnded", command: "true", after: ["ended"] },
                        ] }
                        """
                )
                try await gate.arrival()
                try await #require(cluster.baton("cancel", "\(job)/ended").status == 0)
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.outcomes(of: job) == ["failed", "cancelled", "succeeded", "succeeded"])
            }
        }
    }
}
