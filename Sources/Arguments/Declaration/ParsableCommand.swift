/// A command: a name, arguments as properties, and an action.
@_spi(Baton) public protocol ParsableCommand: ParsableArguments {
    /// The command's name, help and subcommands.
    static var configuration: CommandConfiguration { get }

    /// Performs the action of the command; the caller of the parser calls this method, never the parser.
    ///
    /// A command with subcommands never runs: a call without a subcommand shows the help.
    func run() async throws
}

@_spi(Baton) extension ParsableCommand {
    /// Does nothing: a default for commands with subcommands, because such commands never run.
    public func run() async throws {}

    /// The name of the command: the configured name, or the type's name in lower case with hyphens.
    public static var commandName: String {
        configuration.commandName ?? hyphenated(String(describing: Self.self))
    }

    /// Parses the arguments of a process, without the program name, as a call of this command.
    ///
    /// The parser prints, reads and runs nothing; the outcome contains the action for the caller.
    /// - Complexity: linear in the number of arguments times the number of declared options.
    public static func outcome(of arguments: [String]) -> ParseOutcome {
        CommandParser.parse(arguments, root: Self.self)
    }

    /// The help of this command as the root, or of the subcommand at the end of a path of names.
    ///
    /// The result is nil if a name in the path is not a subcommand.
    public static func help(of subcommands: [String] = []) -> HelpPage? {
        var path = CommandPath(root: Self.self)
        for name in subcommands {
            guard let next = path.child(named: name) else { return nil }
            path = next
        }
        return HelpPage(of: path)
    }

    /// The completion script of a shell for this command, its subcommands, options and values.
    ///
    /// - Parameter question: how the script asks for words of the kind ``CompletionKind/asked(_:)``; without it, these are not
    ///   completed.
    public static func completionScript(
        for shell: CompletionShell,
        asking question: CompletionQuestion? = nil
    ) -> String {
        let root = CommandPath(root: Self.self)
        switch shell {
        case .bash: return BashCompletion(of: root, asking: question).script
        case .zsh: return ZshCompletion(of: root, asking: question).script
        case .fish: return FishCompletion(of: root, asking: question).script
        }
    }

    /// The manual pages of this command and of all commands below, this command's first.
    ///
    /// - Parameters:
    ///   - date: the date in the pages, such as `2026-11-24`.
    ///   - sections: more sections of this command's page.
    public static func manualPages(date: String, sections: [RoffPage.Section] = []) -> [RoffPage] {
        CommandPath(root: Self.self).subtree.map { path in
            RoffPage(of: path, date: date, sections: path.isRoot ? sections : [])
        }
    }
}
