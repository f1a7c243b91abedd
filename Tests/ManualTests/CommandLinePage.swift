@_spi(Baton) @testable import BatonArguments
@_spi(Baton) @testable import baton_cli

/// The page of the command line, made from the declarations of the commands.
struct CommandLinePage {
    /// The title of the options that every command has.
    private static let globalTitle = "Global Options"

    /// The page's text.
    var text: String {
        let root = CommandPath(root: BatonCommand.self)
        var text = """
            # The command line

            Every command, argument and option, with its default and its help.

            ## Overview

            <!-- Made from the declarations by Tests/ManualTests: change the declarations, not this page. -->

            \(root.configuration.discussion.markdown)

            The standard output of a command is what a script needs; everything else goes to the standard error. With `--json` a command \
            prints one JSON document, or one document a line where the output is a stream: see <doc:JSONDocuments>.

            `baton help COMMAND` prints the same help, `baton completion SHELL` prints completions.

            ### Global options

            Every command has these. They stand before or after the command's name.


            """
        text += Self.table(root.definitions.filter { $0.isNamed })
        text += "\n### Exit statuses\n\n" + Self.exitStatuses
        for path in root.subtree.dropFirst() { text += "\n" + Self.section(of: path) }
        return text
    }

    private static func section(of path: CommandPath) -> String {
        let configuration = path.configuration
        var text = "## \(path.spelling)\n\n\(configuration.abstract.markdown)\n\n"
        if !configuration.discussion.isEmpty { text += configuration.discussion.markdown + "\n\n" }
        text += "```text\n\(Usage(of: path).line)\n```\n"
        let own = path.definitions.filter { $0.groupTitle != globalTitle && $0.synopsis != "--help" }
        if !own.isEmpty { text += "\n" + table(own) }
        for command in configuration.allSubcommands {
            text += "\n- `\(path.spelling) \(command.commandName)`: \(command.configuration.abstract.markdown)"
        }
        if !configuration.allSubcommands.isEmpty { text += "\n" }
        if !configuration.examples.isEmpty {
            text += "\n```sh\n"
            for example in configuration.examples {
                text += (example.explanation.isEmpty ? "" : "# \(example.explanation)\n") + example.line + "\n"
            }
            text += "```\n"
        }
        return text
    }

    /// A table of arguments and options.
    private static func table(_ definitions: [ArgumentDefinition]) -> String {
        var table = MarkdownTable("Argument", "Meaning")
        for definition in definitions {
            var facts: [String] = []
            if definition.isRequired { facts.append("required") }
            if definition.isRepeating { facts.append("may be repeated") }
            if !definition.allValues.isEmpty {
                facts.append("values: " + definition.allValues.map(\.code).joined(separator: ", "))
            }
            if !definition.defaultDescription.isEmpty { facts.append("default: " + definition.defaultDescription.code) }
            let parenthesis = facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"
            table.append(
                (definition.kind == .passthrough ? "-- \(definition.label)" : definition.label).code,
                definition.abstract.markdown + parenthesis
            )
        }
        return table.text
    }

    /// The exit statuses of all commands, after sysexits.
    private static var exitStatuses: String {
        var table = MarkdownTable("Status", "Meaning")
        for (status, meaning) in ExitStatus.meanings { table.append("\(status)", meaning.markdown) }
        return table.text + """

            \(ExitStatus.ofRun.markdown)

            """
    }
}
