/// Reads arguments from left to right and descends the command tree at each command name.
struct CommandParser {
    /// An option before the name of its command.
    private struct Occurrence {
        let name: Name
        let value: String
    }

    /// The reason for an early end of parsing.
    private enum Interruption: Error {
        case help(CommandPath)
        case version(String)
        case failure(UsageError)
    }

    private var path: CommandPath
    private var command: any ParsableCommand
    private var definitions: [ArgumentDefinition]
    private var occurrences: [Occurrence] = []
    /// The indices of the definitions with a given value.
    private var given: Set<Int> = []
    private var remaining: ArraySlice<String>
    /// The last positional arguments, deferred for the arguments declared after a repeating argument.
    private var deferred: [String] = []

    static func parse(_ arguments: [String], root: any ParsableCommand.Type) -> ParseOutcome {
        var parser = CommandParser(root: root, arguments: arguments)
        do {
            try parser.readAll()
            try parser.checkRequired()
            try parser.validate()
            return .command(parser.command)
        } catch {
            switch error {
            case .help(let path): return .help(HelpPage(of: path))
            case .version(let version): return .version(version)
            case .failure(let failure):
                // A help flag among mistakes wins; an unknown command has no help.
                if failure.code != .unknownCommand, asksForHelp(arguments) {
                    return .help(HelpPage(of: parser.path))
                }
                return .failure(failure)
            }
        }
    }

    private static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    private init(root: any ParsableCommand.Type, arguments: [String]) {
        path = CommandPath(root: root)
        command = root.init()
        definitions = ArgumentDefinition.all(of: command)
        remaining = arguments[...]
    }

    // MARK: - Reading

    private mutating func readAll() throws(Interruption) {
        while let argument = remaining.popFirst() {
            if argument == "--" {
                try readAfterTerminator()
            } else if let captured, !isOption(argument) {
                try capture(argument, at: captured)
            } else if argument.hasPrefix("--") {
                try readLongOption(argument)
            } else if argument.hasPrefix("-"), argument != "-", !isNegativeNumber(argument) {
                try readShortOptions(argument)
            } else if hasSubcommands {
                try descend(to: argument)
            } else {
                try readPositional(argument)
            }
        }
        try readDeferred()
        if hasSubcommands { throw .help(path) }
    }

    private var hasSubcommands: Bool { !path.configuration.allSubcommands.isEmpty }

    /// The index of the argument that takes all from the first argument on that is no option.
    private var captured: Int? { definitions.firstIndex { $0.kind == .captured } }

