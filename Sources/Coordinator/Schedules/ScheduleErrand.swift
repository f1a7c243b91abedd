@_spi(Baton) import BatonOperations

/// A request that a schedule makes in place of a client.
struct ScheduleErrand: Hashable, Sendable {
    /// What the schedule asks for.
    enum Purpose: Hashable, Sendable {
        /// The job of a time.
        case start(Timestamp)
        /// The end of the last job.
        case cancellation
    }

    /// The schedule.
    var schedule: String
    /// What it asks for.
    var purpose: Purpose
    /// Who added the schedule; nil if nobody is known.
    var addedBy: String?
}
