/// A moment as a coordinator writes it down: by the record's own clock and by the time of day.
///
/// The record's clock stands still while no coordinator has the record open, and nobody can set it. The time of day is what
/// ends of operations are told in, and a restart may put it back.
public struct RecordMoment: Hashable, Sendable {
    /// The moment by the record's own clock.
    public var clock: Timestamp
    /// The moment by the time of day.
    public var time: Timestamp

    /// Describes a moment.
    public init(clock: Timestamp, time: Timestamp) {
        self.clock = clock
        self.time = time
    }

    /// The earliest time of day that the moment may have: not ``time`` where the time of day was put back since.
    ///
    /// - Parameter clockOffset: how far the time of day is ahead of the record's clock now.
    public func earliestTime(clockOffset: Duration) -> Timestamp { min(time, clock + clockOffset) }
}
