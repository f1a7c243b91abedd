import Foundation
import Testing

extension SemanticsTests {
    @Suite("Times of starts and ends")
    struct Times {
        @Test("SC4 A begin is a condition of readiness, as a delay is", arguments: ClusterShape.tested)
        func sc4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let far = try await cluster.submit("--begin", "2040-01-01T00:00+01:00", "--", "true")
                #expect(try await cluster.show("\(far)/0").state == "pending")
                let reason = try await cluster.json("explain", "\(far)/0").waitsFor.elements.first
                #expect(reason?.kind == "delay" && reason?.until.string.hasPrefix("2039-12-31T2") == true)

                // To the next but one whole second.
                let time = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.up) + 1)
                let begin = time.formatted(.iso8601)
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "later", command: "true", begin: "\(begin)" }, { name: "now", command: "true" },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/now") == 0)
                #expect(try await cluster.wait(job) == 0)
                let started = try await cluster.show("\(job)/later").startedAt.string
                #expect(started >= String(begin.dropLast()) + ".0", "\(started) is before \(begin)")

                for time in ["25:00", "2020-01-01", "2026-02-30T06:00", "soon"] {
                    let refused = try await cluster.baton("submit", "--begin", time, "--", "true")
                    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
                }
                #expect(try await cluster.baton("submit", "--begin=22:00", "--delay=1s", "--", "true").status == 64)
                let file = try cluster.write("{ operations: [{ kind: 'noop', begin: '2020-01-01' }] }", to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
                #expect(try await cluster.json("list").jobs.elements.count == 2)
                try await cluster.change("cancel", far, count: 1)
            }
        }

        @Test("SC5 What is not finished at its deadline fails, before its start too", arguments: ClusterShape.tested)
        func sc5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "long", command: "exec sleep 1000", deadline: "2s", retries: 5 },
                          { name: "held", command: "true", hold: true, deadline: "2s" },
                          { name: "next", command: "true", needs: ["held"] },
                          { name: "alert", command: "true", onFailure: ["long"] },
                          { name: "free", command: "true", deadline: "1h" },
                        ] }
                        """
                )
                let whole = try await cluster.submit(
                    graph: """
                        { deadline: "3s", operations: [
                          { name: "held", command: "true", hold: true }, { name: "alert", command: "true", onFailure: ["held"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/free") == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.wait(job, whole) == 1)
                let long = try await cluster.show("\(job)/long")
                #expect((long.outcome, long.reason, long.attempt, long.signal) == ("failed", "deadline", 1, 15))
                let held = try await cluster.show("\(job)/held")
                #expect((held.outcome, held.reason, held.attempt) == ("failed", "deadline", 0))
                #expect(try await cluster.show("\(job)/next").skippedBecauseOf.string == "\(job)/1")
                #expect(try await cluster.show("\(job)/alert").outcome == "succeeded")
                #expect(try await cluster.show("\(whole)/held").reason == "deadline")
                #expect(try await cluster.show("\(whole)/alert").outcome == "succeeded")
                #expect(try await cluster.show(whole).deadline == "3s")

                let plain = try cluster.write("{ operations: [{ command: 'true' }] }", to: "plain.json")
                let given = try await cluster.submit("--file", plain, "--deadline", "9000d", "--begin", "2040-01-01")
                #expect(try await cluster.show(given).deadline == "9000d")
                #expect(try await cluster.show("\(given)/0").state == "pending")
                try await cluster.change("cancel", given, count: 1)

                let late = try await cluster.baton("run", "--deadline", "500ms", "--", "sleep", "1000")
                #expect(late.status == 124 && late.errors.contains("by its deadline"), "\(late)")

                for value in ["0s", "2020-01-01", "25:00", "2"] {
                    let refused = try await cluster.baton("submit", "--deadline", value, "--", "true")
                    #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
                }
                let file = try cluster.write("{ deadline: '0s', operations: [{ kind: 'noop' }] }", to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
                #expect(try await cluster.json("list").jobs.elements.count == 4)
            }
        }
    }
}
