@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The destination of an operation's output.
struct OutputSink: Sendable {
    /// The form of the output.
    enum Form: Sendable {
        /// Unchanged bytes; standard error goes to standard error if kept apart, otherwise to standard output.
        case bytes(standardErrorApart: Bool)
        /// One JSON document per line for each piece; invalid UTF-8 is replaced.
        case documents
    }

    let operation: Address
    let form: Form
    /// Whether to report output that is no longer stored.
    let notesGaps: Bool

    func receive(_ chunk: OutputChunk, of stream: OutputStream, after offset: UInt64) throws {
        if chunk.offset > offset, notesGaps {
            let missing = "\(chunk.offset - offset) bytes of this output of \(operation.asShown) are no longer kept."
            Output.note(offset == 0 ? "The first \(missing)" : "The next \(missing)")
        }
        guard !chunk.bytes.isEmpty else { return }
        switch form {
        case .bytes(let isApart):
            try Output.write(chunk.bytes, to: isApart && stream == .standardError ? STDERR_FILENO : STDOUT_FILENO)
        case .documents:
            let name = stream == .standardOutput ? "stdout" : "stderr"
            try Output.document { writer in
                writer.member("operation", operation.description)
                writer.member("stream", name)
                writer.member("offset", chunk.offset)
                writer.member("text", String(decoding: chunk.bytes, as: UTF8.self))
            }
        }
    }
}
