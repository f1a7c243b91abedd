public import Operations

/// What a client is answered.
public enum Answer: Hashable, Sendable {
    /// The submission is this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: Int, isNew: Bool)
    /// How many unfinished operations the cancellation met.
    case cancelled(Int)
    /// It is done.
    case done
    /// It was not done, and nothing of it.
    case refused(Refusal)
}
