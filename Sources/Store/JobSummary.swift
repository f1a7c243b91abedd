@_spi(Baton) public import BatonOperations

/// The summary of a job, for lists.
@_spi(Baton) public struct JobSummary: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// The job's name; nil for none.
    public var name: String?
    /// The queue of its first operation.
    public var queue: String
    /// The number of operations.
    public var operations: Int
    /// When the coordinator accepted the job.
    public var submittedAt: Timestamp
    /// Who asked for the job; nil if nobody is known.
    public var submittedBy: String?
    /// When the first attempt was started; nil for an unfinished job, and for a job in which nothing has run.
    public var startedAt: Timestamp?
    /// When the last operation was finished; nil for an unfinished job.
    public var finishedAt: Timestamp?
    /// The outcomes of the operations; nil for an unfinished job.
    public var counts: JobCounts?
    /// The operation that made the job fail or be cancelled; nil for an unfinished or successful job.
    public var root: OperationID?
    /// The job that this job retries; nil for none.
    public var retryOf: JobNumber?
    /// The digest of the submission with the key; nil for a job without a key.
    public var keyDigest: UInt64?
    /// What the submission says about the job as a whole.
    public var settings = JobSettings()
    /// Whether the job takes further operations.
    public var isOpen = false
    /// The client's key; nil for none.
    public var key: String?

    /// The effect of the end on dependents; nil for an unfinished job.
    public var ending: Ending? {
        let root = root ?? OperationID(job: number, index: 0)
        return switch counts?.outcome {
        case .succeeded: .succeeded
        case .failed, .skipped: .failed(root)
        case .cancelled: .cancelled(root)
        case nil: nil
        }
    }
}
