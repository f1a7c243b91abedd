import Foundation
import Testing

extension SemanticsTests {
    @Suite("Elements of arrays as prerequisites")
    struct Elements {
        @Test(
            "EL3 With all, an operation runs only if every one of its onFailure prerequisites failed",
            arguments: ClusterShape.tested
        )
        func el3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "bad", command: "exit 3" },
                          { name: "worse", command: "exit 4" },
                          { name: "good", command: "true" },
                          { name: "both", command: "true", onFailure: ["bad", "worse"], all: true },
                          { name: "one", command: "true", onFailure: ["bad", "good"], all: true },
                          { name: "any", command: "true", onFailure: ["bad", "good"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                let outcomes = try await cluster.show(job).operations.elements.map(\.outcome)
                #expect(outcomes == ["failed", "failed", "succeeded", "succeeded", "skipped", "succeeded"])
                #expect(try await cluster.show("\(job)/one").reason == "notNeeded")
                let given = try await cluster.submit(
                    script: "true",
                    "--on-failure=\(job)/bad",
                    "--on-failure=\(job)/good",
                    "--all"
                )
                #expect(try await cluster.wait(given) == 0)
                #expect(try await cluster.show("\(given)/0").outcome == "skipped")
                let refused = try await cluster.baton("submit", "--all", "--", "true")
                #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
            }
        }
    }
}
