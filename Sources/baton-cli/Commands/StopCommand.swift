@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton stop`.
struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops workers.",
        discussion: """
            The worker starts nothing new, waits for its executing operations up to its --drain-timeout, ends the rest, and exits \
            with 0, as after SIGTERM. Operations that it ends run again on other workers as the next attempt, and no loss is \
            counted; with --restart never they fail. The command returns once the worker was asked; 'baton drain --wait' waits \
            for what runs. 'baton start' does not start a stopped worker again.
            """,
        examples: [
            Example("baton stop w1"),
            Example("baton stop w1 w2 --now", "End what runs there, with its grace period"),
        ]
    )

    @Flag(
        help: """
            End executing operations now, with their grace periods; a repeated --now kills what does not end.
            """
    )
    var now = false

    @OptionGroup var names: WorkerNames
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let workers = try await names.resolved(by: connection)
        let report = try await connection.change(
            .stop(workers, isImmediate: now),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(report, of: "worker") { "Asked \($0) to stop." }
    }
}
