@_spi(Baton) extension ParsableCommand {
    /// Contradictions and gaps in the declarations of this command and of all commands below, one sentence each.
    ///
    /// This check is for a test of the program with the declarations: the problems are mistakes in the program. Input cannot
    /// cause the problems, and the parser does not look for the problems.
    public static func declarationProblems() -> [String] {
        CommandPath(root: Self.self).subtree.flatMap { DeclarationCheck(of: $0).problems }
    }
}

/// Checks the declarations of one command.
struct DeclarationCheck {
    private let path: CommandPath

    init(of path: CommandPath) {
        self.path = path
    }

    var problems: [String] {
        (repeatedNames + misplacedPositionals + missingHelp).map { "'\(path.spelling)': \($0)" }
    }

    private var repeatedNames: [String] {
        let options = path.definitions.flatMap(\.names).map(\.spelling)
        let subcommands = path.configuration.allSubcommands.map { $0.commandName }
        return [options, subcommands].flatMap { names in
            var seen: Set<String> = []
            return names.filter { !seen.insert($0).inserted }.map { "the name '\($0)' is declared twice" }
        }
    }

    private var misplacedPositionals: [String] {
        let positionals = path.definitions.filter { $0.kind == .positional }
        var problems: [String] = []
        for (earlier, later) in zip(positionals, positionals.dropFirst()) {
            // The parser can set the last arguments apart only if the number of last arguments is known.
            if earlier.isRepeating, !later.isRequired || later.isRepeating {
                problems.append("nothing is left for <\(later.valueName)>, since <\(earlier.valueName)> takes it all")
            } else if !earlier.isRequired, !earlier.isRepeating, later.isRequired {
                problems.append("<\(later.valueName)> is required, but <\(earlier.valueName)> before it is not")
            }
        }
        if !positionals.isEmpty, !path.configuration.allSubcommands.isEmpty {
            problems.append("it has subcommands, so that nothing is left for <\(positionals[0].valueName)>")
        }
        return problems
    }

    private var missingHelp: [String] {
        var problems = path.definitions.filter(\.abstract.isEmpty).map { "\($0.synopsis) has no help" }
        if path.configuration.abstract.isEmpty { problems.append("the command has no abstract") }
        return problems
    }
}
