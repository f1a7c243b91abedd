/// A job in the record: the submission under its number.
@_spi(Baton) public struct JobRecord: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// When the coordinator accepted the job.
    public var submittedAt: Timestamp
    /// Who asked for the job, such as the name of a key; nil if nobody is known.
    public var submittedBy: String?
    /// The number of the first operation in the order of additions; the other operations follow.
    public var order: UInt64
    /// The submission.
    ///
    /// Dependencies on existing operations are resolved: only arrays are referred to by name.
    public var submission: Submission
    /// Whether the record already has the rows of the submission's templates and entries, which came in parts.
    public var areRowsStored: Bool

    /// Describes a job.
    public init(
        number: JobNumber,
        submittedAt: Timestamp,
        submittedBy: String? = nil,
        order: UInt64,
        submission: Submission,
        areRowsStored: Bool = false
    ) {
        self.number = number
        self.submittedAt = submittedAt
        self.submittedBy = submittedBy
        self.order = order
        self.submission = submission
        self.areRowsStored = areRowsStored
    }
}
