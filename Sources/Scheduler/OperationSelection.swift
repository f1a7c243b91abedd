public import BatonOperations

/// Some operations that a user means.
public enum OperationSelection: Hashable, Sendable {
    /// One operation.
    case operation(OperationID)
    /// Consecutive operations of a job, such as an array; what lies beyond the job's last is passed over.
    case operations(JobNumber, Range<UInt32>)
    /// All operations of a job.
    case job(JobNumber)
    /// All operations that are in a queue now (CA6).
    case queue(String)
}
