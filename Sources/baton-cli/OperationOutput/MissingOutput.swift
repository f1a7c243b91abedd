@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
import Synchronization

/// The missing parts of the output that a command prints: a reader behind a pipe sees them by the exit status alone.
final class MissingOutput: Sendable {
    private let isQuiet: Bool
    private let isJSON: Bool
    private let isFound = Mutex(false)

    /// - Parameters:
    ///   - isQuiet: whether no notes are wanted.
    ///   - isJSON: whether the output is documents, among which one says which bytes are missing.
    init(isQuiet: Bool, isJSON: Bool) {
        self.isQuiet = isQuiet
        self.isJSON = isJSON
    }

    init(_ global: GlobalOptions) {
        isQuiet = global.quiet
        isJSON = global.json
    }

    /// Whether anything is missing.
    var isAny: Bool { isFound.withLock { $0 } }

    /// Notes the bytes of a stream between two positions as no longer kept; nothing if there are none.
    func note(from offset: UInt64, to end: UInt64, of source: OutputSource) throws {
        guard end > offset else { return }
        let bytes = "\(end - offset) bytes of this output of \(source.operation) are no longer kept."
        note(offset == 0 ? "The first \(bytes)" : "The next \(bytes)")
        guard isJSON else { return }
        try Output.document { writer in
            OutputSink.write([], of: source, at: offset, to: &writer)
            writer.member("missing", end - offset)
        }
    }

    /// Notes that output is missing, in a sentence.
    func note(_ sentence: String) {
        isFound.withLock { $0 = true }
        if !isQuiet { Output.note(sentence) }
    }

    /// Ends a command that has printed all output that is kept.
    ///
    /// - Throws: an end with 74 if a part of the output is missing.
    func end() throws {
        guard isAny else { return }
        // The notes have told the missing bytes.
        guard isJSON else { throw QuietExit(status: ExitStatus.incomplete) }
        throw CommandFailure(ExitStatus.incomplete, code: "incomplete", "A part of the output is missing.")
    }
}
