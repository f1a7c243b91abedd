@_spi(Baton) import BatonOperations

/// What has happened in a queue since the start of the coordinator or since the queue was made.
struct QueueTotals: Sendable {
    /// Whether operations have ended, or the queue has got its label, since the totals were last taken for the record.
    var isChanged = false
    /// The times from ready to started of all attempts, since the start of the coordinator.
    var waits = DurationHistogram()
    /// The run times of all attempts, measured by the workers, since the start of the coordinator.
    var runs = DurationHistogram()
}

/// What the figures of a queue have beside its ends since the start of the coordinator.
///
/// Apart from ``QueueState``, which is on the way of each operation: there it would make copies longer.
struct QueueEnds: Sendable {
    /// Whether the figures of the queue have a label of their own: see ``QueueLabels``.
    var hasLabel = false
    /// How the operations of the queue's label ended before the start of the coordinator or the creation of the queue.
    var beforeStart = EndCounts()
    /// The ends of a queue without a label of its own that the sum of these queues includes.
    var added = EndCounts()
    /// How the operations of deleted queues in the same place have ended since the start of the coordinator.
    var ofDeleted = EndCounts()
}
