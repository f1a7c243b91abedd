public import Operations

/// What the coordinator answers to a request.
public enum Reply: Hashable, Sendable {
    /// The submission is on disk as this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: UInt32, isNew: Bool)
    /// How far it has come.
    case progress(WaitProgress)
    /// How many operations the cancellation met unfinished; 0 says that it had no effect.
    case cancelled(UInt32)
    /// It is done, and on disk.
    case done
    /// A JSON document in UTF-8.
    case document([UInt8])
    /// A piece of output.
    case output(OutputChunk)
    /// The bytes of a result; nil where the operation left none.
    case result([UInt8]?)
    /// It was not done; the sentence says why.
    case refused(Refusal)
}
