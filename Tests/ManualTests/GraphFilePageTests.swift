@_spi(Baton) @testable import BatonArguments
@_spi(Baton) import BatonGraphFiles
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) @testable import baton_cli

@Suite("Manual: graph files")
struct GraphFilePageTests {
    private let page = ManualPage(name: "GraphFiles")

    /// A row of a table: the key, and the example as the members of an object.
    private struct Row {
        var section: String
        var key: String
        var example: String
    }

    /// The rows of all tables with an example.
    private func rows() throws -> [Row] {
        var section = ""
        return try ManualPage.lines(of: page.text()).compactMap { line in
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            let cells = line.split(separator: " | ")
            guard line.hasPrefix("| `"), let key = cells.first, let example = cells.last, cells.count >= 3 else {
                return nil
            }
            return Row(section: section, key: Self.code(in: key), example: Self.code(in: example))
        }
    }

    /// The code blocks of a language.
    private func blocks(of language: String) throws -> [String] {
        try page.text().components(separatedBy: "```\(language)\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }

    private static func code(in cell: Substring) -> String {
        guard let start = cell.firstIndex(of: "`"), let end = cell.lastIndex(of: "`"), start < end else { return "" }
        return String(cell[cell.index(after: start)..<end])
    }

    private func read(_ text: String) throws(GraphFileError) -> Submission {
        let options = GraphFileOptions(
            fileName: "example",
            directory: "/",
            present: .here,
            sendsFiles: true,
            readLines: { _ throws(Refusal) in ["line", "another"] }
        )
        return try GraphFile.submission(from: Array(text.utf8), options: options)
    }

    /// The members that an operation with a key has: only a command leaves files, and finds some in its own directory.
    private static func work(beside key: String) -> String {
        switch key {
        case "outputs": "command: 'true'"
        case "copies": "command: 'true', outputs: ['*.bam']"
        case "inputs": "command: 'true', workspace: 'fresh'"
        default: "kind: 'noop'"
        }
    }

    @Test("Each example of a key can be read, where its table says that the key stands")
    func examples() throws {
        let rows = try rows()
        #expect(rows.count > 30)
        for row in rows {
            let graph =
                switch row.section {
                case "Keys of the file":
                    switch row.key {
                    case "operations": "{ \(row.example) }"
                    // Only a command finds files.
                    case "send": "{ \(row.example), operations: [{ command: 'true' }] }"
                    default: "{ \(row.example), operations: [{ kind: 'noop' }] }"
                    }
                case "Hooks of a job": "{ \(row.example), operations: [{ kind: 'noop' }] }"
                case "Keys of a queue": "{ queues: { q: { \(row.example) } }, operations: [{ kind: 'noop' }] }"
                case "Work of an operation":
                    ["name", "array", "each", "eachLine", "eachRow", "columns", "maxConcurrent"].contains(row.key)
                        ? "{ operations: [{ command: ['true', '{}'], \(row.example) }] }"
                        : "{ operations: [{ \(row.example) }] }"
                default:
                    "{ operations: [{ name: 'fetch', kind: 'noop' }, { \(Self.work(beside: row.key)), \(row.example) }] }"
                }
            #expect(row.example.contains(row.key + ":"), "\(row.key)")
            do { _ = try read(graph) } catch { Issue.record("\(row.key): \(error), in \(graph)") }
        }
    }

    @Test("The whole files of the page can be read")
    func files() throws {
        let graphs = try blocks(of: "json5")
        #expect(!graphs.isEmpty)
        for graph in graphs { #expect(throws: Never.self) { try read(graph) } }
        for lines in try blocks(of: "jsonl") {
            var reader = GraphLinesReader(
                options: GraphFileOptions(fileName: "example", readLines: { _ throws(Refusal) in [] })
            )
            try reader.read(Array(lines.utf8))
            #expect(try reader.finish().entries.count == 2)
        }
    }

    @Test("Each option of submit has a row, except those that a graph file does not need")
    func options() throws {
        let keys = Set(try rows().map(\.key))
        // Items of any text are an array of a graph file, which needs no file with zero bytes. The job to reuse is of one submission.
        let others = ["file", "env-file", "env-all", "open", "job", "reject-unplaceable", "each-line0", "reuse"]
        for definition in ArgumentDefinition.all(of: SubmitCommand()) where definition.groupTitle.isEmpty {
            guard case .long(let name)? = definition.names.last, !others.contains(name) else { continue }
            let words = name.split(separator: "-")
            var key = String(words[0]) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            // An option is repeated, where a key has all values.
            if ["resource", "label", "tag"].contains(key) { key += "s" }
            if key == "pick" { key = "inputs" }
            #expect(keys.contains(key), "GraphFiles.md has no row for \(key), which submit has as --\(name)")
        }
    }
}
