/// The manual page of one command, in the language of man(7).
@_spi(Baton) public struct RoffPage: Sendable {
    /// Titled entries beside those of the declarations, such as exit statuses.
    public struct Section: Sendable {
        /// The title, in capitals.
        public var title: String
        /// Each entry's label and text.
        public var entries: [(label: String, text: String)]

        /// Describes a section.
        public init(title: String, entries: [(label: String, text: String)]) {
            self.title = title
            self.entries = entries
        }
    }

    /// The longest line of the source, because tools for manual pages object to longer ones.
    private static let width = 76

    private let path: CommandPath
    private let date: String
    private let sections: [Section]

    init(of path: CommandPath, date: String, sections: [Section] = []) {
        self.path = path
        self.date = date
        self.sections = sections
    }

    /// The name of the page, such as `baton-queue-set`.
    public var name: String { path.names.joined(separator: "-") }

    /// The names of the commands, from the root on.
    public var command: [String] { path.names }

    /// The source of the page.
    public var text: String {
        var lines = [
            ".TH \(quoted(name.uppercased())) 1 \"\(date)\" \(quoted(source)) \(quoted("User Commands"))", ".SH NAME",
        ]
        lines += filled("\(name) - \(Self.phrase(path.configuration.abstract))")
        lines += [".SH SYNOPSIS"] + synopsis + description
        let definitions = path.definitions
        lines += section("ARGUMENTS", definitions.filter { !$0.isNamed })
        lines += options(definitions.filter(\.isNamed))
        lines += subcommands
        for extra in sections {
            lines += [".SH \(quoted(extra.title))"] + extra.entries.flatMap { entry($0.label, $0.text) }
        }
        lines += examples + seeAlso
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Sections

    private var source: String { "\(path.names[0]) \(path.types[0].configuration.version)" }

    private var synopsis: [String] {
        [bold(path.spelling)] + Usage(of: path).parts.flatMap { filled($0) }
    }

    private var description: [String] {
        let texts = [path.configuration.abstract, path.configuration.discussion].joined(separator: "\n\n")
        let paragraphs = texts.split(separator: "\n\n").map { filled(String($0)) }
        return [".SH DESCRIPTION"] + paragraphs.joined(separator: [".PP"])
    }

    /// The options without a title, then those of each title in the order of first appearance.
    private func options(_ definitions: [ArgumentDefinition]) -> [String] {
        var titles = [""]
        for definition in definitions where !titles.contains(definition.groupTitle) {
            titles.append(definition.groupTitle)
        }
        return titles.flatMap { title in
            section(title.isEmpty ? "OPTIONS" : title.uppercased(), definitions.filter { $0.groupTitle == title })
        }
    }

    private func section(_ title: String, _ definitions: [ArgumentDefinition]) -> [String] {
        guard !definitions.isEmpty else { return [] }
        return [".SH \(quoted(title))"] + definitions.flatMap { entry($0.label, $0.description) }
    }

    private var subcommands: [String] {
        let children = path.children
        guard !children.isEmpty else { return [] }
        return [".SH SUBCOMMANDS"]
            + children.flatMap { entry($0.spelling, $0.configuration.abstract) }
    }

    private var examples: [String] {
        let examples = path.configuration.examples
        guard !examples.isEmpty else { return [] }
        let texts = examples.map { example in
            (example.explanation.isEmpty ? [] : filled(example.explanation + ":") + [".PP"])
                + [".EX", "    $ \(escaped(example.line))", ".EE"]
        }
        return [".SH EXAMPLES"] + texts.joined(separator: [".PP"])
    }

    private var seeAlso: [String] {
        let parent = path.names.dropLast()
        let related =
            (parent.isEmpty ? [] : [parent.joined(separator: "-")])
            + path.children.map { $0.names.joined(separator: "-") }
        guard !related.isEmpty else { return [] }
        let references = related.map { "\(bold($0))(1)" }
        return [".SH SEE ALSO"] + references.dropLast().map { $0 + "," } + [references[references.count - 1]]
    }

    private func entry(_ label: String, _ text: String) -> [String] { [".TP", bold(label)] + filled(text) }

    // MARK: - Text

    /// A sentence as the part of a sentence: `Shows a job.` becomes `shows a job`.
    private static func phrase(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// A text in lines of a limited length.
    private func filled(_ text: String) -> [String] {
        TextWrapping.lines(of: escaped(text), width: Self.width).filter { !$0.isEmpty }.map { line in
            // A line with one of these at its beginning would be a request.
            line.hasPrefix(".") || line.hasPrefix("\\(aq") ? "\\&" + line : line
        }
    }

    /// The argument of a request.
    private func quoted(_ text: String) -> String { "\"\(escaped(text).replacing("\"", with: "\\(dq"))\"" }

    /// A text with the characters spelled that the language or its typography would change.
    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\(rs"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            default: result.append(character)
            }
        }
        return result
    }
}
