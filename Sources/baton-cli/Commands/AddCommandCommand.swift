@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton add-command`.
struct AddCommandCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-command",
        abstract: "Adds a command to an operation that has not started.",
        discussion: """
            The commands of an operation run concurrently on one worker. The operation finishes when all commands have ended, \
            and fails if any command fails. In an array, only the addressed element gets the command. An operation that is \
            executing, finished, between two attempts or without commands is refused.
            """,
        examples: [
            Example("baton add-command 12/sepia -- convert b.png b.jpg", "Run this beside the existing command"),
            Example("baton add-command 12/4 -- sh -c 'du -sh . > size'", "Add a line of shell to an array's element"),
        ]
    )

    @Argument(help: "Operation (12/3, 12/sepia or last/sepia).")
    var operation: AddressPattern

    @Argument(parsing: .postTerminator, help: "Program and its arguments, after '--'.")
    var command: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if command.isEmpty { throw ValidationError("Give the command to add after '--'.") }
    }

    func run() async throws {
        let report: ChangeReport
        let connection = try global.connect()
        let operation = try await AddressResolver(on: connection).address(of: operation)
        do throws(ClientError) {
            report = try await connection.change(
                .addCommand(operation, command),
                timeout: GlobalOptions.answerTimeout
            )
        } catch {
            guard error.code == .submissionUnanswered, let endpoint = error.endpoint else { throw error }
            throw CommandFailure(
                ExitStatus.unreachable,
                code: "unanswered",
                "The coordinator at \(endpoint) became unreachable before it answered: the command may or may not have "
                    + "been added.",
                advice: "Look with \"baton show \(operation.asShown)\" before you add it again."
            )
        }
        try ChangeOutput(global).show(report) { _ in "Added a command to \(operation)." }
    }
}
