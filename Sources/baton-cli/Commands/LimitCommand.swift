@_spi(Baton) import BatonArguments

/// The command `baton limit`.
struct LimitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Shows and changes limits that several queues share.",
        discussion: """
            A limit has a number of units, such as the licences of a program. An operation with --take licence=1 takes a unit when \
            it starts, wherever it runs and whatever its queue, and gives it back when its attempt has ended. Whoever waits for \
            units starts in the order of priority and age, and holds none meanwhile.
            """,
        examples: [
            Example("baton limit set licence 3", "At most three operations that take a licence execute at once"),
            Example("baton submit --take licence=1 -- ./simulate", "An operation that takes one"),
            Example("baton limit list", "Who holds units, and who waits"),
        ],
        subcommands: [LimitListCommand.self, LimitSetCommand.self, LimitRemoveCommand.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
