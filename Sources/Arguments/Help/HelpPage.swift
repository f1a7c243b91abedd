/// The help of one command.
@_spi(Baton) public struct HelpPage: Sendable {
    /// The column in which descriptions start.
    private static let descriptionColumn = 26

    private let path: CommandPath

    init(of path: CommandPath) {
        self.path = path
    }

    /// The text of the page without a final newline, wrapped at `width` columns; a word longer than the width stays whole.
    public func rendered(width: Int) -> String {
        var sections = [overview(width: width), usage(width: width)].filter { !$0.isEmpty }
        let definitions = path.definitions
        sections += [
            section("ARGUMENTS", entries: definitions.filter { !$0.isNamed }.map(entry), width: width)
        ]
        sections += options(definitions.filter(\.isNamed), width: width)
        sections += subcommands(width: width)
        sections += [examples(width: width), seeAlso]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    // MARK: - Sections

    private func overview(width: Int) -> String {
        let configuration = path.configuration
        let abstract =
            configuration.abstract.isEmpty
            ? [] : [TextWrapping.lines(of: "OVERVIEW: " + configuration.abstract, width: width)]
        let discussion =
            configuration.discussion.isEmpty
            ? [] : [TextWrapping.lines(of: configuration.discussion, width: width)]
        return (abstract + discussion).map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func usage(width: Int) -> String {
        let indent = "USAGE: ".count
        var lines = ["USAGE: " + path.spelling]
        for part in Usage(of: path).parts {
            if lines[lines.count - 1].count + 1 + part.count > width {
                lines.append(String(repeating: " ", count: indent + path.spelling.count) + " " + part)
            } else {
                lines[lines.count - 1] += " " + part
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The options without a title, then the options of each title in the order of first appearance.
    private func options(_ definitions: [ArgumentDefinition], width: Int) -> [String] {
        var titles: [String] = []
        for definition in definitions where !definition.groupTitle.isEmpty && !titles.contains(definition.groupTitle) {
            titles.append(definition.groupTitle)
        }
        return ([""] + titles).map { title in
            section(
                title.isEmpty ? "OPTIONS" : title.uppercased(),
                entries: definitions.filter { $0.groupTitle == title }.map(entry),
                width: width
            )
        }
    }

    private func subcommands(width: Int) -> [String] {
        func entries(_ types: [any ParsableCommand.Type]) -> [Entry] {
            types.filter { $0.configuration.shouldDisplay }.map {
                Entry(label: $0.commandName, text: $0.configuration.abstract)
            }
        }
        let configuration = path.configuration
        return [section("SUBCOMMANDS", entries: entries(configuration.subcommands), width: width)]
            + configuration.groupedSubcommands.map { group in
                section("\(group.name.uppercased()) SUBCOMMANDS", entries: entries(group.subcommands), width: width)
            }
    }

    private func examples(width: Int) -> String {
        let examples = path.configuration.examples
        guard !examples.isEmpty else { return "" }
        let texts = examples.map { example in
            guard !example.explanation.isEmpty else { return "  $ \(example.line)" }
            let lines = TextWrapping.lines(of: example.explanation + ":", width: max(20, width - 2))
            return lines.map { "  \($0)\n" }.joined() + "    $ \(example.line)"
        }
        return (examples.count == 1 ? "EXAMPLE" : "EXAMPLES") + ":\n" + texts.joined(separator: "\n")
    }

    private var seeAlso: String {
        guard !path.configuration.allSubcommands.isEmpty else { return "" }
        let names = path.names
        return
            "  See '\(([names[0], "help"] + names.dropFirst()).joined(separator: " ")) <subcommand>' for detailed help."
    }

    // MARK: - Entries

    private struct Entry {
        let label: String
        let text: String
    }

    private func section(_ title: String, entries: [Entry], width: Int) -> String {
        guard !entries.isEmpty else { return "" }
        return "\(title):\n" + entries.map { rendered($0, width: width) }.joined(separator: "\n")
    }

    private func rendered(_ entry: Entry, width: Int) -> String {
        let label = "  " + entry.label
        guard !entry.text.isEmpty else { return label }
        let column = Self.descriptionColumn
        let gap = column - label.count
        let lead = label + (gap > 0 ? String(repeating: " ", count: gap) : "\n" + String(repeating: " ", count: column))
        return TextWrapping.hanging(entry.text, after: lead, indent: column, width: width)
    }

    private func entry(of definition: ArgumentDefinition) -> Entry {
        Entry(label: definition.label, text: definition.description)
    }
}
