@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule remove`.
struct ScheduleRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a schedule.",
        discussion: "What it has started goes on.",
        examples: [Example("baton schedule remove nightly")]
    )

    @OptionGroup var name: ScheduleName
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let request = Request.changeSchedule(name.schedule, .remove)
        let report = try await global.connect().change(request, timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "schedule", unchanged: "Nothing was changed: it was gone.") { _ in
            "Removed the schedule \"\(name.schedule.asShown)\"."
        }
    }
}
