@_spi(Baton) import BatonOperations

/// What has happened in a queue since the start of the coordinator or since the queue was made, and what came before.
struct QueueTotals: Sendable {
    /// How the operations of the queue ended before the start of the coordinator, by the record.
    var endsBeforeStart = EndCounts()
    /// How the operations of deleted queues in the same place have ended since the start of the coordinator.
    var endsOfDeleted = EndCounts()
    /// Whether operations have ended since the totals were last taken for the record.
    var isChanged = false
    /// The times from ready to started of all attempts; they begin anew with the coordinator.
    var waits = DurationHistogram()
    /// The times that attempts took, as their workers measured them; they begin anew with the coordinator.
    var runs = DurationHistogram()
}
