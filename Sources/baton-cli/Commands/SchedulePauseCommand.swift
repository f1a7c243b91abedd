@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule pause`.
struct SchedulePauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses a schedule: it starts nothing until it is resumed.",
        discussion: "What waits for the end of a job is dropped; what was started goes on.",
        examples: [Example("baton schedule pause nightly")]
    )

    @OptionGroup var name: ScheduleName
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let request = Request.changeSchedule(name.schedule, .pause)
        let report = try await global.connect().change(request, timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "schedule", unchanged: "Nothing was changed: it had been paused.") {
            _ in
            "Paused the schedule \"\(name.schedule.asShown)\"."
        }
    }
}
