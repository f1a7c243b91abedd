import BatonArguments
import BatonClient
import BatonOperations
import BatonWire

/// The command `baton hold`.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Keeps operations from starting until they are released.",
        discussion: """
            What waits for a worker is taken back first: once the command has ended, nothing of it starts. An executing or \
            finished operation is not affected. A held operation counts as in its queue and takes no slot.
            """,
        examples: [
            Example("baton hold 12/sepia 12/4", "Hold two operations"),
            Example("baton hold 12", "Hold all that has not started in a job"),
        ]
    )

    @Argument(help: "Jobs (12) and operations (12/3, or 12/sepia, also an array).")
    var addresses: [Address]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await global.connect().change(.hold(addresses), timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report) { "Held \($0)." }
    }
}
