import Foundation
import Testing

@Suite("Manual: architecture")
struct ArchitectureTests {
    /// The names of all types that the sources and tests declare.
    private static func declaredTypes() -> Set<Substring> {
        let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        var names: Set<Substring> = []
        for file in ManualPage.swiftFiles(in: ["Sources", "Tests"]) {
            for line in file.text.split(separator: "\n") {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(keyword) {
                    names.insert(name)
                }
            }
        }
        return names
    }

    @Test("Each type, file and folder that the page names exists")
    func names() throws {
        let types = Self.declaredTypes()
        let files = Set(
            ManualPage.swiftFiles(in: ["Sources", "Tests"]).map { file in
                URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
            }
        )
        let page = ManualPage(name: "Architecture")
        let pieces = try page.text().split(separator: "`", omittingEmptySubsequences: false)
        // Every second piece is code.
        let names = pieces.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        #expect(names.count > 50)
        for name in names {
            if name.hasPrefix("Sources/") || name.hasPrefix("Tests/") {
                guard !name.contains("<") else { continue }
                let path = ManualPage.root.appendingPathComponent(String(name)).path
                #expect(FileManager.default.fileExists(atPath: path), "Architecture.md names \(name)")
            } else if name.first?.isUppercase == true, name.allSatisfy({ $0.isLetter || $0 == "+" }) {
                let isFolder = ["Sources/\(name)", "Tests/\(name)"].contains { folder in
                    FileManager.default.fileExists(atPath: ManualPage.root.appendingPathComponent(folder).path)
                }
                #expect(
                    isFolder || types.contains(name) || files.contains(String(name)),
                    "Architecture.md names \(name), which is declared nowhere"
                )
            }
        }
    }

    @Test("Each module in Sources is named in the table of modules")
    func modules() throws {
        let text = try ManualPage(name: "Architecture").text()
        let sources = ManualPage.root.appendingPathComponent("Sources").path
        for module in try FileManager.default.contentsOfDirectory(atPath: sources) where !module.hasPrefix(".") {
            #expect(text.contains("`\(module)`"), "Architecture.md does not name the module \(module)")
        }
    }

    @Test("Only the library Baton imports all of Foundation, whose Unicode data are most of a program's size")
    func foundation() {
        let importing = ManualPage.swiftFiles(in: ["Sources"]).filter { file in
            file.text.split(separator: "\n").contains { $0 == "import Foundation" }
        }
        #expect(!importing.isEmpty)
        #expect(importing.map(\.path).filter { !$0.hasPrefix("Sources/Baton/") } == [])
    }
}
