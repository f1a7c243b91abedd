@_spi(Baton) public import BatonOperations

/// The progress of the targets of a wait.
@_spi(Baton) public struct WaitProgress: Hashable, Sendable {
    /// The counts of all named targets; operations that ended in a queue count only once all targets are finished.
    public var counts: JobCounts
    /// Whether all targets are finished.
    public var isFinished: Bool
    /// When the wait for a queue began; nil without a queue.
    public var began: RecordMoment?

    /// The progress that the executing operations report, as a sum in millionths of an operation; nil if the request did not ask
    /// for it.
    public var partial: UInt64?

    /// The whole output of all attempts of the only operation, in the order of attempts and streams; nil before its end, if it is too
    /// long or not kept whole, and if the request did not ask for it.
    public var outputs: [OutputPage.Piece]?

    /// Describes the progress.
    public init(
        counts: JobCounts,
        isFinished: Bool,
        began: RecordMoment? = nil,
        partial: UInt64? = nil,
        outputs: [OutputPage.Piece]? = nil
    ) {
        self.counts = counts
        self.isFinished = isFinished
        self.began = began
        self.partial = partial
        self.outputs = outputs
    }
}
