@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton undepend`.
struct UndependCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undepend",
        abstract: "Removes dependencies of an operation that has not started.",
        discussion: "An operation can start after its last unfinished dependency has been removed.",
        examples: [
            Example("baton undepend 12/sepia 13", "Remove the dependency on job 13"),
            Example("baton undepend 12/4 11/fetch 11/check"),
        ]
    )

    @Argument(help: "Operation to change (12/3, 12/sepia or last/sepia).")
    var operation: AddressPattern

    @Argument(help: "Dependencies to remove: jobs (12) and operations (12/3 or 12/sepia).")
    var dependencies: [Address]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let operation = try await AddressResolver(on: connection).address(of: operation)
        let report = try await connection.change(
            .undepend(operation, dependencies),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(report) { _ in "Changed the dependencies of \(operation)." }
    }
}
