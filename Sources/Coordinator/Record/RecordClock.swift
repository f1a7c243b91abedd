@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The record's own clock, which only advances while a coordinator runs.
///
/// Owns the difference between the coordinator's time of day and the record's clock, and the time of the last commit of the
/// clock, which decides when the next commit is due.
struct RecordClock {
    /// The longest time between two commits of the clock while an operation waits for a time.
    ///
    /// After a kill of the coordinator, the wait is longer by up to this time.
    private static let interval = Duration.seconds(5)
    /// The same while no operation waits for a time; the ages of finished jobs need the clock.
    private static let idleInterval = Duration.seconds(60)

    /// How far the coordinator's time of day is ahead of the clock.
    private let ahead: Duration
    private var committedAt: Timestamp

    /// Starts the clock.
    init(ahead: Duration, at now: Timestamp) {
        self.ahead = ahead
        committedAt = now
    }

    /// A moment by the clock.
    func time(at now: Timestamp) -> Timestamp { now + (.zero - ahead) }

    /// The change that puts the clock into the record.
    func change(at now: Timestamp) -> RecordChange { .clock(time(at: now), at: now) }

    /// Whether the clock has to be committed even if nothing else changes.
    func isDue(at now: Timestamp, isAnythingPostponed: Bool) -> Bool {
        committedAt + (isAnythingPostponed ? Self.interval : Self.idleInterval) <= now
    }

    /// Notes that the clock was passed to the recorder.
    mutating func notePassed(at now: Timestamp) { committedAt = now }
}
