@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton cancel`.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels jobs, operations, or all operations now in a queue.",
        discussion: """
            An operation that is not executing finishes at once without running: after the command has ended, it does not start. \
            An executing operation gets SIGTERM, and SIGKILL after its grace period. A finished operation is not affected.
            """,
        examples: [
            Example("baton cancel 12", "Cancel the unfinished operations of a job"),
            Example("baton cancel 12/sepia 12/4"),
            Example("baton cancel --queue images", "Cancel all operations of a queue"),
        ]
    )

    @Option(
        help: ArgumentHelp("Cancel all operations now in this queue.", valueName: "queue"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Argument(help: "Jobs (12) and operations (12/3 or 12/sepia).")
    var addresses: [Address] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if addresses.isEmpty, queue == nil {
            throw ValidationError("Give the target of the cancellation: an address, or --queue.")
        }
    }

    func run() async throws {
        let report = try await global.connect().change(
            .cancel(addresses, queue: queue),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(cancellation: report)
    }
}
