import Foundation
import Testing

/// The Swift of the manual, compared with Swift that is compiled.
@Suite("Manual: Swift snippets")
struct SnippetTests {
    /// A run of lines of a snippet, without an empty line.
    private struct Paragraph {
        var place: String
        var lines: [String]
    }

    /// The folders and files whose Swift is compiled with the tests.
    private static let compiled = ["Tests/ManualTests/Snippets", "Tests/Examples", "Tests/TestKitTests"]

    /// Snippets that `scripts/package-use` builds, by their beginnings: a manifest, and bridges to another package.
    private static let builtElsewhere = [
        "// swift-tools-version", "struct BatonHandler: LogHandler", "worker.logger = ",
    ]

    /// The snippets of a text, whose lines have lost what is before the Markdown.
    private static func paragraphs(in lines: [String], of place: String) -> [Paragraph] {
        var (paragraphs, snippet): ([Paragraph], [String]?) = ([], nil)
        for line in lines {
            if snippet == nil, line == "```swift" {
                snippet = []
            } else if let ended = snippet, line == "```" {
                snippet = nil
                guard !builtElsewhere.contains(where: { ended.first?.hasPrefix($0) == true }) else { continue }
                paragraphs += ended.split(separator: "").map { Paragraph(place: place, lines: Array($0)) }
            } else {
                snippet?.append(line)
            }
        }
        return paragraphs
    }

    /// The snippets of the pages, and those of the public declarations' comments.
    private static func paragraphs() throws -> [Paragraph] {
        let folder = ManualPage(name: "Baton").file.deletingLastPathComponent().path
        var paragraphs: [Paragraph] = []
        for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init()
        where path.hasSuffix(".md") {
            let text = try ManualPage(name: String(path.dropLast(".md".count))).text()
            paragraphs += Self.paragraphs(in: ManualPage.lines(of: text).map(String.init), of: path)
        }
        for (path, text) in ManualPage.swiftFiles(in: ["Sources/Baton", "Sources/BatonTestKit"]) {
            let comments = ManualPage.lines(of: text).map { line in
                let text = line.drop { $0 == " " }
                return text.hasPrefix("///") ? String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)) : ""
            }
            paragraphs += Self.paragraphs(in: comments, of: path)
        }
        return paragraphs
    }

    /// Whether lines stand somewhere among others, all of them with the same indentation more.
    private static func isContained(_ lines: [String], in text: [Substring]) -> Bool {
        text.indices.contains { start in
            guard start + lines.count <= text.count, text[start].hasSuffix(lines[0]) else { return false }
            let indentation = text[start].dropLast(lines[0].count)
            guard indentation.allSatisfy({ $0 == " " }) else { return false }
            return zip(lines, text[start...]).allSatisfy { indentation + $0 == $1 }
        }
    }

    @Test(
        "Each Swift snippet of the manual and of public comments, paragraph by paragraph, is part of what is compiled"
    )
    func snippets() throws {
        let texts = ManualPage.swiftFiles(in: Self.compiled).map { ManualPage.lines(of: $0.text) }
        let paragraphs = try Self.paragraphs()
        #expect(paragraphs.count > 50)
        for paragraph in paragraphs where !texts.contains(where: { Self.isContained(paragraph.lines, in: $0) }) {
            Issue.record(
                """
                A snippet of \(paragraph.place) is not compiled with the tests. Add it to Tests/ManualTests/Snippets, or make it equal \
                to what is there:
                \(paragraph.lines.joined(separator: "\n"))
                """
            )
        }
    }
}
