@_spi(Baton) public import BatonDocuments
@_spi(Baton) import BatonOperations

/// Writes the graph of a job in the language of graphviz.
@_spi(Baton) public struct DotWriter {
    private let document: JobGraphDocument

    /// Prepares the text of a graph.
    public init(_ document: JobGraphDocument) {
        self.document = document
    }

    /// The text, with a newline at its end.
    public var text: String {
        var text = "digraph \(Self.quoted("job \(document.job)")) {\n"
        let title = "job \(document.job)" + (document.name.map { " (\($0.asShown))" } ?? "")
        text += "  graph [rankdir=LR, label=\(Self.quoted(title)), labelloc=t, fontname=\"Helvetica\"];\n"
        text += "  node [shape=box, style=filled, fontname=\"Helvetica\", fontsize=11];\n"
        text += "  edge [fontname=\"Helvetica\", fontsize=9];\n"
        for node in document.nodes {
            let label =
                Self.escaped(node.title(in: document.level)) + "\\n" + Self.escaped(node.subtitle(in: document.level))
            text += "  \(Self.quoted(node.id.description)) [label=\"\(label)\", \(Self.look(of: node))];\n"
        }
        let notNeeded = document.notNeeded
        for edge in document.edges {
            text += "  \(Self.quoted(edge.from.description)) -> \(Self.quoted(edge.to.description))"
            var attributes: [String] = []
            switch edge.condition {
            case .success: break
            case .any: attributes.append("style=dashed")
            case .failure, .failureOfAll:
                attributes.append("style=dotted")
                if !notNeeded.contains(edge.to) { attributes.append("color=\"#b3261e\"") }
            }
            if edge.count > 1 { attributes.append("label=\"\(edge.count)\"") }
            text += attributes.isEmpty ? ";\n" : " [\(attributes.joined(separator: ", "))];\n"
        }
        if document.moreDependencies > 0 {
            text += "  // \(document.moreDependencies) more dependencies are left out.\n"
        }
        return text + "}\n"
    }

    /// The attributes of a node by its state.
    private static func look(of node: JobGraphDocument.Node) -> String {
        switch node.word {
        case "succeeded": "fillcolor=\"#cdebd0\""
        case "failed": "fillcolor=\"#f9d0cc\", penwidth=2, color=\"#b3261e\""
        case "cancelled": "fillcolor=\"#fbe3b8\""
        case "skipped", "not needed": "fillcolor=\"#f0f0f0\", style=\"filled,dashed\""
        case "executing": "fillcolor=\"#cfe0fb\", penwidth=2, color=\"#1a56b0\""
        case "ready": "fillcolor=\"#e6eefb\""
        default: "fillcolor=\"#ffffff\""
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// A text for the inside of quotes: graphviz reads backslashes and entities there.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "&": escaped += "&amp;"
            case "\n", "\r", "\0": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
