@_spi(Baton) import BatonArguments

/// The command `baton queue`.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Shows and changes queues.",
        examples: [
            Example("baton queue set images --max-concurrent 4", "Run at most four of its operations at once"),
            Example("baton queue suspend images", "Start no operation of the queue until it is resumed"),
        ],
        subcommands: [
            QueueListCommand.self, QueueShowCommand.self, QueueSetCommand.self, QueueSuspendCommand.self,
            QueueResumeCommand.self, QueueCancelCommand.self, QueueDeleteCommand.self,
        ]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
