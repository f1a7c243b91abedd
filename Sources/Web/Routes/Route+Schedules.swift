@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The routes of schedules.
extension Route {
    static var ofSchedules: [Route] { readingSchedules + [addingSchedule, runningSchedule] + changingSchedules }

    private static var readingSchedules: [Route] {
        [
            Route("/api/v1/schedules", "All schedules.", aging: AnswerDocument(ScheduleListDocument.self)) {
                context throws(WebRefusal) in
                try await context.document(.schedules)
            },
            Route(
                "/api/v1/schedules/{schedule}",
                "A schedule with its next five times.",
                aging: AnswerDocument(ScheduleDocument.self)
            ) { context throws(WebRefusal) in
                try await context.document(.schedule(try context.name(.schedule)))
            },
        ]
    }

    private static var addingSchedule: Route {
        Route(
            .post,
            "/api/v1/schedules/{schedule}",
            """
            Adds a schedule, which submits a graph file at its times. The same schedule again has no effect, and another one of the \
            name is refused.
            """,
            query: [.cron, .timeZone, .overlap, .catchUp],
            body: .graph,
            document: AnswerDocument(ChangeDocument.self)
        ) { context throws(WebRefusal) in
            let settings = try context.scheduleSettings
            return try await context.graphs.withSubmission(from: context.request.body, isScheduled: true) {
                (submission) async throws(WebRefusal) in
                try await context.change(.addSchedule(settings, submission))
            }
        }
    }

    private static var runningSchedule: Route {
        Route(
            .post,
            "/api/v1/schedules/{schedule}/run",
            """
            Submits now what a schedule submits. The header Idempotency-Key makes a repeated request safe: it answers with the job \
            of the first one.
            """,
            headers: [.idempotencyKey],
            document: AnswerDocument(SubmitDocument.self),
            answerHeaders: [.location],
            success: "201"
        ) { context throws(WebRefusal) in
            _ = try context.body()
            let name = try context.name(.schedule)
            let key = try context.idempotencyKey ?? Submission.makeOwnKey()
            return try await context.makeJob(isChecked: false) { _ in .startSchedule(name, key: key) }
        }
    }

    private static var changingSchedules: [Route] {
        [
            Route(
                .post,
                "/api/v1/schedules/{schedule}/pause",
                "Pauses a schedule: it starts nothing until it is resumed.",
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.changeSchedule(try context.name(.schedule), .pause))
            },
            Route(
                .post,
                "/api/v1/schedules/{schedule}/resume",
                "Resumes a paused schedule: it goes on with the next of its times.",
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.changeSchedule(try context.name(.schedule), .resume))
            },
            Route(
                .post,
                "/api/v1/schedules/{schedule}/remove",
                "Removes a schedule; what it has started goes on.",
                document: AnswerDocument(ChangeDocument.self)
            ) { context throws(WebRefusal) in
                _ = try context.body()
                return try await context.change(.changeSchedule(try context.name(.schedule), .remove))
            },
        ]
    }
}

extension RouteContext {
    /// The settings of a new schedule in the path and the query.
    fileprivate var scheduleSettings: ScheduleSettings {
        get throws(WebRefusal) {
            guard let times = query.text("cron") else {
                throw WebRefusal(400, "usage", "The query needs \"cron\", such as cron=0%202%20*%20*%20*.")
            }
            let cron: CronExpression
            do throws(Refusal) {
                cron = try CronExpression(times)
            } catch {
                throw WebRefusal(400, "usage", error.message)
            }
            do throws(Refusal) {
                // A name that no schedule can have is refused with the broken rule, instead of "There is no schedule".
                let settings = ScheduleSettings(
                    name: Name.normalized(values[.schedule] ?? ""),
                    cron: cron,
                    timeZone: query.text("timeZone") ?? ScheduleSettings.defaultTimeZone,
                    overlap: query.text("overlap").flatMap { ScheduleOverlap($0) } ?? .skip,
                    catchUp: query.text("catchUp").flatMap { ScheduleCatchUp($0) } ?? .last
                )
                try settings.validated()
                return settings
            } catch {
                throw WebRefusal(error)
            }
        }
    }
}

extension QueryParameter {
    fileprivate static let cron = QueryParameter(
        "cron",
        .text(CronExpression.maximumLength),
        "The times, as in crontab(5); a schedule needs them."
    )
    fileprivate static let timeZone = QueryParameter(
        "timeZone",
        .text(ScheduleSettings.maximumTimeZoneLength),
        "The time zone by whose clocks the times are, such as Europe/Berlin; UTC if not given."
    )
    fileprivate static let overlap = QueryParameter(
        "overlap",
        .words(ScheduleOverlap.allCases.map(\.description)),
        "What happens at a time while the last job goes on; skip if not given."
    )
    fileprivate static let catchUp = QueryParameter(
        "catchUp",
        .words(ScheduleCatchUp.allCases.map(\.description)),
        "Which of missed times starts a job; last if not given."
    )
}
