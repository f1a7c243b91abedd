@_spi(Baton) import BatonOperations

/// The two output files of an attempt, shared by its commands.
///
/// The opener closes the files: first the writers through ``closeWriters()``, once the commands have been launched,
/// and then the rest through ``OutputArchive/close(_:)``.
struct AttemptOutput: Sendable {
    /// An output stream of the attempt.
    struct Stream: Sendable {
        /// Has the name of a blank file until the attempt ends.
        let file: PooledOutputFile
        /// Appends to the file, or to a file that the user has chosen; see ``OutputFiles``.
        var writer: Int32
        /// A named pipe that the user has chosen, which the commands open in place of the writer.
        var pipe: String?

        /// The end of the stream's output.
        ///
        /// - Parameter span: the part of the stream that the file still has.
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

    let owner: OutputOwner
    var standardOutput: Stream
    var standardError: Stream
    /// The number of the directory of results at the attempt's start; see ``ResultsPlace/number``.
    var resultsNumber: Int?

    /// Takes two blank files.
    static func open(for owner: OutputOwner, from blanks: OutputFilePool) throws(FileFailure) -> AttemptOutput {
        let (file, writer) = try blanks.take()
        let standardOutput = Stream(file: file, writer: writer)
        do {
            let (file, writer) = try blanks.take()
            return AttemptOutput(
                owner: owner,
                standardOutput: standardOutput,
                standardError: Stream(file: file, writer: writer)
            )
        } catch {
            closeDescriptor(standardOutput.writer)
            if !blanks.takeBack(standardOutput.file) { standardOutput.file.remove() }
            throw error
        }
    }

    /// Closes the worker's own copies of the descriptors that commands print to.
    func closeWriters() {
        closeDescriptor(standardOutput.writer)
        closeDescriptor(standardError.writer)
    }
}
