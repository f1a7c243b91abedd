@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton depend`.
struct DependCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "depend",
        abstract: "Adds dependencies to an operation that has not started.",
        discussion: """
            All dependencies are added, or none: if one would create a dependency cycle, the command is refused. After the \
            command has ended, the operation does not start before its dependencies allow it, even if it had been sent to a \
            worker.
            """,
        examples: [
            Example("baton depend 12/sepia --after 13", "Start after job 13 has finished"),
            Example("baton depend 12/4 --needs 11/fetch --on-failure 11/check"),
        ]
    )

    @Option(
        help: ArgumentHelp("Start after this job or operation has finished, with any outcome.", valueName: "address")
    )
    var after: [Address] = []

    @Option(
        help: ArgumentHelp(
            "Start after this job or operation has succeeded; otherwise skip the operation.",
            valueName: "address"
        )
    )
    var needs: [Address] = []

    @Option(
        help: ArgumentHelp(
            "Start after this or another --on-failure dependency has failed; otherwise skip the operation.",
            valueName: "address"
        )
    )
    var onFailure: [Address] = []

    @Argument(help: "Operation to change (12/3, 12/sepia or last/sepia).")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if dependencies.isEmpty {
            throw ValidationError("Give at least one dependency: --after, --needs or --on-failure.")
        }
    }

    func run() async throws {
        let connection = try global.connect()
        let operation = try await AddressResolver(on: connection).address(of: operation)
        let report = try await connection.change(
            .depend(operation, dependencies),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(report, unchanged: "\(operation) had these dependencies already.") { _ in
            "Changed the dependencies of \(operation)."
        }
    }

    private var dependencies: [ExistingDependency] {
        after.map { ExistingDependency(on: $0, condition: .any) }
            + needs.map { ExistingDependency(on: $0, condition: .success) }
            + onFailure.map { ExistingDependency(on: $0, condition: .failure) }
    }
}
