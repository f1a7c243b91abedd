@_spi(Baton) public import BatonOperations

/// The coordinator's answer to a request.
@_spi(Baton) public enum Reply: Hashable, Sendable {
    /// The submission is on disk as this job; `isNew` is false for a key already known.
    case job(JobNumber, operations: UInt32, isNew: Bool)
    /// The operations were added to this job, from an index on, and are on disk; `isNew` is false for a key already known.
    case added(JobNumber, first: UInt32, operations: UInt32, isNew: Bool)
    /// The progress of a wait.
    case progress(WaitProgress)
    /// The effect of a change, already on disk.
    case changed(ChangeReport)
    /// A page of events.
    case events(EventPage)
    /// A JSON document in UTF-8.
    case document([UInt8])
    /// A piece of output.
    case output(OutputChunk)
    /// A page of outputs.
    case outputs(OutputPage)
    /// A page of what happened in a job.
    case history(HistoryPage)
    /// The bytes of a result; nil where the operation left none.
    case result([UInt8]?)
    /// A piece of a file.
    case filePiece(FilePiece)
    /// Some contents of files, in the order of the request.
    case digests([ContentDigest])
    /// A piece of a sent file was taken; the file is on disk if it is whole.
    case received(isWhole: Bool)
    /// The refusal of a request, with the reason in a sentence.
    case refused(Refusal)
}
