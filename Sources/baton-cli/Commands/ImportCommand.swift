import BatonArguments

/// The command `baton import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Turns graphs of other formats into graph files.",
        examples: [Example("baton import wfcommons montage.json > graph.json")],
        subcommands: [ImportWfCommonsCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
