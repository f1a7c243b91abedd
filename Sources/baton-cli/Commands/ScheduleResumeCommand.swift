@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule resume`.
struct ScheduleResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes a paused schedule: it goes on with the next of its times.",
        discussion: "The times of the pause do not count.",
        examples: [Example("baton schedule resume nightly")]
    )

    @OptionGroup var name: ScheduleName
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let request = Request.changeSchedule(name.schedule, .resume)
        let report = try await global.connect().change(request, timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "schedule", unchanged: "Nothing was changed: it had not been paused.")
        { _ in
            "Resumed the schedule \"\(name.schedule.asShown)\"."
        }
    }
}
