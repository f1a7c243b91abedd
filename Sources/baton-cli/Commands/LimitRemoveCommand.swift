@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton limit remove`.
struct LimitRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a limit that no unfinished job takes units of.",
        examples: [Example("baton limit remove licence")]
    )

    @Argument(help: "Name of the limit.", transform: { (text: String) in try LimitArgument.name(text) })
    var name: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await global.connect().change(
            .setLimit(LimitChange(name, units: nil)),
            timeout: GlobalOptions.answerTimeout
        )
        try ChangeOutput(global).show(report) { _ in "Removed the limit \(name)." }
    }
}
