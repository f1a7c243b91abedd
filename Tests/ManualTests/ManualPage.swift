import Foundation
import Testing

/// A page of the manual, checked in as Markdown in the catalogue of the target `Baton`.
struct ManualPage {
    /// The root of the repository.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether this run writes the generated pages instead of comparing them.
    private static let isUpdating = ProcessInfo.processInfo.environment["BATON_UPDATE_MANUAL"] == "1"

    /// The file name without extension.
    let name: String

    /// The location of the page.
    var file: URL {
        Self.root.appendingPathComponent("Sources/Baton/Baton.docc").appendingPathComponent(name + ".md")
    }

    /// The text on disk.
    func text() throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }

    /// Compares the page on disk with the generated text, or writes the text if `BATON_UPDATE_MANUAL` is 1.
    func expect(generated: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if Self.isUpdating {
            try generated.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let present = (try? text()) ?? ""
        guard present != generated else { return }
        let lines = zip(present.split(separator: "\n", omittingEmptySubsequences: false), Self.lines(of: generated))
        let difference = lines.first { $0 != $1 }
        Issue.record(
            """
            \(name).md differs from the declarations. Run BATON_UPDATE_MANUAL=1 scripts/test --filter ManualTests, and commit \
            the result. The first difference: "\(difference?.0 ?? "the number of lines")" instead of "\(difference?.1 ?? "")".
            """,
            sourceLocation: sourceLocation
        )
    }

    /// The lines of a text, empty ones included.
    static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The Swift files below some folders of the repository, sorted by path.
    static func swiftFiles(in folders: [String]) -> [(path: String, text: String)] {
        var files: [(String, String)] = []
        for folder in folders {
            let base = root.appendingPathComponent(folder)
            for case let path as String in FileManager.default.enumerator(atPath: base.path) ?? .init()
            where path.hasSuffix(".swift") {
                guard let text = try? String(contentsOf: base.appendingPathComponent(path), encoding: .utf8) else {
                    continue
                }
                files.append((folder + "/" + path, text))
            }
        }
        return files.sorted { $0.0 < $1.0 }
    }
}

/// A table in Markdown.
struct MarkdownTable {
    private var lines: [String]

    /// Starts a table with the titles of its columns.
    init(_ titles: String...) {
        lines = [Self.row(titles), Self.row(titles.map { _ in "---" })]
    }

    /// Adds a row.
    mutating func append(_ cells: String...) {
        lines.append(Self.row(cells))
    }

    /// The table's text with a final newline.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}

extension String {
    /// The text with the characters escaped that Markdown would take as markup in a table.
    var markdown: String {
        var result = ""
        for character in self {
            if "*_<>[]|\\`".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// The text as code in a table.
    var code: String { "`" + replacingOccurrences(of: "|", with: "\\|") + "`" }
}
