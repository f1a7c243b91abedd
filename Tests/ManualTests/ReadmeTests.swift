import Foundation
import Testing

@Suite("Manual: the README")
struct ReadmeTests {
    private func text() throws -> String {
        try String(contentsOf: ManualPage.root.appendingPathComponent("README.md"), encoding: .utf8)
    }

    @Test("It has at most 900 words")
    func length() throws {
        #expect(try text().split(whereSeparator: \.isWhitespace).count <= 900)
    }

    @Test("Its links and its picture lead to files, and the scripts that it names exist")
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
}
