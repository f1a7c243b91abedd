public import BatonOperations

/// A job as a list shows it.
public struct JobSummary: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// Its name, where it has one.
    public var name: String?
    /// The queue of its first operation.
    public var queue: String
    /// How many operations it has.
    public var operations: Int
    /// When the coordinator took it.
    public var submittedAt: Timestamp
    /// When its last operation was finished; nil while it is not.
    public var finishedAt: Timestamp?
    /// How its operations ended; nil while it is not finished.
    public var counts: JobCounts?
    /// The operation that made it fail or be cancelled; nil while it is not finished, and where it has succeeded.
    public var root: OperationID?
    /// The job that it is a retry of; nil for none.
    public var retryOf: JobNumber?
    /// The digest of what was submitted with its key; nil where that is not known, or it has no key.
    public var keyDigest: UInt64?

    /// What its end means to those that depend on it; nil while it is not finished.
    public var ending: Ending? {
        let root = root ?? OperationID(job: number, index: 0)
        return switch counts?.outcome {
        case .succeeded: .succeeded
        case .failed, .skipped: .failed(root)
        case .cancelled: .cancelled(root)
        case nil: nil
        }
    }

    /// Describes a job.
    public init(
        number: JobNumber,
        name: String?,
        queue: String,
        operations: Int,
        submittedAt: Timestamp,
        finishedAt: Timestamp? = nil,
        counts: JobCounts? = nil
    ) {
        self.number = number
        self.name = name
        self.queue = queue
        self.operations = operations
        self.submittedAt = submittedAt
        self.finishedAt = finishedAt
        self.counts = counts
    }
}