    /// Whether an argument is an option of this command, or asks for its help.
    private func isOption(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), let second = argument.dropFirst().first else { return false }
        if argument == "--help" || argument == "-h" { return true }
        let name = second == "-" ? Name.long(String(argument.dropFirst(2).prefix { $0 != "=" })) : .short(second)
        return index(of: name) != nil
    }

    private mutating func capture(_ argument: String, at index: Int) throws(Interruption) {
        try accept(argument, at: index)
        while let argument = remaining.popFirst() { try accept(argument, at: index) }
    }

    private mutating func readAfterTerminator() throws(Interruption) {
        let passthrough = definitions.firstIndex { $0.kind == .passthrough } ?? captured
        while let argument = remaining.popFirst() {
            if let passthrough {
                try accept(argument, at: passthrough)
            } else if hasSubcommands {
                throw failure(.unexpectedArgument, "Unexpected argument \(argument.quoted).")
            } else {
                try readPositional(argument)
            }
        }
    }

    private mutating func readPositional(_ argument: String) throws(Interruption) {
        let free = definitions.indices.first { index in
            definitions[index].kind == .positional && (definitions[index].isRepeating || !given.contains(index))
        }
        if let free {
            deferred.append(argument)
            if deferred.count > positionals(after: free).count { try accept(deferred.removeFirst(), at: free) }
            return
        }
        guard let passthrough = definitions.first(where: { $0.kind == .passthrough }) else {
            throw failure(.unexpectedArgument, "Unexpected argument \(argument.quoted).")
        }
        throw failure(
            .unexpectedArgument,
            "Unexpected argument \(argument.quoted). Write '--' before the <\(passthrough.valueName)>."
        )
    }

    /// Assigns the last values to the arguments declared after a repeating argument; if too few values are left, the repeating
    /// argument gets the first value.
    private mutating func readDeferred() throws(Interruption) {
        guard !deferred.isEmpty,
            let repeating = definitions.firstIndex(where: { $0.kind == .positional && $0.isRepeating })
        else { return }
        if !given.contains(repeating), definitions[repeating].isRequired {
            try accept(deferred.removeFirst(), at: repeating)
        }
        for (argument, index) in zip(deferred, positionals(after: repeating)) { try accept(argument, at: index) }
    }

    /// The positional arguments declared after a repeating argument; empty if the argument at `index` does not repeat.
    private func positionals(after index: Int) -> [Int] {
        guard definitions[index].isRepeating else { return [] }
        return definitions.indices.filter { $0 > index && definitions[$0].kind == .positional }
    }

    private mutating func descend(to name: String) throws(Interruption) {
        if path.isRoot, name == "help", path.child(named: "help") == nil { throw try helpForRemaining() }
        path = try child(named: name)
        command = path.type.init()
        definitions = ArgumentDefinition.all(of: command)
        given = []
        for occurrence in occurrences {
            guard let index = index(of: occurrence.name) else {
                let spelling = occurrence.name.spelling
                throw failure(.unknownOption, "The command '\(path.spelling)' has no option \(spelling.quoted).")
            }
            try accept(occurrence.value, at: index, as: occurrence.name)
        }
    }

    private func child(named name: String) throws(Interruption) -> CommandPath {
        if let child = path.child(named: name) { return child }
        let names = path.configuration.shownSubcommands.map { $0.commandName }
        let nearest = NearestName.suggestion(for: name, among: names)
        throw failure(.unknownCommand, "Unknown command \(name.quoted)" + didYouMean(nearest))
    }

    /// Reads `help SUBCOMMAND...`; options between the names are ignored.
    private mutating func helpForRemaining() throws(Interruption) -> Interruption {
        for name in remaining where !name.hasPrefix("-") { path = try child(named: name) }
        return .help(path)
    }

    // MARK: - Options

    private mutating func readLongOption(_ argument: String) throws(Interruption) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = Name.long(String(parts[0]))
        let attached = parts.count > 1 ? String(parts[1]) : nil
        guard let index = index(of: name) else {
            try interruptForBuiltIn(name)
            throw unknownOption(name.spelling, intended: String(parts[0]))
        }
        try readOption(name, at: index, attached: attached)
    }

    private mutating func readShortOptions(_ argument: String) throws(Interruption) {
        var rest = argument.dropFirst()
        while let character = rest.popFirst() {
            let name = Name.short(character)
            guard let index = index(of: name) else {
                if rest.isEmpty { try interruptForBuiltIn(name) }
                let isFirst = rest.count == argument.count - 2
                // A missing second hyphen is a common mistake, so look for the complete word among the long names.
                throw unknownOption(isFirst ? argument : name.spelling, intended: String(argument.dropFirst()))
            }
            if definitions[index].takesValue {
                let attached = rest.hasPrefix("=") ? rest.dropFirst() : rest
                return try readOption(name, at: index, attached: rest.isEmpty ? nil : String(attached))
            }
            try readOption(name, at: index, attached: nil)
        }
    }

    private mutating func readOption(_ name: Name, at index: Int, attached: String?) throws(Interruption) {
        let definition = definitions[index]
        var value = ""
        if definition.takesValue {
            if let attached { value = attached } else { value = try nextValue(of: definition, as: name) }
        } else if let attached {
            throw failure(
                .unexpectedValue,
                "The option '\(name.spelling)' does not take any value, but \(attached.quoted) was specified."
            )
        }
        try accept(value, at: index, as: name)
        occurrences.append(Occurrence(name: name, value: value))
    }

    private mutating func nextValue(of definition: ArgumentDefinition, as name: Name) throws(Interruption) -> String {
        let missing = "Missing value for '\(name.spelling) <\(definition.valueName)>'"
        guard let next = remaining.first, next != "--" else { throw failure(.missingValue, missing + ".") }
        guard !next.hasPrefix("-") || next == "-" || isNegativeNumber(next) else {
            let joined = "\(definition.names.last?.spelling ?? "")=\(next)"
            throw failure(
                .missingValue,
                "\(missing). A value that begins with '-' is joined with '=': \(joined.quoted)."
            )
        }
        remaining.removeFirst()
        return next
    }

    private func interruptForBuiltIn(_ name: Name) throws(Interruption) {
        switch name {
        case .long("help"), .short("h"): throw .help(path)
        case .long("version") where path.hasVersion: throw .version(path.configuration.version)
        default: return
        }
    }

    private func index(of name: Name) -> Int? {
        definitions.firstIndex { $0.names.contains(name) }
    }

    /// Whether the text is a negative number instead of a short option with a digit as its name.
    private func isNegativeNumber(_ text: String) -> Bool {
        guard let second = text.dropFirst().first, second.isNumber || second == "." else { return false }
        return text.hasPrefix("-") && Double(text) != nil && index(of: .short(second)) == nil
    }

    // MARK: - Values

    private mutating func accept(_ text: String, at index: Int, as name: Name? = nil) throws(Interruption) {
        let definition = definitions[index]
        do {
            try definition.accept(text)
        } catch {
            let reason = String(describing: error)
            let target = name.map { "\($0.spelling) <\(definition.valueName)>" } ?? definition.synopsis
            throw failure(
                .invalidValue,
                "The value \(text.quoted) is invalid for '\(target)'." + (reason.isEmpty ? "" : " \(reason)")
            )
        }
        given.insert(index)
    }

    private func checkRequired() throws(Interruption) {
        for index in definitions.indices where definitions[index].isRequired && !given.contains(index) {
            throw failure(.missingArgument, "Missing expected argument '\(definitions[index].synopsis)'.")
        }
    }

    private func validate() throws(Interruption) {
        do {
            try validateAll(in: command)
        } catch {
            throw failure(.refused, String(describing: error))
        }
    }

    // MARK: - Sentences

    private func failure(_ code: UsageError.Code, _ message: String) -> Interruption {
        .failure(UsageError(code, message, at: path))
    }

    private func unknownOption(_ spelling: String, intended: String) -> Interruption {
        let names = (definitions + path.builtIns).flatMap(\.names).compactMap { name -> String? in
            switch name {
            case .long(let name): name
            case .short: nil
            }
        }
        let nearest = NearestName.suggestion(for: intended, among: names).map { "--\($0)" }
        return failure(.unknownOption, "Unknown option \(spelling.quoted)" + didYouMean(nearest))
    }

    private func didYouMean(_ nearest: String?) -> String {
        nearest.map { ". Did you mean '\($0)'?" } ?? "."
    }
}
