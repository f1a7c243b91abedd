/// The one line that says how a command is called.
struct Usage {
    /// The command's own options are spelled out up to this number.
    private static let spelledOptions = 6

    private let path: CommandPath

    init(of path: CommandPath) {
        self.path = path
    }

    /// The line without a lead, such as `baton wait [<options>] [--queue <queue>] [<job> ...]`.
    ///
    /// `[<options>]` stands for optional ones from titled groups, or for all optional ones where they are many.
    var line: String { ([path.spelling] + parts).joined(separator: " ") }

    /// What follows the command's name; no part is broken across lines.
    var parts: [String] {
        let declared = ArgumentDefinition.all(of: path.type.init())
        let named = declared.filter(\.isNamed)
        let own = named.filter { $0.groupTitle.isEmpty }
        let spellsOwn = own.count <= Self.spelledOptions
        let spelled = named.filter { $0.isRequired || (spellsOwn && $0.groupTitle.isEmpty) }

        var parts: [String] = []
        if spelled.count < named.count { parts.append("[<options>]") }
        parts += spelled.map(synopsis)
        parts += declared.filter { $0.kind == .positional }.map(synopsis)
        parts += declared.filter { $0.kind == .passthrough }.map { "[-- <\($0.valueName)> ...]" }
        if !path.configuration.allSubcommands.isEmpty { parts.append("<subcommand>") }
        return parts
    }

    private func synopsis(of definition: ArgumentDefinition) -> String {
        let plain = definition.synopsis + (definition.isRepeating ? " ..." : "")
        return definition.isRequired ? plain : "[\(plain)]"
    }
}
