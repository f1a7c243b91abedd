import Foundation
import Testing

extension SemanticsTests {
    @Suite("Elements of arrays as prerequisites")
    struct Elements {
        @Test(
            "EL1 A dependency names one element of an array, all of them, or the one at the same position",
            arguments: ClusterShape.tested
        )
        func el1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "sim", array: "1-4", command: "[ {} != 3 ] && echo {} > $BATON_RESULT" },
                          { name: "post", array: "11-14", needs: ["sim/="], command: "cat $BATON_INPUTS/*" },
                          { name: "second", needs: ["sim/2"], command: "true" },
                          { name: "third", needs: ["sim/3"], command: "true" },
                          { name: "all", needs: ["sim/*"], command: "true" },
                          { name: "end", after: ["post/*"], command: "true" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                let outcomes = try await cluster.show(job).operations.elements.map { $0.outcome.string }
                let sim = ["succeeded", "succeeded", "failed", "succeeded"]
                let post = ["succeeded", "succeeded", "skipped", "succeeded"]
                #expect(outcomes == sim + post + ["succeeded", "skipped", "skipped", "succeeded"])
                #expect(try await cluster.baton("log", "\(job)/5").output == "2\n")
                let other = try await cluster.submit(script: "true", "--array=1-4", "--needs=\(job)/sim/=")
                #expect(try await cluster.wait(other) == 1)
                #expect(try await cluster.show(other).operations.elements.map { $0.outcome.string } == post)
                let next = try await cluster.submit(script: "true", "--array=1-4", "--after=\(other)/=")
                #expect(try await cluster.wait(next) == 0)
                let impossible = [
                    ["--array=1-3", "--needs=\(job)/sim/="], ["--needs=\(other)/="],
                    ["--array=1-4", "--needs=\(job)/="],
                ]
                for options in impossible {
                    let refused = try await cluster.baton(["submit"] + options + ["--", "true"])
                    #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
                }
                let several = try await cluster.baton("submit", "--array=1-4", "--needs=\(job)/=", "--", "true")
                #expect(several.errors.contains("Name one of its arrays, as in \(job)/sim/=,"), "\(several)")
            }
        }

        @Test(
            "EL2 The skip of an element has its own root, and a retry runs the elements that it is about",
            arguments: ClusterShape.tested
        )
        func el2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "sim", array: "0-3", command: "test $BATON_INDEX != 1" },
                          { name: "post", array: "0-3", needs: ["sim/="], command: "true" },
                          { name: "last", array: "0-3", needs: ["post/="], command: "true" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 1)
                for index in [5, 9] {
                    #expect(try await cluster.show("\(job)/\(index)").skippedBecauseOf.string == "\(job)/1")
                }
                let retried = try await cluster.baton("retry", job)
                #expect(retried.status == 0, "\(retried)")
                let again = retried.line
                #expect(try await cluster.wait(again) == 1)
                let outcomes = try await cluster.show(again).operations.elements.map { $0.outcome.string }
                #expect(outcomes == ["failed", "skipped", "skipped"])
            }
        }

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
                let outcomes = try await cluster.show(job).operations.elements.map { $0.outcome.string }
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
