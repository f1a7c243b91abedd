/// A command: its arguments as properties, what it is called, and what it does.
public protocol ParsableCommand: ParsableArguments {
    /// The command's name, help and subcommands.
    static var configuration: CommandConfiguration { get }

    /// Does the work of the command; called by whoever asked for the parsing, never by the parser.
    ///
    /// A command with subcommands is never run itself: named alone, it is answered with its help.
    func run() async throws
}

extension ParsableCommand {
    /// Does nothing: for commands that have subcommands, which are never run themselves.
    public func run() async throws {}

    /// The name by which the command is called: the configured one, or the type's in lower case with hyphens.
    public static var commandName: String {
        configuration.commandName ?? hyphenated(String(describing: Self.self))
    }

    /// Parses the arguments of a process, without its own name, as a call of this command.
    ///
    /// Nothing is printed, read or run: the outcome says what to do.
    /// - Complexity: linear in the number of arguments times the number of declared options.
    public static func outcome(of arguments: [String]) -> ParseOutcome {
        CommandParser.parse(arguments, root: Self.self)
    }

    /// The help of this command as the root of its tree, or of the subcommand that is found by following the names.
    ///
    /// It is nil where one of the names is not a subcommand.
    public static func help(of subcommands: [String] = []) -> HelpPage? {
        var path = CommandPath(root: Self.self)
        for name in subcommands {
            guard let next = path.child(named: name) else { return nil }
            path = next
        }
        return HelpPage(of: path)
    }

    /// The script that teaches a shell to complete this command, its subcommands, options and values.
    public static func completionScript(for shell: CompletionShell) -> String {
        let root = CommandPath(root: Self.self)
        switch shell {
        case .bash: return BashCompletion(of: root).script
        case .zsh: return ZshCompletion(of: root).script
        case .fish: return FishCompletion(of: root).script
        }
    }
}
