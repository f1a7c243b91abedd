@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
import Foundation
@_spi(Baton) import BatonOperations

/// Writes a benchmark's job as a graph file with one operation a line.
enum GraphLines {
    /// Writes the operations of a submission without arrays; the name of each operation is `o` and its position.
    static func write(_ submission: Submission, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "directory",
                "The file \(path) cannot be written. Set TMPDIR to a directory with enough space."
            )
        }
        defer { try? file.close() }
        var text: [UInt8] = []
        for (position, entry) in submission.entries.enumerated() {
            text += line(entry, at: position, doing: submission.templates[entry.template].work.kind)
            if text.count > 1 << 20 {
                try file.write(contentsOf: text)
                text.removeAll(keepingCapacity: true)
            }
        }
        try file.write(contentsOf: text)
    }

    private static func line(_ entry: Entry, at position: Int, doing work: Work.Kind) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", "o\(position)")
        // A workload has only these two kinds of work.
        if case .commands(let commands) = work {
            writer.member("command", strings: commands.first)
        } else {
            writer.member("kind", "noop")
        }
        let targets = entry.dependencies.compactMap { dependency -> String? in
            if case .entry(let target) = dependency.target { "o\(target)" } else { nil }
        }
        if !targets.isEmpty { writer.member("after", strings: targets) }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
