import BatonOperations

/// The two files that an attempt prints to; its commands share them.
///
/// Whoever opened it closes it: first what it writes with, once its commands have been launched, through
/// ``closeWriters()``, and then the rest through ``OutputArchive/close(_:)``.
struct AttemptOutput: Sendable {
    /// One of the two.
    struct Stream: Sendable {
        /// Has the name of a blank file until the attempt is over.
        let file: PooledOutputFile
        /// Appends to the file.
        let writer: Int32

        /// The end of what it got.
        ///
        /// - Parameter span: which part of it the file still has.
        func tail(of span: StreamSpan) -> OutputTail {
            let length = file.length
            guard length + span.base > 0 else { return OutputTail() }
            let kept = min(span.kept(ofFile: length), UInt64(OutputTail.maximumLength))
            return OutputTail(
                totalLength: span.base + length,
                bytes: readBytes(file.reader, from: length - kept, atMost: Int(kept))
            )
        }
    }

    /// The common path of what is kept of it, without `.out` and `.err`.
    let stem: String
    let standardOutput: Stream
    let standardError: Stream

    /// Takes two blank files.
    static func open(stem: String, from blanks: OutputFilePool) throws(FileFailure) -> AttemptOutput {
        let (file, writer) = try blanks.take()
        let standardOutput = Stream(file: file, writer: writer)
        do {
            let (file, writer) = try blanks.take()
            return AttemptOutput(
                stem: stem,
                standardOutput: standardOutput,
                standardError: Stream(file: file, writer: writer)
            )
        } catch {
            closeDescriptor(standardOutput.writer)
            blanks.giveBack(standardOutput.file)
            throw error
        }
    }

    /// Closes the worker's own copies of what its commands print to.
    func closeWriters() {
        closeDescriptor(standardOutput.writer)
        closeDescriptor(standardError.writer)
    }

    /// Whether nothing has been printed yet.
    var isBlank: Bool { standardOutput.file.length == 0 && standardError.file.length == 0 }
}
