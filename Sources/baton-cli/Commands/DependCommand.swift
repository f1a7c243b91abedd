import BatonArguments
import BatonClient
import BatonOperations
import BatonWire

/// The command `baton depend`.
struct DependCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "depend",
        abstract: "Makes an operation that has not started depend on others.",
        discussion: """
            It takes all of the dependencies or none: one that would create a dependency cycle is refused. Once the command has ended, \
            the operation does not start before they allow it, also where a worker had been sent it.
            """,
        examples: [
            Example("baton depend 12/sepia --after 13", "Start it once job 13 is finished"),
            Example("baton depend 12/4 --needs 11/fetch --on-failure 11/check"),
        ]
    )

    @Option(help: ArgumentHelp("Start once this is finished, whatever its outcome.", valueName: "address"))
    var after: [Address] = []

    @Option(help: ArgumentHelp("Start once this has succeeded; skip it otherwise.", valueName: "address"))
    var needs: [Address] = []

    @Option(help: ArgumentHelp("Start once this or another such one has failed; else skip it.", valueName: "address"))
    var onFailure: [Address] = []

    @Argument(help: "The operation (12/3 or 12/sepia).")
    var operation: Address

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if dependencies.isEmpty {
            throw ValidationError("Say what it is to depend on: --after, --needs or --on-failure.")
        }
    }

    func run() async throws {
        let report = try await global.connect().change(
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
