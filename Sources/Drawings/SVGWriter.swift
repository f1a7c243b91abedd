@_spi(Baton) public import BatonDocuments
@_spi(Baton) import BatonOperations

/// Draws the graph of a job as SVG: one file without scripts and without references.
///
/// States have a word and a sign besides their colours.
@_spi(Baton) public struct SVGWriter {
    /// The size of a node.
    private static let node = (width: 180, height: 42)
    /// The space around the drawing, and the height of the title.
    private static let margin = (side: 24, top: 64)
    /// The columns of text that fit into a node.
    private static let columns = 22

    private let document: JobGraphDocument

    /// Prepares a drawing.
    public init(_ document: JobGraphDocument) {
        self.document = document
    }

    /// The file, with a newline at its end.
    public var text: String {
        let width = (document.nodes.map(\.x).max() ?? 0) + Self.node.width + 2 * Self.margin.side
        let height = (document.nodes.map(\.y).max() ?? 0) + Self.node.height + Self.margin.top + Self.margin.side
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(max(width, 560))" height="\(height)" \
            viewBox="0 0 \(max(width, 560)) \(height)" role="img" aria-labelledby="title">
            <title id="title">\(ShownText.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
            <path d="M0 0L8 4L0 8Z" class="tip"/></marker>
            </defs>
            <rect class="paper" width="100%" height="100%"/>
            <text class="heading" x="\(Self.margin.side)" y="26">\(ShownText.escaped(title))</text>
            \(Self.legend)

            """
        let places = Dictionary(document.nodes.map { ($0.id, centre(of: $0)) }) { first, _ in first }
        let notNeeded = document.notNeeded
        for edge in document.edges {
            guard let from = places[edge.from], let to = places[edge.to] else { continue }
            text += Self.line(edge, from, to, isNeeded: !notNeeded.contains(edge.to))
        }
        for node in document.nodes { text += drawing(of: node) }
        return text + "</svg>\n"
    }

    private var title: String {
        let name = document.name.map { " (\(ShownText.shortened($0.asShown, columns: 60)))" } ?? ""
        let number = document.nodes.reduce(0) { $0 + $1.size }
        var title = "Job \(document.job)\(name): \(number) operation\(number == 1 ? "" : "s")"
        if document.level == .groups { title += " in \(document.nodes.count) groups" }
        if document.moreDependencies > 0 { title += ", \(document.moreDependencies) dependencies not shown" }
        return title
    }

    private func centre(of node: JobGraphDocument.Node) -> (x: Int, y: Int) {
        (
            node.x + Self.node.width / 2 + Self.margin.side,
            node.y + Self.node.height / 2 + Self.margin.top
        )
    }

    // MARK: Parts

    private func drawing(of node: JobGraphDocument.Node) -> String {
        let (x, y) = centre(of: node)
        let (left, top) = (x - Self.node.width / 2, y - Self.node.height / 2)
        let name = node.title(in: document.level)
        let subtitle = node.subtitle(in: document.level)
        return """
            <g class="\(node.word.replacing(" ", with: "-"))">\
            <title>\(ShownText.escaped("\(name), \(subtitle), \(node.id)"))</title>\
            <rect class="box" x="\(left)" y="\(top)" width="\(Self.node.width)" height="\(Self.node.height)" rx="5"/>\
            <path class="sign" transform="translate(\(left + 15) \(y))" d="\(Self.sign(for: node.word))"/>\
            <text x="\(left + 30)" y="\(y - 4)">\(ShownText.escaped(ShownText.shortened(name, columns: Self.columns)))</text>\
            <text class="word" x="\(left + 30)" y="\(y + 13)">\
            \(ShownText.escaped(ShownText.shortened(subtitle, columns: Self.columns + 3)))</text>\
            </g>

            """
    }

    private static func line(
        _ edge: JobGraphDocument.Edge,
        _ from: (x: Int, y: Int),
        _ to: (x: Int, y: Int),
        isNeeded: Bool
    ) -> String {
        let start = (x: from.x + node.width / 2, y: from.y)
        let end = (x: to.x - node.width / 2, y: to.y)
        let path: String
        let middle: (x: Int, y: Int)
        if edge.from == edge.to {
            // A loop at the upper edge, for dependencies within a group.
            let top = from.y - node.height / 2
            path = "M\(from.x + 60) \(top)c0 -14 -24 -14 -24 0"
            middle = (from.x + 48, top - 11)
        } else {
            let bend = max(40, abs(end.x - start.x) / 2)
            path = "M\(start.x) \(start.y)C\(start.x + bend) \(start.y) \(end.x - bend) \(end.y) \(end.x) \(end.y)"
            middle = ((start.x + end.x) / 2, (start.y + end.y) / 2 - 4)
        }
        let kind = isNeeded ? "\(edge.condition)" : "\(edge.condition) unneeded"
        var text = "<path class=\"edge \(kind)\" d=\"\(path)\" marker-end=\"url(#arrow)\"/>\n"
        if edge.count > 1 { text += "<text class=\"count\" x=\"\(middle.x)\" y=\"\(middle.y)\">\(edge.count)</text>\n" }
        return text
    }

    /// The sign of a state, around the origin.
    private static func sign(for word: String) -> String {
        switch word {
        case "succeeded": "M-6 0L-2 5L6 -5"
        case "failed": "M-5 -5L5 5M5 -5L-5 5"
        case "cancelled": "M-5 -5H5V5H-5Z"
        case "skipped", "not needed": "M-6 0H6"
        case "executing": "M-4 -6L6 0L-4 6Z"
        case "ready": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0"
        default: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"
        }
    }

    /// What the three kinds of edges mean.
    private static let legend: String = {
        let conditions: [(DependencyCondition, String)] = [
            (.success, "needs"), (.any, "after"), (.failure, "onFailure"),
        ]
        return conditions.enumerated().map { place, condition in
            let x = margin.side + place * 120
            return "<path class=\"edge \(condition.0)\" d=\"M\(x) 44h34\" marker-end=\"url(#arrow)\"/>"
                + "<text class=\"word\" x=\"\(x + 42)\" y=\"48\">\(condition.1)</text>"
        }.joined(separator: "\n")
    }()

    private static let style = """
        text{font:12px system-ui,Helvetica,Arial,sans-serif;fill:#1c1c1c}
        .heading{font-size:15px;font-weight:600}.word{font-size:10.5px;fill:#4a4a4a}
        .count{font-size:10px;fill:#4a4a4a;text-anchor:middle}
        .paper{fill:#fff}.box{fill:#fff;stroke:#8a8a8a}.sign{fill:none;stroke:#5a5a5a;stroke-width:2}
        .edge{fill:none;stroke:#7a7a7a;stroke-width:1.2}.tip{fill:#7a7a7a}
        .any{stroke-dasharray:6 4}.failure,.failureOfAll{stroke:#b3261e;stroke-dasharray:2 3}
        .unneeded{stroke:#7a7a7a}
        .succeeded .box{fill:#e3f4e5;stroke:#2e7d32}.succeeded .sign{stroke:#2e7d32}
        .failed .box{fill:#fde3e0;stroke:#b3261e;stroke-width:2}.failed .sign{stroke:#b3261e}
        .cancelled .box{fill:#fdf0d5;stroke:#9a6700}.cancelled .sign{stroke:#9a6700}
        .skipped .box,.not-needed .box{fill:#f6f6f6;stroke-dasharray:4 3}
        .executing .box{fill:#e1ecfd;stroke:#1a56b0;stroke-width:2}.executing .sign{fill:#1a56b0;stroke:#1a56b0}
        .ready .box{stroke:#1a56b0}.ready .sign{stroke:#1a56b0}
        """
}
