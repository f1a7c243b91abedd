@_spi(Baton) import BatonOperations

/// What has happened in a queue since the start of the coordinator, or since the queue was made.
struct QueueTotals: Sendable {
    /// The queue's operations that were unfinished when the coordinator started: nobody has submitted them since.
    var restored = 0
    /// How the operations of deleted queues in the same place have ended.
    var endedBefore = JobCounts()
    /// The times from ready to started of all attempts.
    var waits = DurationHistogram()
    /// The times that attempts took, as their workers measured them.
    var runs = DurationHistogram()
}
