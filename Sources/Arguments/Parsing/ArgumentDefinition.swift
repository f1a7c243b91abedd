/// One declared argument of one command value, in the form shared by parser, help and completion.
struct ArgumentDefinition {
    enum Kind: Sendable, Equatable {
        case option([Name])
        case flag([Name])
        case positional
        /// Takes all arguments after `--`.
        case passthrough
        /// Takes the first argument that is no option of the command, and all arguments after it.
        case captured
    }

    var kind: Kind
    var valueName = ""
    var abstract: String
    var isRequired = false
    var isRepeating = false
    var defaultDescription = ""
    var allValues: [String] = []
    var completion = CompletionKind.none
    /// The title of the group in the help; empty for options without a group.
    var groupTitle = ""
    /// Reads a text and stores the value in the command; a flag ignores the text.
    var accept: (String) throws -> Void

    var names: [Name] {
        switch kind {
        case .option(let names), .flag(let names): names
        case .positional, .passthrough, .captured: []
        }
    }

    var isNamed: Bool { !names.isEmpty }

    var takesValue: Bool {
        switch kind {
        case .option: true
        case .flag, .positional, .passthrough, .captured: false
        }
    }

    /// The spelling in messages and usage lines: `--slots <n>`, `--json` or `<job>`.
    var synopsis: String {
        guard let name = names.last else { return "<\(valueName)>" }
        return takesValue ? "\(name.spelling) <\(valueName)>" : name.spelling
    }

    /// The spelling in the list of options: `-q, --queue <queue>`.
    var label: String {
        let spelled = names.map(\.spelling).joined(separator: ", ")
        switch kind {
        case .option: return "\(spelled) <\(valueName)>"
        case .flag: return spelled
        case .positional, .passthrough, .captured: return "<\(valueName)>"
        }
    }

    /// The abstract, with the values and the default in parentheses.
    var description: String {
        var facts: [String] = []
        if !allValues.isEmpty { facts.append("values: " + allValues.joined(separator: ", ")) }
        if !defaultDescription.isEmpty { facts.append("default: " + defaultDescription) }
        let parenthesis = facts.isEmpty ? "" : "(\(facts.joined(separator: "; ")))"
        return [abstract, parenthesis].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Reads the declarations from the properties of a value.
    static func all(of arguments: any ParsableArguments) -> [ArgumentDefinition] {
        Mirror(reflecting: arguments).children.flatMap { child -> [ArgumentDefinition] in
            guard let label = child.label, let property = child.value as? any ArgumentProperty else { return [] }
            // Swift stores a wrapped property `queue` as `_queue`.
            return property.definitions(property: String(label.drop { $0 == "_" }))
        }
    }
}
