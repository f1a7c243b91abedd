@_spi(Baton) public import BatonOperations

/// The coordinator's reply to a submission.
@_spi(Baton) public struct SubmittedJob: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// The number of operations in the job.
    public var operations: UInt32
    /// Whether the submission created the job; false if a job with the submission's key existed already.
    public var isNew: Bool
}
