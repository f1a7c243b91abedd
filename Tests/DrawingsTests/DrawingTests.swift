@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@_spi(Baton) @testable import BatonDrawings

@Suite("Drawings of graphs", .timeLimit(.minutes(60)))
struct DrawingTests {
    private static let hostile = #"a"><script>&lt;\"\N'"#

    /// A graph with each state and condition, and with hostile names.
    private static let document: JobGraphDocument = {
        var counts = Array(repeating: JobCounts(), count: 7)
        counts[0].succeeded = 1
        counts[1].failed = 1
        counts[2].cancelled = 1
        counts[3].skipped = 1
        counts[4].executing = 1
        counts[5].ready = 1
        counts[6].pending = 1
        func id(_ index: Int) -> OperationID { OperationID(job: JobNumber(12), index: UInt32(index)) }
        let nodes = counts.enumerated().map { index, counts in
            JobGraphDocument.Node(
                id: id(index),
                name: index == 1 ? hostile : "n\(index)",
                counts: counts,
                x: index * 100
            )
        }
        let edges = DependencyCondition.allCases.enumerated().map { index, condition in
            JobGraphDocument.Edge(from: id(index), to: id(index + 1), condition: condition, count: index + 1)
        }
        return JobGraphDocument(job: JobNumber(12), name: hostile, level: .operations, nodes: nodes, edges: edges)
    }()

    /// The text and the attributes of an XML document.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [String] = []
        var titles: [String] = []
        private var text: String?

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append(name)
            text = name == "title" ? "" : nil
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text?.append(string) }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "title", let text { titles.append(text) }
            text = nil
        }
    }

    @Test("A drawing is well-formed XML without scripts, and shows each state as a word and each name as it is")
    func svg() throws {
        let text = SVGWriter(Self.document).text
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(text)")
        #expect(!reader.elements.contains("script") && !text.contains("href"))
        #expect(reader.titles.first?.contains(Self.hostile) == true, "\(reader.titles)")
        #expect(reader.titles.contains { $0.hasPrefix(Self.hostile) && $0.contains("failed") }, "\(reader.titles)")
        for word in ["succeeded", "failed", "cancelled", "skipped", "executing", "ready", "pending"] {
            #expect(reader.titles.contains { $0.contains(", \(word) ") }, "\(word)")
        }
    }

    @Test("What was not needed is drawn with this word, and an edge to it is not red")
    func notNeeded() throws {
        var ended = Array(repeating: JobCounts(), count: 3)
        ended[0].succeeded = 1
        (ended[1].skipped, ended[1].notNeeded) = (1, 1)
        (ended[2].skipped, ended[2].skippedAfterFailure) = (1, 1)
        let ids = (0..<3).map { OperationID(job: JobNumber(12), index: UInt32($0)) }
        let document = JobGraphDocument(
            job: JobNumber(12),
            name: nil,
            level: .operations,
            nodes: ids.indices.map { JobGraphDocument.Node(operation: ids[$0], name: nil, counts: ended[$0]) },
            edges: [1, 2].map { JobGraphDocument.Edge(from: ids[0], to: ids[$0], condition: .failure, count: 1) }
        )
        #expect(document.nodes.map(\.notNeeded) == [nil, true, nil])
        let svg = SVGWriter(document).text
        #expect(svg.contains("<g class=\"not-needed\">") && svg.contains("<g class=\"skipped\">"))
        #expect(svg.split(separator: "class=\"edge failure unneeded\"").count == 2, "\(svg)")
        let lines = DotWriter(document).text.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"  "12/0" -> "12/1" [style=dotted];"#), "\(lines)")
        #expect(lines.contains(##"  "12/0" -> "12/2" [style=dotted, color="#b3261e"];"##), "\(lines)")
        #expect(lines.contains { $0.contains(#""12/1" [label="12/1\nnot needed""#) }, "\(lines)")
    }

    @Test("Control characters that XML cannot have are replaced")
    func forbidden() {
        #expect(ShownText.escaped("a\u{1}b\u{FFFF}c<") == "a\u{FFFD}b\u{FFFD}c&lt;")
    }

    @Test("Long names are cut by their width")
    func width() {
        #expect(ShownText.shortened("abcdef", columns: 6) == "abcdef")
        #expect(ShownText.shortened("abcdefg", columns: 6) == "abcde…")
        #expect(ShownText.shortened("計算計算", columns: 6) == "計算…")
    }

    @Test("The text for graphviz quotes names, and has a line for each node and edge")
    func dot() {
        let lines = DotWriter(Self.document).text.split(separator: "\n").map(String.init)
        #expect(lines.first == #"digraph "job 12" {"# && lines.last == "}")
        let hostile = lines.first { $0.hasPrefix(#"  "12/1" ["#) }
        #expect(hostile?.contains(#"label="a\"><script>&amp;lt;\\\"\\N'\nfailed · 12/1""#) == true, "\(hostile ?? "")")
        #expect(lines.contains(#"  "12/0" -> "12/1" [style=dashed];"#), "\(lines)")
        #expect(lines.contains(#"  "12/1" -> "12/2" [label="2"];"#), "\(lines)")
        #expect(
            lines.count { $0.contains(" -> ") } == 4
                && lines.count { $0.contains("[label=\"") && !$0.contains("->") } == 7
        )
    }
}
