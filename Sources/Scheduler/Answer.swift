public import BatonOperations

/// What a client is answered.
public enum Answer: Hashable, Sendable {
    /// The submission is this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: Int, isNew: Bool)
    /// What was changed.
    case changed(ChangeReport)
    /// It was not done, and nothing of it.
    case refused(Refusal)
}
