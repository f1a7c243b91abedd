/// The name, the help text and the subcommands of a command.
@_spi(Baton) public struct CommandConfiguration: Sendable {
    /// The name on the command line; nil derives the name from the type's name.
    public var commandName: String?

    /// One line about the purpose of the command.
    public var abstract: String

    /// Paragraphs below the abstract, separated by empty lines; help wraps the paragraphs.
    public var discussion: String

    /// Whether help, completion and manual show the command; a hidden command is for programs.
    public var shouldDisplay: Bool

    /// The output of `--version`; empty if the command has no `--version`.
    ///
    /// Only the version of the root command counts.
    public var version: String

    /// Example calls for the help page.
    public var examples: [Example]

    /// The subcommands without a group title.
    public var subcommands: [any ParsableCommand.Type]

    /// The subcommands with a group title, in this order.
    public var groupedSubcommands: [CommandGroup]

    /// Creates a configuration; all parts are optional.
    public init(
        commandName: String? = nil,
        abstract: String = "",
        discussion: String = "",
        shouldDisplay: Bool = true,
        version: String = "",
        examples: [Example] = [],
        subcommands: [any ParsableCommand.Type] = [],
        groupedSubcommands: [CommandGroup] = []
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.shouldDisplay = shouldDisplay
        self.version = version
        self.examples = examples
        self.subcommands = subcommands
        self.groupedSubcommands = groupedSubcommands
    }

    /// All subcommands, hidden ones included; subcommands without a title come first.
    var allSubcommands: [any ParsableCommand.Type] {
        subcommands + groupedSubcommands.flatMap(\.subcommands)
    }

    /// The subcommands that help, completion and manual show.
    var shownSubcommands: [any ParsableCommand.Type] { allSubcommands.filter { $0.configuration.shouldDisplay } }
}
