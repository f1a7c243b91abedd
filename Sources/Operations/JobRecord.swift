/// A job as it is kept: the submission under its number.
public struct JobRecord: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// When the coordinator took it.
    public var submittedAt: Timestamp
    /// The number of its first operation in the order of additions; the others follow it.
    public var order: UInt64
    /// What was submitted.
    ///
    /// Dependencies on existing operations are resolved: only arrays are named.
    public var submission: Submission

    /// Describes a job.
    public init(number: JobNumber, submittedAt: Timestamp, order: UInt64, submission: Submission) {
        self.number = number
        self.submittedAt = submittedAt
        self.order = order
        self.submission = submission
    }
}
