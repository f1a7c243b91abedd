@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The routes that change something; their answers are the documents of the command line.
extension Route {
    static var acting: [Route] { submitting + ofJob + ofSeveral + ofOne + ofQueue + ofWorker }

    private static var submitting: [Route] {
        [
            Route(
                .post,
                "/api/v1/jobs",
                """
                Submits a graph file. The header Idempotency-Key makes a repeated request safe: it answers with the job of the \
                first one.
                """,
                query: [.rejectUnplaceable, .reuse],
                headers: [.idempotencyKey],
                body: .graph,
                document: AnswerDocument(SubmitDocument.self),
                answerHeaders: [.location],
                success: "201"
            ) { context throws(WebRefusal) in
                let key = try context.idempotencyKey
                return try await context.graphs.withSubmission(from: context.request.body) {
                    (submission) async throws(WebRefusal) in
                    var submission = submission
                    if let key {
                        guard submission.key == nil || submission.key == key else {
                            throw WebRefusal(400, "usage", "The graph has another key than the header Idempotency-Key.")
                        }
                        submission.key = key
                    }
                    if let reuse = context.query.number("reuse") {
                        submission.settings.reuse = JobNumber(UInt32(clamping: reuse))
                    }
                    let isChecked = submission.templates.contains(where: \.maySuitNobody)
                    return try await context.makeJob(isChecked: isChecked) { [submission] isRejected in
                        var question = submission
                        question.rejectsUnplaceable = isRejected
                        return .submit(question)
                    }
                }
            }
        ]
    }

