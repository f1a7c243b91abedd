@_spi(Baton) public import BatonOperations

/// A retry of a job, with what has become of it.
@_spi(Baton) public struct JobRetry: Document {
    /// The number of the new job.
    public var job: JobNumber
    /// The state of the new job.
    public var state: OperationState
    /// The outcome of the new job; nil until it is finished.
    public var outcome: Outcome?

    /// Describes a retry.
    public init(job: JobNumber, state: OperationState, outcome: Outcome? = nil) {
        self.job = job
        self.state = state
        self.outcome = outcome
    }

    /// The number of the new job, with its outcome or else its state.
    public var text: String { "\(job): \(outcome?.description ?? state.description)" }
}
