@_spi(Baton) public import BatonOperations

/// The effect of a change to operations or a queue: `hold`, `release`, `priority`, `depend`, `undepend`, `queue set` and
/// similar.
@_spi(Baton) public struct ChangeDocument: Document {
    /// The number of changed operations or queues; 0 means no effect.
    public var changed: Int
    /// Sentences about operations or queues that were not changed, with the reasons, and about a request that was sent twice, whose first time
    /// is not counted.
    public var notes: [String]
    /// The workers without an answer in time; an operation sent to such a worker may still start (SU8).
    public var unanswered: [String]

    /// Describes the effect of a change.
    public init(_ report: ChangeReport) {
        changed = report.changed
        notes = report.notes
        unanswered = report.unanswered
    }
}
