import Foundation
import Testing

@Suite("Manual: the README")
struct ReadmeTests {
    private func text() throws -> String {
        try String(contentsOf: ManualPage.root.appendingPathComponent("README.md"), encoding: .utf8)
    }

    @Test("The README has at most 900 words")
    func length() throws {
        #expect(try text().split(whereSeparator: \.isWhitespace).count <= 900)
    }

    @Test("The links and the picture of the README lead to files, and the scripts that it names exist")
    func links() throws {
        let text = try text()
        var targets = text.components(separatedBy: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
        targets += text.components(separatedBy: "scripts/").dropFirst().map {
            "scripts/" + $0.prefix(while: \.isLetter)
        }
        #expect(targets.count > 5)
        for target in targets where !target.hasPrefix("https://") {
            let path = ManualPage.root.appendingPathComponent(target).path
            #expect(FileManager.default.fileExists(atPath: path), "\(target)")
        }
    }

    @Test("The files that the page for contributors names exist")
    func contributing() throws {
        let page = ManualPage.root.appendingPathComponent(".github/CONTRIBUTING.md")
        let pieces = try String(contentsOf: page, encoding: .utf8).split(
            separator: "`",
            omittingEmptySubsequences: false
        )
        // Every second piece is code.
        let names = pieces.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        let paths = names.filter { $0.hasPrefix("Sources/") && !$0.contains("<") }
        #expect(!paths.isEmpty)
        for path in paths {
            let file = ManualPage.root.appendingPathComponent(String(path)).path
            #expect(FileManager.default.fileExists(atPath: file), "CONTRIBUTING.md names \(path)")
        }
    }
}
