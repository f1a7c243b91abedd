@_spi(Baton) public import BatonOperations

/// The answer to a client's request.
@_spi(Baton) public enum Answer: Hashable, Sendable {
    /// The submission is this job; `isNew` is false if the submission's key was known already.
    case job(JobNumber, operations: Int, isNew: Bool)
    /// The operations were added to the job, from an index on; `isNew` is false if the addition's key was known already.
    case added(JobNumber, first: UInt32, operations: UInt32, isNew: Bool)
    /// The changes that the request made.
    case changed(ChangeReport)
    /// The request was refused and changed nothing.
    case refused(Refusal)
}
