import BatonArguments
import BatonClient
import BatonOperations
import BatonWire

/// The command `baton cancel`.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels jobs, operations, or all that is in a queue now.",
        discussion: """
            What is not executing finishes at once, without running; once the command has ended, nothing of it starts. What is executing gets SIGTERM, and SIGKILL after its \
            grace period. Cancelling what is finished has no effect.
            """,
        examples: [
            Example("baton cancel 12", "Cancel what is left of a job"),
            Example("baton cancel 12/sepia 12/4"),
            Example("baton cancel --queue images", "Cancel all that is in a queue"),
        ]
    )

    @Option(
        help: ArgumentHelp("Cancel what is in this queue now.", valueName: "queue"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Argument(help: "Jobs (12) and operations (12/3 or 12/sepia).")
    var addresses: [Address] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if addresses.isEmpty, queue == nil { throw ValidationError("Say what to cancel: an address, or --queue.") }
    }

    func run() async throws {
        let report = try await global.connect().change(
            .cancel(addresses, queue: queue),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(cancellation: report)
    }
}
