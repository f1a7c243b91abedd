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
    }
}
