@_spi(Baton) import BatonArguments

/// The command `baton supply`.
struct SupplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supply",
        abstract: "Has a batch system run workers while there is work for them.",
        discussion: """
            A supply submits a job with a worker in it whenever operations are ready that such a worker could run, and that find no \
            free slot. The worker leaves when it has had nothing to do for a while.
            """,
        examples: [
            Example("baton supply slurm --slots 8 --time-limit 1h -- -p main", "Workers with 8 slots in a partition")
        ],
        subcommands: [SupplySlurmCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
