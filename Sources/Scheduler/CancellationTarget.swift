public import Operations

/// What a user wants to be cancelled.
public enum CancellationTarget: Hashable, Sendable {
    /// One operation.
    case operation(OperationID)
    /// All operations of a job.
    case job(JobNumber)
    /// All operations that are in a queue now (CA6).
    case queue(String)
}
