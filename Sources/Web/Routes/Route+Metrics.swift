@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonWire

extension Route {
    /// What a monitoring system asks for, and what the cluster did lately.
    static var ofMetrics: [Route] {
        [
            Route(.get, "/metrics", "Metrics in the text format 0.0.4 of Prometheus.", answer: .text) {
                context throws(WebRefusal) in
                let figures = try MetricsDocument.read(try await context.document(.metrics))
                var writer = MetricsWriter()
                ClusterMetrics(figures: figures).write(to: &writer)
                context.metrics.write(to: &writer)
                ProcessMetrics().write(to: &writer, startedAt: figures.startedAt)
                return HTTPResponse(type: "text/plain; version=0.0.4; charset=utf-8", writer.bytes)
            },
            Route(
                "/api/v1/throughput",
                """
                What the cluster did in the last seconds, in parts of a second, or of a minute for more than 15 minutes. A part \
                has the starts of attempts, the operations that succeeded and failed, and those that were executing and ready at \
                its end.
                """,
                query: [
                    QueryParameter("seconds", .integer(1...86_400), "How many seconds, up to a day; 900 if not given.")
                ],
                aging: AnswerDocument(ThroughputDocument.self)
            ) { context throws(WebRefusal) in
                try await context.document(
                    .throughput(seconds: UInt32(clamping: context.query.number("seconds") ?? 900))
                )
            },
        ]
    }
}
