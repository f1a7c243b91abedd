@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes a benchmark's job as a graph file.
enum GraphLines {
    /// Writes the operations of a submission without arrays to a file, one a line.
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
            var writer = JSONWriter()
            write(entry, at: position, of: submission, to: &writer)
            text += writer.bytes + [UInt8(ascii: "\n")]
            if text.count > 1 << 20 {
                try Output.write(text, to: file)
                text.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(text, to: file)
    }

    /// The operations of a submission without arrays as one document.
    static func document(_ submission: Submission) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("operations", array: submission.entries.enumerated()) { operation, writer in
            write(operation.element, at: operation.offset, of: submission, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Writes an operation; its name is `o` and its position.
    private static func write(
        _ entry: Entry,
        at position: Int,
        of submission: Submission,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("name", "o\(position)")
        // A workload has only these two kinds of work.
        if case .commands(let commands) = submission.templates[entry.template].work.kind {
            writer.member("command", strings: commands.first)
        } else {
            writer.member("kind", "noop")
        }
        if entry.isHeld { writer.member("hold", true) }
        let targets = entry.dependencies.compactMap { dependency -> String? in
            if case .entry(let target) = dependency.target { "o\(target)" } else { nil }
        }
        if !targets.isEmpty { writer.member("after", strings: targets) }
        writer.endObject()
    }
}