    private static var ofJob: [Route] {
        [
            Route(
                .post,
                "/api/v1/jobs/{job}/cancel",
                "Cancels what is unfinished of a job.",
                document: AnswerDocument(CancelDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.cancel([.job(try context.job)], queue: nil)
            },
            Route(
                .post,
                "/api/v1/jobs/{job}/retry",
                """
                Submits failed operations of a finished job again, as a new job: all of them, those in "operations" (addresses), or \
                those of the "group" of failures of that number; with "cancelled" also cancelled ones, with "dependents": false \
                without their dependents. What is of a job that has been retried already is refused without "again".
                """,
                query: [.rejectUnplaceable],
                headers: [.idempotencyKey],
                body: .members([
                    BodyMember("operations", .addresses, "The addresses of operations of the job."),
                    BodyMember(
                        "group",
                        .integer(1...Int(UInt32.max)),
                        "The number of a group of the job's failures, in place of operations."
                    ), .cancelled, .dependents, .again,
                ]),
                document: AnswerDocument(SubmitDocument.self),
                answerHeaders: [.location],
                success: "201"
            ) { context throws(WebRefusal) in
                let job = try context.job
                let body = try context.body()
                let group = body.number("group")
                guard group == nil || !body.has("operations") else {
                    throw WebRefusal(400, "usage", "The body has \"operations\" and a \"group\". Give one of them.")
                }
                return try await context.retry(
                    job,
                    operations: try context.addresses(in: body, of: job),
                    groups: group.map { [UInt32($0)] } ?? [],
                    body
                )
            },
        ]
    }

    /// Routes about the operations in the body.
    private static var ofSeveral: [Route] {
        [
            Route(
                .post,
                "/api/v1/operations/cancel",
                "Cancels the operations whose addresses are in \"operations\".",
                body: .members([.operations]),
                document: AnswerDocument(CancelDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.cancel(try context.addresses(in: context.body()), queue: nil)
            },
            Route(
                .post,
                "/api/v1/operations/hold",
                "Holds the operations whose addresses are in \"operations\".",
                body: .members([.operations]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.change(.hold(try context.addresses(in: context.body())))
            },
            Route(
                .post,
                "/api/v1/operations/release",
                "Releases the operations whose addresses are in \"operations\".",
                body: .members([.operations]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.change(.release(try context.addresses(in: context.body())))
            },
            Route(
                .post,
                "/api/v1/operations/pause",
                "Pauses the operations whose addresses are in \"operations\", as far as they execute.",
                body: .members([.operations]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.change(.pause(try context.addresses(in: context.body())))
            },
            Route(
                .post,
                "/api/v1/operations/resume",
                "Continues the operations whose addresses are in \"operations\", as far as they are paused.",
                body: .members([.operations]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                try await context.change(.resume(try context.addresses(in: context.body())))
            },
            Route(
                .post,
                "/api/v1/operations/signal",
                "Sends \"signal\" to the processes of the operations whose addresses are in \"operations\", as far as they execute.",
                body: .members([.operations, .signal]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                let body = try context.body()
                return try await context.change(.signal(try context.addresses(in: body), try context.signal(in: body)))
            },
            Route(
                .post,
                "/api/v1/operations/retry",
                """
                Submits the operations whose addresses are in "operations", all of one finished job, again as a new job; with \
                "cancelled" also cancelled ones, with "dependents": false without their dependents. A job that has been retried \
                already is refused without "again".
                """,
                query: [.rejectUnplaceable],
                headers: [.idempotencyKey],
                body: .members([.operations, .cancelled, .dependents, .again]),
                document: AnswerDocument(SubmitDocument.self),
                answerHeaders: [.location],
                success: "201"
            ) { context throws(WebRefusal) in
                let body = try context.body()
                let addresses = try context.addresses(in: body)
                let job = addresses[0].job
                if let other = addresses.first(where: { $0.job != job }) {
                    throw WebRefusal(
                        400,
                        "usage",
                        "\(addresses[0].asShown) and \(other.asShown) are of different jobs, and a retry makes one new job of one "
                            + "job. Send a request for each job."
                    )
                }
                // A job among its operations stands for all of them.
                let operations = addresses.contains(.job(job)) ? [] : addresses
                return try await context.retry(job, operations: operations, groups: [], body)
            },
        ]
    }

    private static var ofOne: [Route] {
        [
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/cancel",
                "Cancels an operation.",
                document: AnswerDocument(CancelDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.cancel([try context.operation], queue: nil)
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/hold",
                "Holds an operation.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.hold([try context.operation]))
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/release",
                "Releases an operation.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.release([try context.operation]))
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/pause",
                "Pauses an executing operation.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.pause([try context.operation]))
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/resume",
                "Continues a paused operation.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.resume([try context.operation]))
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/signal",
                "Sends \"signal\" to the processes of an executing operation.",
                body: .members([.signal]),
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                let signal = try context.signal(in: context.body())
                return try await context.change(.signal([try context.operation], signal))
            },
            Route(
                .post,
                "/api/v1/operations/{job}/{operation}/priority",
                "Puts an operation at the tail of the \"priority\": -8, -4, 0, 4 or 8, or a number rounded to one of these.",
                body: .members([
                    BodyMember("priority", .integer(-1_000...1_000), "The priority.", isRequired: true)
                ]),
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                let number = try context.body().number("priority") ?? 0
                return try await context.change(.setPriority([try context.operation], Priority(clamping: number)))
            },
        ]
    }

    private static var ofQueue: [Route] {
        [
            Route(
                .post,
                "/api/v1/queues/{queue}/suspend",
                "Suspends a queue, which then starts nothing.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(
                    .setQueue(QueueChange(name: try context.name(.queue), isSuspended: true))
                )
            },
            Route(
                .post,
                "/api/v1/queues/{queue}/resume",
                "Resumes a suspended queue.",
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(
                    .setQueue(QueueChange(name: try context.name(.queue), isSuspended: false))
                )
            },
            Route(
                .post,
                "/api/v1/queues/{queue}/cancel",
                "Cancels what is unfinished in a queue.",
                document: AnswerDocument(CancelDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.cancel([], queue: try context.name(.queue))
            },
            Route(
                .patch,
                "/api/v1/queues/{queue}",
                "Changes the settings of a queue: \"maxConcurrent\" and \"rate\" (null for no limit), and \"qos\".",
                body: .members(
                    [
                        BodyMember(
                            "maxConcurrent",
                            .integerOrNull(0...Int(Int32.max)),
                            "The most operations that execute at once; null for no limit."
                        ),
                        BodyMember(
                            "qos",
                            .words(QualityOfService.allCases.map(\.description)),
                            "The class of operations without one of their own."
                        ),
                        BodyMember(
                            "rate",
                            .rateOrNull,
                            "How many operations may start in a time, such as 10/s; null for no limit."
                        ),
                    ],
                    least: 1
                ),
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                let body = try context.body()
                var change = QueueChange(name: try context.name(.queue))
                if body.has("maxConcurrent") {
                    change.maxConcurrent = body.number("maxConcurrent").map { .atMost($0) } ?? .unlimited
                }
                change.qualityOfService = body.text("qos").flatMap { text in
                    QualityOfService.allCases.first { $0.description == text }
                }
                if body.has("rate") {
                    let rate = body.text("rate").flatMap { StartRate($0) }
                    change.startRate = rate.map { .atMost($0) } ?? .unlimited
                }
                return try await context.change(.setQueue(change))
            },
        ]
    }

    private static var ofWorker: [Route] {
        [
            Route(
                .post,
                "/api/v1/workers/{worker}/drain",
                "Gives a worker nothing new.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.drain([try context.name(.worker)]))
            },
            Route(
                .post,
                "/api/v1/workers/{worker}/undrain",
                "Lets a drained worker take operations again.",
                document: AnswerDocument(ChangeDocument.self)
            ) {
                context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.undrain([try context.name(.worker)]))
            },
            Route(
                .post,
                "/api/v1/workers/{worker}/stop",
                "Asks a worker to leave; with \"now\": true it ends what it executes.",
                body: .members([
                    BodyMember("now", .truth, "Whether the worker ends what it executes; no if not given.")
                ]),
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                let isImmediate = try context.body().truth("now") ?? false
                return try await context.change(.stop([try context.name(.worker)], isImmediate: isImmediate))
            },
        ]
    }
}

extension QueryParameter {
    fileprivate static let rejectUnplaceable = QueryParameter(
        "rejectUnplaceable",
        .words(["true", "false"]),
        "Whether a job is refused, with 422, of which no worker present can ever take an operation; false if not given."
    )
    fileprivate static let reuse = QueryParameter(
        "reuse",
        .integer(1...UInt64(UInt32.max)),
        "A finished job whose results the operations take that are the same there, so that only the others run."
    )
}
