public import BatonOperations

/// What the coordinator answers to a request.
public enum Reply: Hashable, Sendable {
    /// The submission is on disk as this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: UInt32, isNew: Bool)
    /// How far it has come.
    case progress(WaitProgress)
    /// What it changed; that is on disk.
    case changed(ChangeReport)
    /// What has happened.
    case events(EventPage)
    /// A JSON document in UTF-8.
    case document([UInt8])
    /// A piece of output.
    case output(OutputChunk)
    /// The bytes of a result; nil where the operation left none.
    case result([UInt8]?)
    /// It was not done; the sentence says why.
    case refused(Refusal)
}
