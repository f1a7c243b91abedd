@_spi(Baton) public import BatonOperations

/// The effect of a cancellation: `cancel`.
@_spi(Baton) public struct CancelDocument: Document {
    /// The number of unfinished operations newly cancelled by this request; 0 means no effect (CA9).
    public var cancelled: Int
    /// Sentences about operations that were not cancelled, with the reasons, and about a request that was sent twice, whose first time is
    /// not counted.
    public var notes: [String]
    /// The workers without an answer in time; an operation sent to such a worker may still start (CA15).
    public var unanswered: [String]

    /// Describes the effect of a cancellation.
    public init(_ report: ChangeReport) {
        cancelled = report.changed
        notes = report.notes
        unanswered = report.unanswered
    }
}
