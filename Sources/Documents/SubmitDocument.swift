@_spi(Baton) public import BatonOperations

/// The result of a submission: `submit`.
@_spi(Baton) public struct SubmitDocument: Document {
    /// The number of the new job.
    public var job: JobNumber
    /// The number of operations in the job; of operations that were added to an open job, their number.
    public var operations: UInt32
    /// The index of the first operation that was added to an open job; null for a new job.
    public var first: UInt32?
    /// Why no worker that is connected can ever take one of the operations (D16), in answers over HTTP; absent otherwise.
    @IfPresent public var unplaceable: String?

    /// Describes an accepted submission.
    public init(job: JobNumber, operations: UInt32, first: UInt32? = nil, unplaceable: String? = nil) {
        self.job = job
        self.operations = operations
        self.first = first
        self.unplaceable = unplaceable
    }
}
