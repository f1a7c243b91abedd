@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Route {
    /// All routes but the description of the interface.
    static var all: [Route] {
        ofProcess + ofMetrics + ofCluster + ofJobs + ofHistory + ofOperations + ofOutputs + ofFiles + ofQueuesAndWorkers
            + ofEvents + ofLive + ofSearch + ofPages(MadeOnce { PageAsset.all }) + acting
            + ofSchedules
    }

    /// The most questions for one page of a filtered list, each about some thousand jobs or 100,000 operations: a filter that little
    /// passes must not keep the coordinator busy for all there is.
    private static let mostRounds = 10

    /// Whether the coordinator lives and can do its work, for supervisors.
    private static var ofProcess: [Route] {
        [
            Route(.get, "/healthz", "Whether the process answers.", answer: .text, audience: .everybody) { _ in .living
            },
            Route(
                .get,
                "/readyz",
                "Whether the record can be written; 503 if not.",
                answer: .text,
                audience: .everybody
            ) { context throws(WebRefusal) in
                // A part of the process asks without a key. The coordinator refuses the question while the record is out of order.
                guard case .document? = await context.connection.ask(.document(.status)) else {
                    return .unready
                }
                return .text("ok\n")
            },
        ]
    }

    private static var ofCluster: [Route] {
        [
            Route(
                "/api/v1/status",
                """
                The cluster at one glance, as "baton status" shows it, with the newest event and the state of the record, which \
                this route tells while others refuse.
                """,
                aging: .status
            ) { context throws(WebRefusal) in try await context.status() },
            Route(
                "/api/v1/jobs",
                """
                A page of the jobs, newest first. A page of a filtered list may be empty although more follows: "next" then says \
                where.
                """,
                query: [
                    QueryParameter(
                        "before",
                        .integer(1...UInt64(UInt32.max)),
                        "Jobs with a lower number than this one."
                    ),
                    .limit, .state, .outcome, .name, .queue, .since,
                    QueryParameter(
                        "tag",
                        .text(Name.maximumLength * 2 + 1),
                        "Jobs with this tag, as key=value; may be given several times.",
                        isRepeatable: true
                    ),
                ],
                aging: AnswerDocument(JobListDocument.self)
            ) { context throws(WebRefusal) in
                let before = context.query.number("before").map { JobNumber(UInt32(clamping: $0)) }
                var page: [UInt8]
                var next = before
                var rounds = 0
                repeat {
                    rounds += 1
                    page = try await context.document(
                        .jobs(before: next, limit: context.query.limit, filter: try context.filter())
                    )
                    let list = try JobListDocument.read(page)
                    next = list.jobs.isEmpty ? list.next : nil
                } while next != nil && rounds < mostRounds
                return page
            },
        ]
    }

    private static var ofJobs: [Route] {
        [
            Route(
                "/api/v1/jobs/{job}",
                "A job without its operations, as \"baton show\" shows it.",
                aging: JobHeader.description
            ) {
                context throws(WebRefusal) in
                let job = try context.job
                guard case .document(let page) = try await context.ask(JobHeader.request(for: job)),
                    let header = JobHeader.document(of: page)
                else { throw .unexpected }
                return header
            },
            Route(
                "/api/v1/jobs/{job}/operations",
                """
                A page of the operations of a job, in the order of their indices. A page of a filtered list may be empty although \
                more follows: "next" then says where.
                """,
                query: [
                    QueryParameter(
                        "from",
                        .integer(0...UInt64(UInt32.max)),
                        "The index of the first operation; 0 if not given."
                    ),
                    .limit, .state, .outcome, .name, .queue, .since,
                    QueryParameter(
                        "worker",
                        .text(Name.maximumLength),
                        "Operations whose last attempt was on this worker."
                    ),
                ],
                aging: AnswerDocument(OperationPage.self)
            ) { context throws(WebRefusal) in
                let job = try context.job
                var next = Optional(UInt32(clamping: context.query.number("from") ?? 0))
                var operations: [OperationDocument] = []
                var rounds = 0
                while let from = next, operations.isEmpty, rounds < mostRounds {
                    rounds += 1
                    let bytes = try await context.document(
                        .job(job, from: from, limit: context.query.limit, filter: try context.filter())
                    )
                    let page = try JobDocument.read(bytes)
                    (operations, next) = (page.operations, page.next)
                }
                return OperationPage(operations: operations, next: next).json
            },
            Route(
                "/api/v1/jobs/{job}/failures",
                "The failures of a job in groups that are alike, most frequent first.",
                query: [QueryParameter("limit", .integer(1...100), "The most groups; 10 if not given.")],
                aging: AnswerDocument(FailuresDocument.self)
            ) { context throws(WebRefusal) in
                let limit = context.query.number("limit").map { UInt32(clamping: $0) } ?? 10
                return try await context.document(.failures(try context.job, limit: limit))
            },
            Route(
                "/api/v1/jobs/{job}/critical-path",
                "The chain of operations for which the end of a job waited.",
                aging: AnswerDocument(CriticalPathDocument.self)
            ) { context throws(WebRefusal) in try await context.document(.criticalPath(try context.job)) },
            Route(
                "/api/v1/jobs/{job}/waiting",
                """
                What holds the rest of a job up: the operations that are neither finished nor executing by what they wait for, most \
                first, in at most 50 groups; "more" is the number of operations in none.
                """,
                aging: AnswerDocument(WaitingDocument.self)
            ) { context throws(WebRefusal) in try await context.document(.waiting(try context.job)) },
        ]
    }

    private static var ofOperations: [Route] {
        [
            Route(
                "/api/v1/operations/{job}/{operation}",
                "An operation, as \"baton show\" shows it; of an array its place alone.",
                aging: AnswerDocument(anyOf: [
                    AnswerDocument(OperationDocument.self), AnswerDocument(ArrayDocument.self),
                ])
            ) {
                context throws(WebRefusal) in
                try await context.document(.operation(try context.operation))
            },
            Route(
                "/api/v1/operations/{job}/{operation}/explain",
                "Why an operation does not run, as \"baton explain\" tells it.",
                aging: AnswerDocument(ExplainDocument.self)
            ) { context throws(WebRefusal) in
                let operation = try await context.singleOperation()
                return try await context.document(.explain(operation))
            },
            Route(
                "/api/v1/operations/{job}/{operation}/attempts",
                "The attempts of an operation, first to last: the last 20 earlier ones, and the one that runs or has ended it.",
                aging: AnswerDocument(AttemptList.self)
            ) { context throws(WebRefusal) in
                _ = try context.operation
                var list = AttemptList(try await context.operationDocument())
                try await list.readLengths(with: context)
                return list.json
            },
            Route(
                .get,
                "/api/v1/operations/{job}/{operation}/result",
                "The bytes that an operation has left as its result.",
                answer: .bytes
            ) { context throws(WebRefusal) in
                let operation = try context.operation
                guard case .result(let bytes) = try await context.ask(.result(operation)) else { throw .unexpected }
                guard let bytes else { throw WebRefusal(404, "notFound", "\(operation.asShown) has left no result.") }
                return HTTPResponse(type: "application/octet-stream", bytes)
            },
        ]
    }

    private static var ofQueuesAndWorkers: [Route] {
        [
            Route("/api/v1/queues", "All queues.", aging: AnswerDocument(QueueListDocument.self)) {
                context throws(WebRefusal) in
                try await context.document(.queues)
            },
            Route(
                "/api/v1/queues/{queue}",
                "A queue with its unfinished operations, up to 10,000; \"more\" is the number of others.",
                aging: AnswerDocument(QueueDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.document(.queue(try context.name(.queue)))
            },
            Route(
                "/api/v1/limits",
                "All limits that several queues share, with the first operations that hold units and those that wait.",
                aging: AnswerDocument(LimitListDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.document(.limits)
            },
            Route("/api/v1/workers", "All workers.", aging: AnswerDocument(WorkersDocument.self)) {
                context throws(WebRefusal) in
                try await context.document(.workers)
            },
            Route(
                "/api/v1/workers/{worker}",
                "A worker with what it executes and what it ran last.",
                aging: AnswerDocument(WorkerDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.document(.worker(try context.name(.worker)))
            },
        ]
    }
}

extension QueryParameter {
    fileprivate static let state = QueryParameter(
        "state",
        .words(OperationState.allCases.map(\.description)),
        "What is in this state; may be given several times. The states are a union with the outcomes, if any are given.",
        isRepeatable: true
    )
    fileprivate static let outcome = QueryParameter(
        "outcome",
        .words(Outcome.allCases.map(\.description)),
        "What ended so; may be given several times. The outcomes are a union with the states, if any are given.",
        isRepeatable: true
    )
    fileprivate static let name = QueryParameter(
        "name",
        .text(Name.maximumLength),
        "Names that match a pattern, such as tile-*."
    )
    fileprivate static let queue = QueryParameter("queue", .text(Name.maximumLength), "What is in this queue.")
    fileprivate static let since = QueryParameter(
        "since",
        .moment,
        "Jobs submitted or finished, or operations started or finished, at this moment or later."
    )
}

extension RouteContext {
    /// The conditions in the query.
    fileprivate func filter() throws(WebRefusal) -> ListFilter {
        var tags: [String: String] = [:]
        for text in query.texts("tag") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw WebRefusal(400, "usage", "\"tag\" in the query has to be key=value.")
            }
            guard tags.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw WebRefusal(
                    400,
                    "usage",
                    "The tag \"\(String(parts[0]).asShown)\" is in the query twice, and a job has one value of it."
                )
            }
        }
        return ListFilter(
            states: query.texts("state").compactMap { text in OperationState.allCases.first { $0.description == text }
            },
            outcomes: query.texts("outcome").compactMap { text in Outcome.allCases.first { $0.description == text } },
            name: query.text("name").map { NameGlob(Name.normalized($0)) },
            queue: query.text("queue").map { Name.normalized($0) },
            worker: query.text("worker").map { Name.normalized($0) },
            since: query.text("since").flatMap { Timestamp(iso8601: $0) },
            tags: tags
        )
    }
}
