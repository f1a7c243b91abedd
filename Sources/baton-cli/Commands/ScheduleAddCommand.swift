@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule add`.
struct ScheduleAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a schedule, which submits a command, an array or a graph at its times.",
        discussion: """
            The times are five fields, as in crontab(5): minute, hour, day of the month, month and day of the week. A field is *, a \
            number, a name (mon, jan), a range (1-5), a step (*/15, 8-18/2), or a list of these. If neither day field has a *, a \
            day that fits one of them is enough. @hourly, @daily, @weekly, @monthly and @yearly stand for fields.

            The times are by the clocks of the time zone. A time that clocks leave out starts a job when they do, and one that they \
            show twice starts one job. What starts in every hour goes by the time that passes.

            What is submitted is read and checked once, here: a later change of the file or of this environment changes nothing. \
            Adding the same schedule again has no effect, and another one of the name is refused.
            """,
        examples: [
            Example(
                "baton schedule add nightly --cron '0 2 * * *' --file graph.json",
                "A graph, each night at two, in UTC"
            ),
            Example(
                "baton schedule add report --cron '30 7 * * mon-fri' --time-zone Europe/Berlin -- ./report",
                "On working days"
            ),
            Example("baton schedule add poll --cron '*/5 * * * *' --catch-up none -- ./poll", "Every five minutes"),
        ]
    )

    @Option(
        help: ArgumentHelp("Times, as in crontab(5).", valueName: "times"),
        transform: { (text: String) in try CronArgument.read(text) }
    )
    var cron: CronExpression

    @Option(
        help: ArgumentHelp(
            "Time zone by whose clocks the times are, from the time zone database of the coordinator's host.",
            valueName: "zone"
        )
    )
    var timeZone = ScheduleSettings.defaultTimeZone

    @Option(
        help: ArgumentHelp(
            "What happens at a time while the last job goes on: skip starts nothing, queue waits for its end, replace cancels it.",
            valueName: "rule"
        )
    )
    var overlap = ScheduleOverlap.skip

    @Option(
        help: ArgumentHelp(
            "Which of the times that were missed starts a job, such as those without a coordinator: the last one, or none.",
            valueName: "rule"
        )
    )
    var catchUp = ScheduleCatchUp.last

    @Argument(
        help: ArgumentHelp("Name of the schedule.", valueName: "name"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var schedule: String

    @OptionGroup var operation: OperationOptions
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        try operation.requireWork()
        if operation.key != nil {
            throw ValidationError(
                "--key has no meaning here: the jobs of a schedule get keys from its name and their times."
            )
        }
        if operation.begin != nil {
            throw ValidationError(
                "--begin has no meaning here: a schedule has times of its own. Give --delay a duration."
            )
        }
        if operation.reuse != nil {
            throw ValidationError(
                "--reuse is for submit and run: a later job of the schedule would find the results gone."
            )
        }
        if !operation.send.isEmpty {
            throw ValidationError(
                "--send is for submit and run: a later job of the schedule would find the files gone. Keep them where the workers can "
                    + "read them."
            )
        }
        if let deadline = operation.settings["deadline"]?.last, Duration(text: deadline) == nil {
            throw ValidationError("--deadline has to be a duration here, which counts from each time of the schedule.")
        }
    }

    func run() async throws {
        let settings = ScheduleSettings(
            name: schedule,
            cron: cron,
            timeZone: timeZone,
            overlap: overlap,
            catchUp: catchUp
        )
        // A time of day or a date would be that of the first job alone.
        let submission = try operation.submission(at: nil)
        do throws(Refusal) {
            try settings.validated()
            try submission.checkAsScheduled()
        } catch {
            throw CommandFailure(error)
        }
        let request = Request.addSchedule(settings, submission)
        let report = try await global.connect().change(request, timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "schedule") { _ in "Added the schedule \"\(schedule.asShown)\"." }
    }
}
