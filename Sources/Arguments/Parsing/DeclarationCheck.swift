extension ParsableCommand {
    /// What is contradictory or missing in the declarations of this command and all below it, a sentence each.
    ///
    /// It is for a test of the program that declares them: what it finds are mistakes in the program, which no
    /// input can cause and the parser does not look for.
    public static func declarationProblems() -> [String] {
        CommandPath(root: Self.self).subtree.flatMap { DeclarationCheck(of: $0).problems }
    }
}

/// Looks for mistakes in the declarations of one command.
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
            // The last arguments can be set apart from those before only where it is known how many they are.
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
