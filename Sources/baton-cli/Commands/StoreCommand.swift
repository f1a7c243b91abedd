@_spi(Baton) import BatonArguments

/// The command `baton store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Moves the record between a file and a database.",
        discussion: """
            The record is what a coordinator keeps: jobs, operations, their ends and their output. It is a file on the coordinator's \
            host, or a schema in a database of PostgreSQL, which coordinators on several hosts can reach.
            """,
        examples: [
            Example(
                "baton store copy ~/.local/state/baton/baton.db postgres://baton@db1/baton",
                "From a file to a database"
            )
        ],
        subcommands: [StoreCopyCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
