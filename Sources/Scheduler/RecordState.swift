@_spi(Baton) import BatonOperations

/// The state that the scheduler shares with the record: whether it can be written, the next numbers, and the totals.
struct RecordState: Sendable {
    /// What has happened since the record was made.
    struct Totals: Equatable, Sendable {
        /// The starts and ends of attempts.
        var attempts = AttemptTotals()
        /// How many jobs have finished with each outcome.
        var jobs = EndCounts()
    }

    /// Whether the record can be written; if not, nothing is dispatched, because a crash would leave too much unknown.
    var isWritable = true
    /// The number of the next job.
    var nextJob: JobNumber
    /// The number of the next event.
    var nextEvent: UInt64 = 1
    /// The totals now.
    var totals = Totals()
    /// The totals that were last taken for the record.
    var takenTotals = Totals()
}
