/// A position in the command tree: the commands from the root down to one command.
struct CommandPath {
    let types: [any ParsableCommand.Type]
    let type: any ParsableCommand.Type

    init(root: any ParsableCommand.Type) {
        types = [root]
        type = root
    }

    private init(parent: CommandPath, type: any ParsableCommand.Type) {
        types = parent.types + [type]
        self.type = type
    }

    var configuration: CommandConfiguration { type.configuration }
    var isRoot: Bool { types.count == 1 }

    /// The names from the root on, as typed by the user.
    var names: [String] { types.map { $0.commandName } }
    var spelling: String { names.joined(separator: " ") }

    /// The commands below that are shown.
    var children: [CommandPath] {
        configuration.shownSubcommands.map { CommandPath(parent: self, type: $0) }
    }

    func child(named name: String) -> CommandPath? {
        configuration.allSubcommands.first { $0.commandName == name }.map { CommandPath(parent: self, type: $0) }
    }

    /// The declared arguments of the command, then `--version` for a root with a version, then `--help`.
    var definitions: [ArgumentDefinition] {
        ArgumentDefinition.all(of: type.init()) + builtIns
    }

    /// The built-in flags of every command, without effect: the parser implements the flags.
    var builtIns: [ArgumentDefinition] {
        var definitions: [ArgumentDefinition] = []
        if hasVersion {
            definitions.append(
                ArgumentDefinition(kind: .flag([.long("version")]), abstract: "Show the version.", accept: { _ in })
            )
        }
        definitions.append(
            ArgumentDefinition(
                kind: .flag([.short("h"), .long("help")]),
                abstract: "Show help information.",
                accept: { _ in }
            )
        )
        return definitions
    }

    var hasVersion: Bool { isRoot && !configuration.version.isEmpty }

    /// This command and all commands below, parents first.
    var subtree: [CommandPath] { [self] + children.flatMap(\.subtree) }
}
