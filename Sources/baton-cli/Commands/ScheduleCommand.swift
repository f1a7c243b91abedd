@_spi(Baton) import BatonArguments

/// The command `baton schedule`.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Shows and changes schedules, which start jobs at their times.",
        discussion: """
            The coordinator keeps schedules in its record, and starts each of their jobs once, also over restarts. A job of a \
            schedule has the key NAME@TIME, and the tag schedule=NAME, by which 'baton list --tag' finds it.
            """,
        examples: [
            Example(
                "baton schedule add nightly --cron '0 2 * * *' --file graph.json",
                "Start a graph each night at two, in UTC"
            ),
            Example("baton schedule show nightly", "Its next times, and what it started last"),
            Example("baton list --tag schedule=nightly", "Its jobs"),
        ],
        subcommands: [
            ScheduleAddCommand.self, ScheduleListCommand.self, ScheduleShowCommand.self, ScheduleRunCommand.self,
            SchedulePauseCommand.self, ScheduleResumeCommand.self, ScheduleRemoveCommand.self,
        ]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
