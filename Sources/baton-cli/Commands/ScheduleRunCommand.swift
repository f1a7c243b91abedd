@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule run`.
struct ScheduleRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Submits now what a schedule submits, and prints the number of the new job.",
        discussion: """
            The job is submitted whatever goes on, also while the schedule is paused. The times of the schedule take no notice of \
            it.
            """,
        examples: [
            Example("baton schedule run nightly"),
            Example("baton wait $(baton schedule run nightly)", "Wait for its end"),
        ]
    )

    @OptionGroup var name: ScheduleName
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let job = try await global.connect().startSchedule(name.schedule, timeout: GlobalOptions.answerTimeout)
        try Output.submitted(
            SubmitDocument(job: job.number, operations: job.operations),
            as: job.number.description,
            asJSON: global.json
        )
    }
}
