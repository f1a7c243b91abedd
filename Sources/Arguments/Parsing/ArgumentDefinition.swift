/// One declared argument of one command value, in the form that parser, help and completion share.
struct ArgumentDefinition {
    enum Kind: Sendable, Equatable {
        case option([Name])
        case flag([Name])
        case positional
        /// Takes all that follows `--`.
        case passthrough
    }

    var kind: Kind
    var valueName = ""
    var abstract: String
    var isRequired = false
    var isRepeating = false
    var defaultDescription = ""
    var allValues: [String] = []
    var completion = CompletionKind.none
    /// The title under which the help lists it; empty for the common one.
    var groupTitle = ""
    /// Reads a text (for a flag, whatever it is) and keeps the value in the command.
    var accept: (String) throws -> Void

    var names: [Name] {
        switch kind {
        case .option(let names), .flag(let names): names
        case .positional, .passthrough: []
        }
    }

    var isNamed: Bool { !names.isEmpty }

    var takesValue: Bool {
        switch kind {
        case .option: true
        case .flag, .positional, .passthrough: false
        }
    }

    /// How messages and usage lines name it: `--slots <n>`, `--json` or `<job>`.
    var synopsis: String {
        guard let name = names.last else { return "<\(valueName)>" }
        return takesValue ? "\(name.spelling) <\(valueName)>" : name.spelling
    }

    /// How the list of options names it: `-q, --queue <queue>`.
    var label: String {
        let spelled = names.map(\.spelling).joined(separator: ", ")
        switch kind {
        case .option: return "\(spelled) <\(valueName)>"
        case .flag: return spelled
        case .positional, .passthrough: return "<\(valueName)>"
        }
    }

    /// Reads the declarations of a value out of its properties.
    static func all(of arguments: any ParsableArguments) -> [ArgumentDefinition] {
        Mirror(reflecting: arguments).children.flatMap { child -> [ArgumentDefinition] in
            guard let label = child.label, let property = child.value as? any ArgumentProperty else { return [] }
            // The storage of a wrapped property `queue` is called `_queue`.
            return property.definitions(property: String(label.drop { $0 == "_" }))
        }
    }
}
