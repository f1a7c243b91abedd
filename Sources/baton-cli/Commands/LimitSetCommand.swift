@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton limit set`.
struct LimitSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the units of a limit; creates the limit if it does not exist.",
        discussion: """
            More units take effect at once. Fewer units do not stop executing operations: others start once enough units are free. \
            With 0, no operation starts that takes any.
            """,
        examples: [
            Example("baton limit set licence 3"),
            Example("baton limit set licence 0", "Start no operation that takes one"),
        ]
    )

    @Argument(help: "Name of the limit.", transform: { (text: String) in try LimitArgument.name(text) })
    var name: String

    @Argument(
        help: "Units that operations may take together, in the whole cluster.",
        transform: { (text: String) in try LimitArgument.units(text) }
    )
    var units: UInt32

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await global.connect().change(
            .setLimit(LimitChange(name, units: units)),
            timeout: GlobalOptions.answerTimeout
        )
        let unchanged = "Nothing was changed: the limit \(name) already had \(units) units."
        try ChangeOutput(global).show(report, unchanged: unchanged) { _ in "Set the limit \(name) to \(units)." }
    }
}
