import Foundation

/// The tests of this package by the statements of the contract that their names cite.
struct TestCatalogue {
    /// A test function.
    struct Entry: Hashable {
        /// The file below `Tests`, without extension.
        var file: String
        /// The function's name without parentheses.
        var function: String
    }

    /// The tests that show each statement, those of `EndToEnd` first.
    private(set) var testsByStatement: [String: [Entry]] = [:]
    /// The statements that any source or test file cites, with one of the files.
    private(set) var citations: [String: String] = [:]

    /// Reads `Sources` and `Tests`.
    init() {
        let tests = ManualPage.swiftFiles(in: ["Tests"])
        let isEndToEnd = { (file: (path: String, text: String)) in file.path.hasPrefix("Tests/EndToEnd/Semantics/") }
        for file in tests.filter(isEndToEnd) + tests.filter({ !isEndToEnd($0) }) { readTests(file.path, file.text) }
        for file in ManualPage.swiftFiles(in: ["Sources"]) + tests {
            for statement in Self.statements(in: file.text) where citations[statement] == nil {
                citations[statement] = file.path
            }
        }
    }

    /// The numbers of statements in a text, in the order of appearance.
    static func statements(in text: some StringProtocol) -> [String] {
        var found: [String] = []
        var word: [UInt8] = []
        func endWord() {
            defer { word.removeAll(keepingCapacity: true) }
            guard (2...4).contains(word.count) else { return }
            let letters = word.prefix { (0x41...0x5A).contains($0) }
            let digits = word.dropFirst(letters.count)
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                sections.contains(String(decoding: letters, as: UTF8.self))
            else { return }
            found.append(String(decoding: word, as: UTF8.self))
        }
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...: word.append(byte)
            default: endWord()
            }
        }
        endWord()
        return found
    }

    /// The letters before the numbers of statements.
    private static let sections: Set<String> = [
        "ST", "DE", "PR", "QO", "QU", "CO", "SU", "CA", "CM", "WA", "BA", "PG", "OB", "BL", "D", "RT", "SC", "LI",
        "EL", "FI",
    ]

    /// Records the tests of a file: functions after `@Test`, with a display name or a name in backticks.
    private mutating func readTests(_ path: String, _ text: String) {
        let file = String(path.dropFirst("Tests/".count).dropLast(".swift".count))
        var attribute: String?
        for line in text.split(separator: "\n") {
            if let start = line.range(of: "@Test") {
                attribute = String(line[start.lowerBound...])
            } else if attribute != nil {
                attribute?.append(" " + line)
            }
            guard let given = attribute, let start = given.range(of: "func ") else { continue }
            attribute = nil
            let rest = given[start.upperBound...]
            let isRaw = rest.hasPrefix("`")
            let name = isRaw ? rest.dropFirst().prefix { $0 != "`" } : rest.prefix { $0 != "(" && $0 != "<" }
            let title = isRaw ? name : Self.firstString(in: given[..<start.lowerBound])
            for statement in Self.statements(in: title) {
                let entry = Entry(file: file, function: String(name))
                if testsByStatement[statement]?.contains(entry) != true {
                    testsByStatement[statement, default: []].append(entry)
                }
            }
        }
    }

    /// The content of the first string literal of a text; empty without one.
    private static func firstString(in text: Substring) -> Substring {
        guard let open = text.firstIndex(of: "\"") else { return "" }
        let content = text[text.index(after: open)...]
        return content[..<(content.firstIndex(of: "\"") ?? content.endIndex)]
    }

    /// The sentence of a statement in the manual that names its tests; nil without tests.
    func sentence(for statement: String) -> String? {
        guard let entries = testsByStatement[statement] else { return nil }
        var files: [(file: String, functions: [String])] = []
        for entry in entries {
            if let place = files.firstIndex(where: { $0.file == entry.file }) {
                files[place].functions.append(entry.function)
            } else {
                files.append((entry.file, [entry.function]))
            }
        }
        let parts = files.map { file in
            "`\(file.file)`: " + file.functions.map { "`\($0)`" }.joined(separator: ", ")
        }
        return Self.lead + parts.joined(separator: "; ") + "."
    }

    /// The first words of each sentence that names tests.
    static let lead = "Shown by "
}
