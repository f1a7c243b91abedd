@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// Routes whose answers are made of all pages of a job's history.
extension Route {
    /// Groups, timeline, graph and trace of a job, and the dependents of an operation.
    static var ofHistory: [Route] { aggregates + graphs + [trace, dependents] }

    private static var aggregates: [Route] {
        [
            Route(
                .get,
                "/api/v1/jobs/{job}/groups",
                """
                The operations of a job in groups, those with the most failures first and then the largest: at most 500, and in \
                "more" the number of operations in others. By name, an array is one group, and tile_17 falls under tile_*. By \
                worker, "pace" says how many times as long the operations took there as those of the same names elsewhere.
                """,
                query: [
                    QueryParameter(
                        "by",
                        .words(JobGroups.Criterion.allCases.map(\.rawValue)),
                        "What the operations of a group have in common; their name if not given."
                    )
                ],
                document: AnswerDocument(GroupsDocument.self).aging
            ) { context throws(WebRefusal) in
                try await context.answer(.groups(context.query.text("by").flatMap { .init(rawValue: $0) } ?? .name))
            },
            Route(
                .get,
                "/api/v1/jobs/{job}/timeline",
                """
                What happened in a job during a window of time: in buckets the mean number of executing operations and the number \
                that were finished, the used share of the workers' slots, and the attempts unless there are over 2,000.
                """,
                query: [
                    QueryParameter("from", .moment, "The beginning; the submission of the job if not given."),
                    QueryParameter("to", .moment, "The end; the end of the job or the present if not given."),
                    QueryParameter(
                        "buckets",
                        .integer(1...UInt64(JobTimeline.mostBuckets)),
                        "The most buckets; 120 if not given."
                    ),
                ],
                document: AnswerDocument(TimelineDocument.self).aging
            ) { context throws(WebRefusal) in
                let from = context.query.text("from").flatMap { Timestamp(iso8601: $0) }
                let to = context.query.text("to").flatMap { Timestamp(iso8601: $0) }
                if let from, let to, from >= to {
                    throw WebRefusal(400, "usage", "\"from\" in the query has to be before \"to\".")
                }
                let buckets = context.query.number("buckets").map { Int(clamping: $0) } ?? HistoryView.usualBuckets
                return try await context.answer(.timeline(from: from, to: to, buckets: buckets))
            },
        ]
    }

    private static var graphs: [Route] {
        [
            Route(
                .get,
                "/api/v1/jobs/{job}/graph",
                """
                The graph of a job with the place of each node, as "baton graph --json" prints it; over 2,000 operations, of groups.
                """,
                document: AnswerDocument(JobGraphDocument.self).aging
            ) { context throws(WebRefusal) in try await context.answer(.graph(.json)) },
            Route(
                .get,
                "/api/v1/jobs/{job}/graph.dot",
                "The graph of a job for graphviz.",
                answer: .dot
            ) { context throws(WebRefusal) in try await context.answer(.graph(.dot)) },
            Route(
                .get,
                "/api/v1/jobs/{job}/graph.svg",
                "The graph of a job as a picture.",
                answer: .svg
            ) { context throws(WebRefusal) in try await context.answer(.graph(.svg)) },
        ]
    }

    private static var dependents: Route {
        Route(
            .get,
            "/api/v1/operations/{job}/{operation}/dependents",
            """
            The operations of the same job that wait, or have waited, for an operation directly; "more" is the number of those \
            beyond the limit. An array is one of them, with the number of its elements as "size"; the state of an array of over \
            100,000 may be that of its first and last elements.
            """,
            query: [
                QueryParameter(
                    "limit",
                    .integer(1...UInt64(JobDependents.mostDependents)),
                    "The most operations and arrays; 100 if not given."
                )
            ],
            document: AnswerDocument(DependentsDocument.self).aging
        ) { context throws(WebRefusal) in
            guard case .operation(let id) = try await context.singleOperation() else { throw .unexpected }
            let limit = context.query.number("limit").map { Int(clamping: $0) } ?? 100
            return try await context.answer(.dependents(of: id.index, limit: limit))
        }
    }

    private static var trace: Route {
        Route(
            .get,
            "/api/v1/jobs/{job}/trace",
            """
            What happened in a job as a trace for Perfetto. Where the limit leaves attempts out, "shown" is less than "attempts".
            """,
            query: [
                QueryParameter(
                    "limit",
                    .integer(1...UInt64(TraceStream.mostAttempts)),
                    "The most attempts; 100,000 if not given."
                )
            ],
            document: TraceStream.description,
            answerHeaders: [.disposition]
        ) { context throws(WebRefusal) in
            let limit = context.query.number("limit").map { Int(clamping: $0) } ?? TraceStream.usualLimit
            return try await TraceStream.response(to: context, of: try context.job, limit: limit)
        }
    }
}

extension RouteContext {
    /// The answer with a view of the job in the path.
    fileprivate func answer(_ view: HistoryView) async throws(WebRefusal) -> HTTPResponse {
        let job = try job
        let key = HistoryCache.Key(job: job, view: view, role: caller.holder?.role)
        let document = try await history.cache.document(key) { () throws(WebRefusal) in
            try await finish(of: job)
        } make: { views throws(WebRefusal) in
            try await HistoryView.documents(of: job, views, self)
        }
        return document.response
    }
}
