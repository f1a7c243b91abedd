import Foundation
import Testing

extension EndToEndTests {
    @Suite("Spans of jobs", .timeLimit(.minutes(60)))
    struct SpanTests {
        private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

        /// The context of a span, as programs hand it on.
        private func context(_ span: JSONValue) -> String { "00-\(span.traceId.string)-\(span.spanId.string)-01" }

        @Test("Attempts are exported under the ids that they know, in the trace of the program that submitted the job")
        func ids() async throws {
            let away = "HTTP/1.1 503 Later\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
            let receiver = try SpanReceiver(answers: [away, ""])
            defer { receiver.end() }
            try await withCluster { cluster in
                let script = "echo $TRACEPARENT; test $BATON_ATTEMPT = 2"
                let words = [
                    "run", "--name", "twice", "--retries", "1", "--retry-delay", "1ms", "--", "sh", "-c", script,
                ]
                let run = try cluster.start(words, environment: ["TRACEPARENT": Self.parent])
                #expect(try await run.end() == 0, "\(run.errorText)")
                let known = run.outputText.split(separator: "\n").map(String.init)

                let export = try await cluster.baton("otlp", "--once", "--json", "--endpoint", receiver.url)
                #expect(export.status == 0, "\(export)")
                #expect(try JSONValue(parsing: export.output).spans == 3, "\(export)")
                #expect(
                    export.errors.contains("takes no spans") && export.errors.contains("takes spans again"),
                    "\(export)"
                )
                let spans = receiver.spans
                let attempts = spans.filter { $0.kind == 5 }
                let root = try #require(spans.first { $0.kind == 2 })
                #expect(spans.count == 3 && known.count == 2 && attempts.map(context) == known)
                #expect(attempts.map(\.status.code) == [2, nil] && attempts.allSatisfy { $0.name == "twice" })
                #expect(attempts.allSatisfy { $0.parentSpanId == root.spanId })
                #expect(root.parentSpanId == "00f067aa0ba902b7" && root.traceId == "4bf92f3577b34da6a3ce929d0e0e4736")

                let job = try await cluster.json("show", "1")
                #expect(job.tags.traceparent == .text(Self.parent) && job.traceContext == .text(context(root)))
                // Whoever submits the job again is its parent.
                #expect(try await !cluster.baton("export", "1").output.contains("raceparent"))
            }
        }

        @Test("What is new is exported until a signal, and goes on there after another start")
        func following() async throws {
            let receiver = try SpanReceiver()
            defer { receiver.end() }
            try await withCluster { cluster in
                let first = try cluster.start("otlp", "--json", "--since", "0", "--endpoint", receiver.url)
                let job = try await cluster.submit("--", "true")
                try await first.output(containing: "spans")
                first.signal(SIGTERM)
                #expect(try await first.end() == 128 + SIGTERM)
                let last = try #require(first.outputText.split(separator: "\n").last)
                let position = try JSONValue(parsing: String(last)).seq.int
                #expect(first.errorText.contains("--since \(position)"), "\(first.errorText)")

                #expect(try await cluster.wait(job) == 0)
                let next = try await cluster.submit("--", "false")
                #expect(try await cluster.wait(next) == 1)
                let export = try await cluster.baton(
                    "otlp",
                    "--once",
                    "--since",
                    "\(position)",
                    "--endpoint",
                    receiver.url
                )
                #expect(export.status == 0, "\(export)")
                #expect(Set(receiver.spans.map(context)).count == 4)
                let whole = try await cluster.baton("otlp", "--job", "last", "--endpoint", receiver.url)
                #expect(whole.status == 0 && whole.errors == "Exported 2 spans.\n", "\(whole)")
            }
        }

        @Test(
            "A receiver that has taken spans, and is not found or wants other credentials for a while, is asked again"
        )
        func restarting() async throws {
            let answers = ["404 Gone", "401 No", "302 Elsewhere"].map { "HTTP/1.1 \($0)\r\nContent-Length: 0\r\n\r\n" }
            let receiver = try SpanReceiver(answers: [SpanReceiver.taken] + answers)
            defer { receiver.end() }
            try await withCluster { cluster in
                #expect(try await cluster.wait(cluster.submit("--", "true")) == 0)
                let export = try cluster.start("otlp", "--json", "--since", "0", "--endpoint", receiver.url)
                try await export.output(containing: "spans")
                let next = try await cluster.submit("--", "true")
                _ = try await export.error(containing: "takes spans again")
                export.signal(SIGTERM)
                #expect(try await export.end() == 128 + SIGTERM)
                #expect(export.errorText.contains("nothing takes spans at that address (status 404). Trying again"))
                let ids = Set(receiver.spans.map(context))
                let whole = try await cluster.baton("otlp", "--once", "--job", "\(next)", "--endpoint", receiver.url)
                #expect(whole.status == 0 && ids.count >= 3 && Set(receiver.spans.map(context)).count == 4, "\(ids)")
            }
        }

        @Test("What cannot be used or reached is said in a sentence")
        func refusals() async throws {
            let unauthorized = "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n"
            let bad = "HTTP/1.1 400 Bad\r\nContent-Length: 8\r\n\r\nnonsense"
            let partial = #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#
            let rejecting = "HTTP/1.1 200 OK\r\nContent-Length: \(partial.utf8.count)\r\n\r\n\(partial)"
            let receiver = try SpanReceiver(answers: [unauthorized, bad, rejecting])
            defer { receiver.end() }
            try await withCluster { cluster in
                #expect(try await cluster.wait(cluster.submit("--", "true")) == 0)
                func export(_ arguments: String...) async throws -> TestCluster.CommandResult {
                    try await cluster.baton(["otlp", "--once", "--endpoint"] + arguments)
                }
                let wrong = try await export("tempo:4318")
                #expect(wrong.status == 64 && wrong.errors.contains("does not begin with http://"), "\(wrong)")
                let future = try await export(receiver.url, "--since", "99999")
                #expect(future.status == 65 && future.errors.contains("has not happened"), "\(future)")
                let refused = try await export(receiver.url)
                #expect(refused.status == 77 && refused.errors.contains("OTEL_EXPORTER_OTLP_HEADERS"), "\(refused)")
                let dropped = try await export(receiver.url)
                #expect(dropped.status == 65 && dropped.errors.contains("status 400: nonsense"), "\(dropped)")
                let cut = try await export(receiver.url)
                #expect(cut.status == 65 && cut.errors.contains("has rejected 1 span: too old"), "\(cut)")
            }
        }
    }
}
