import Foundation
import Testing

@Suite("Manual: blocks of code")
struct BlockTests {
    @Test("Each block of code names its language at its beginning, and ends before the next one begins")
    func fences() throws {
        let folder = ManualPage(name: "Baton").file.deletingLastPathComponent()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".md") {
            var isInside = false
            for line in try ManualPage.lines(of: ManualPage(name: String(file.dropLast(".md".count))).text()) {
                guard line.hasPrefix("```") else { continue }
                #expect((line == "```") == isInside, "\(file): \(line)")
                isInside.toggle()
            }
            #expect(!isInside, "\(file) ends within a block of code")
        }
    }
}
