/// The usage line of a command.
struct Usage {
    /// The maximum number of the command's own options for the usage line to list each option.
    private static let spelledOptions = 6

    private let path: CommandPath

    init(of path: CommandPath) {
        self.path = path
    }

    /// The line without the lead, for example `baton wait [<options>] [--queue <queue>] [<job> ...]`.
    ///
    /// `[<options>]` stands for the optional options of titled groups, or for all optional options if the command has many.
    var line: String { ([path.spelling] + parts).joined(separator: " ") }

    /// The parts after the command's name; a line break never splits a part.
    var parts: [String] {
        let declared = ArgumentDefinition.all(of: path.type.init())
        let named = declared.filter(\.isNamed)
        let own = named.filter { $0.groupTitle.isEmpty }
        let spellsOwn = own.count <= Self.spelledOptions
        let spelled = named.filter { $0.isRequired || (spellsOwn && $0.groupTitle.isEmpty) }

        var parts: [String] = []
        if spelled.count < named.count { parts.append("[<options>]") }
        parts += spelled.map(synopsis)
        parts += declared.filter { $0.kind == .positional || $0.kind == .captured }.map(synopsis)
        parts += declared.filter { $0.kind == .passthrough }.map { "[-- <\($0.valueName)> ...]" }
        if !path.configuration.allSubcommands.isEmpty { parts.append("<subcommand>") }
        return parts
    }

    private func synopsis(of definition: ArgumentDefinition) -> String {
        let plain = definition.synopsis + (definition.isRepeating ? " ..." : "")
        return definition.isRequired ? plain : "[\(plain)]"
    }
}
