@_spi(Baton) public import BatonOperations

/// Operations that a user selects.
@_spi(Baton) public enum OperationSelection: Hashable, Sendable {
    /// One operation.
    case operation(OperationID)
    /// Consecutive operations of a job, such as an array; indices beyond the job's last operation are ignored.
    case operations(JobNumber, Range<UInt32>)
    /// All operations of a job.
    case job(JobNumber)
    /// All operations in a queue at present (CA6).
    case queue(String)
}
