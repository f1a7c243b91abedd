@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
import Synchronization

/// The missing parts of the output that a command prints: a reader behind a pipe sees them by the exit status alone.
final class MissingOutput: Sendable {
    private let isQuiet: Bool
    private let isJSON: Bool
    private let countsLosses: Bool
    private let isFound = Mutex(false)

    /// - Parameters:
    ///   - isQuiet: whether no notes are wanted.
    ///   - isJSON: whether the output is documents, among which one says which bytes are missing.
    ///   - countsLosses: whether the output of an attempt that was lost with its worker is missing; for a command that runs the
    ///     operation, it is not, because the attempt after it prints everything again.
    init(isQuiet: Bool, isJSON: Bool, countsLosses: Bool) {
        self.isQuiet = isQuiet
        self.isJSON = isJSON
        self.countsLosses = countsLosses
    }

    convenience init(_ global: GlobalOptions, countsLosses: Bool) {
        self.init(isQuiet: global.quiet, isJSON: global.json, countsLosses: countsLosses)
    }

    /// Whether anything is missing.
    var isAny: Bool { isFound.withLock { $0 } }

    /// Notes that the bytes of a stream between two positions are missing; nothing if there are none.
    ///
    /// After a restart of the coordinator, the worker that has them may only be on its way back.
    func note(from offset: UInt64, to end: UInt64, of source: OutputSource) throws {
        guard end > offset else { return }
        let bytes =
            "\(end - offset) bytes of this output of \(source.operation) are missing: they are no longer kept, or their worker is not connected."
        note(offset == 0 ? "The first \(bytes)" : "The next \(bytes)")
        guard isJSON else { return }
        try Output.document { writer in
            OutputSink.write([], of: source, at: offset, to: &writer)
            writer.member("missing", end - offset)
        }
    }

    /// Notes that the output of an attempt was lost with its worker; how much that was, nobody knows.
    func noteLoss(of source: OutputSource) throws {
        guard countsLosses else { return }
        note("The output of attempt \(source.attempt) of \(source.operation) was lost with its worker.")
        guard isJSON else { return }
        try Output.document { writer in
            OutputSink.write([], of: source, at: 0, to: &writer)
            writer.member("lost", true)
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
