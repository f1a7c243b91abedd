import Foundation
import Testing

extension EndToEndTests {
    /// Fetches of files in traces and spans.
    @Suite("Fetches in traces", .timeLimit(.minutes(60)))
    struct FetchTraceTests {
        private func number(_ key: String, of span: JSONValue) -> String? {
            span.attributes.elements.first { $0.key.string == key }?.value.intValue.string
        }

        @Test("A trace and the spans of a job have the fetch of an attempt's files, and what attempts left")
        func fetches() async throws {
            let receiver = try SpanReceiver()
            defer { receiver.end() }
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let large = FileScript.make("x", bytes: 3_000_001, seed: 1)
                let job = try await cluster.submit(
                    graph: """
                        {operations: [
                          {name: "make", command: "\(large); echo y > y", outputs: ["x", "y"], workspace: "fresh",
                           labels: ["host in (w1)"]},
                          {name: "here", command: "true", needs: ["make"], labels: ["host in (w1)"]},
                          {name: "there", command: "true", needs: ["make"], labels: ["host in (w2)"]}]}
                        """
                )
                #expect(try await cluster.finish(job) == 0)
                for isRestarted in [false, true] {
                    if isRestarted { try await cluster.restartCoordinator(with: SIGKILL) }
                    let trace = try JSONValue(parsing: try await cluster.baton("trace", job).output)
                    let events = trace.traceEvents.elements.filter { $0.name.string == "fetch files" }
                    #expect(events.map(\.ph.string) == ["b", "e"], "\(events)")
                    let begin = try #require(events.first)
                    let end = try #require(events.last)
                    #expect(begin.args.operation.string == "\(job)/2" && begin.args.attempt.int == 1)
                    #expect(begin.args.files.int == 2 && begin.args.bytes.int == 3_000_003)
                    let slice = trace.traceEvents.elements.first { $0.ph.string == "X" && $0.name.string == "there" }
                    let attempt = try #require(slice)
                    #expect(begin.ts.int < end.ts.int && begin.ts.int < attempt.ts.int)
                    #expect(begin.pid.int == attempt.pid.int)
                }

                let export = try await cluster.baton("otlp", "--once", "--job", job, "--endpoint", receiver.url)
                #expect(export.status == 0, "\(export)")
                let spans = receiver.spans
                #expect(spans.count == 5, "\(spans)")
                let fetch = try #require(spans.first { $0.name.string == "fetch files" })
                let reader = try #require(spans.first { $0.name.string == "there" })
                let maker = try #require(spans.first { $0.name.string == "make" })
                #expect(fetch.parentSpanId.string == reader.spanId.string && fetch.kind.int == 1)
                #expect(number("baton.files.count", of: fetch) == "2")
                #expect(number("baton.files.bytes", of: fetch) == "3000003")
                #expect(number("baton.files.count", of: maker) == "2")
                #expect(number("baton.files.bytes", of: maker) == "3000003")
                #expect(number("baton.files.count", of: reader) == nil)
            }
        }
    }
}
