import Foundation
import Testing

/// A script of the manual's page for users of other programs, and what it prints.
struct ManualScript: CustomTestStringConvertible, Sendable {
    /// The last heading above the script.
    var heading: String
    var text: String
    /// The text below the script; nil if there is none before the next script.
    var output: String?

    var testDescription: String { "\(heading): \(text.prefix { $0 != "\n" })" }

    /// The scripts of the page.
    static let all = scripts(in: (try? String(contentsOf: page, encoding: .utf8)) ?? "")

    private static var page: URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: "Sources/Baton/Baton.docc/ComingFrom.md")
    }

    /// The blocks of shell in a page, each with the block of text that follows it.
    private static func scripts(in page: String) -> [ManualScript] {
        var scripts: [ManualScript] = []
        var heading = ""
        var block: (language: Substring, lines: [Substring])?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let ended = block, line == "```" {
                let text = ended.lines.joined(separator: "\n") + "\n"
                if ended.language == "sh" {
                    scripts.append(ManualScript(heading: heading, text: text))
                } else if ended.language == "text", let last = scripts.indices.last {
                    scripts[last].output = text
                }
                block = nil
            } else if block != nil {
                block?.lines.append(line)
            } else if line.hasPrefix("```") {
                block = (line.dropFirst("```".count), [])
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
        return scripts
    }

    /// The program of another package that the script calls and that this host does not have; nil if there is none.
    var missingProgram: String? {
        let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["make", "ninja"].first { program in
            words.contains(program)
                && !directories.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }
}
