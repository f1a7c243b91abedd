import Arguments

/// The command `baton queue`.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Shows and changes queues.",
        examples: [
            Example("baton queue set images --max-concurrent 4", "Let at most four of its operations run at once")
        ],
        subcommands: [QueueListCommand.self, QueueShowCommand.self, QueueSetCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
