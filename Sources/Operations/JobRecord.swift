/// A job as it is kept: the submission under its number.
public struct JobRecord: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// When the coordinator took it.
    public var submittedAt: Timestamp
    /// What was submitted.
    ///
    /// Dependencies on existing operations are resolved: none of them is by name.
    public var submission: Submission

    /// Describes a job.
    public init(number: JobNumber, submittedAt: Timestamp, submission: Submission) {
        self.number = number
        self.submittedAt = submittedAt
        self.submission = submission
    }
}

/// An unfinished job as a restarted coordinator finds it.
public struct RestoredJob: Hashable, Sendable {
    /// The job itself.
    public var job: JobRecord
    /// What is known of those of its operations that anything happened to, in the order of their indices.
    public var records: [OperationRecord]

    /// Describes an unfinished job.
    public init(job: JobRecord, records: [OperationRecord]) {
        self.job = job
        self.records = records
    }
}

/// What has become of a dependency that is finished and gone from the scheduler's memory.
public struct SettledDependency: Hashable, Sendable {
    /// Whether it, or all of a job's operations, succeeded.
    public var succeeded: Bool
    /// Whether it, or any of a job's operations, failed after its retries.
    public var failed: Bool
    /// Whether it, or any of a job's operations, left a result.
    public var hasResult: Bool

    /// Describes a finished dependency.
    public init(succeeded: Bool, failed: Bool, hasResult: Bool) {
        self.succeeded = succeeded
        self.failed = failed
        self.hasResult = hasResult
    }
}
