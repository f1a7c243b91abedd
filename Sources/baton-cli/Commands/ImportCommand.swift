@_spi(Baton) import BatonArguments

/// The command `baton import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Converts graphs of other formats to graph files.",
        examples: [Example("baton import wfcommons montage.json > graph.json")],
        subcommands: [ImportWfCommonsCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
