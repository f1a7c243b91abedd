@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes a benchmark's job as a graph file with one operation a line.
enum GraphLines {
    /// Writes the operations of a submission without arrays; the name of each operation is `o` and its position.
    static func write(_ submission: Submission, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "directory",
                "The file \(path) cannot be written. Set TMPDIR to a directory with enough space."
            )
        }
        defer { close(file) }
        var text: [UInt8] = []
        for (position, entry) in submission.entries.enumerated() {
            text += line(entry, at: position, doing: submission.templates[entry.template].work.kind)
            if text.count > 1 << 20 {
                try Output.write(text, to: file)
                text.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(text, to: file)
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
