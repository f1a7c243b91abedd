/// What a command is called, what its help says, and which commands it contains.
public struct CommandConfiguration: Sendable {
    /// The name on the command line; nil derives it from the type's name.
    public var commandName: String?

    /// One line that says what the command does.
    public var abstract: String

    /// Paragraphs below the abstract, separated by empty lines; they are wrapped.
    public var discussion: String

    /// What `--version` prints, or nothing where there is no such option.
    ///
    /// Only the root's counts.
    public var version: String

    /// Calls to learn from.
    public var examples: [Example]

    /// The commands that are listed under no title.
    public var subcommands: [any ParsableCommand.Type]

    /// The commands that are listed under titles, in this order.
    public var groupedSubcommands: [CommandGroup]

    /// Describes a command; all parts are optional.
    public init(
        commandName: String? = nil,
        abstract: String = "",
        discussion: String = "",
        version: String = "",
        examples: [Example] = [],
        subcommands: [any ParsableCommand.Type] = [],
        groupedSubcommands: [CommandGroup] = []
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.version = version
        self.examples = examples
        self.subcommands = subcommands
        self.groupedSubcommands = groupedSubcommands
    }

    /// All subcommands, those without a title first.
    var allSubcommands: [any ParsableCommand.Type] {
        subcommands + groupedSubcommands.flatMap(\.subcommands)
    }
}
