import BatonDocuments
import BatonOperations
import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where the output of an operation goes.
struct OutputSink: Sendable {
    /// In which form it is written.
    enum Form: Sendable {
        /// As it is; standard error to standard error where the two are kept apart, else all to standard output.
        case bytes(standardErrorApart: Bool)
        /// One JSON document a line for each piece; bytes that are no UTF-8 are replaced.
        case documents
    }

    let operation: Address
    let form: Form
    /// Whether output that is no longer kept is mentioned.
    let notesGaps: Bool

    func take(_ chunk: OutputChunk, of stream: OutputStream, after offset: UInt64) throws {
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
