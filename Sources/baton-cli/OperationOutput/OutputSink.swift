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

    let operation: OperationID
    let form: Form
    /// What is told of output that is no longer stored.
    let missing: MissingOutput
    /// Whether a line says which attempt begins, from the second one on.
    var marksAttempts = false
    /// What has been written before, by another process; nil for nothing.
    var written: WrittenOutput?

    func receive(_ chunk: OutputChunk, of stream: OutputStream, attempt: UInt32, after offset: UInt64) async throws {
        try missing.note(from: offset, to: chunk.offset, of: source(stream, attempt))
        guard !chunk.bytes.isEmpty else { return }
        switch form {
        case .bytes(let isApart):
            if marksAttempts, attempt > 1, offset == 0 { try Output.line("--- attempt \(attempt) ---") }
            let bytes = written?.rest(of: chunk.bytes, stream, attempt: attempt) ?? chunk.bytes
            if let line = ServedLine.current { return try await line.write(bytes, stream, attempt: attempt) }
            try Output.write(bytes, to: isApart && stream == .standardError ? STDERR_FILENO : STDOUT_FILENO)
        case .documents:
            try Output.document { Self.write(chunk.bytes, of: source(stream, attempt), at: chunk.offset, to: &$0) }
        }
    }

    private func source(_ stream: OutputStream, _ attempt: UInt32) -> OutputSource {
        OutputSource(operation: operation, attempt: attempt, stream: stream)
    }

    /// Writes the members of the document for a piece of output.
    static func write(_ bytes: [UInt8], of source: OutputSource, at offset: UInt64, to writer: inout JSONWriter) {
        writer.member("operation", source.operation.description)
        writer.member("attempt", source.attempt)
        writer.member("stream", source.streamName)
        writer.member("offset", offset)
        writer.member("text", String(decoding: bytes, as: UTF8.self))
    }
}
