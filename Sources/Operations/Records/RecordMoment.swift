/// A moment as a coordinator writes it down: by the record's own clock and by the time of day.
///
/// The record's clock stands still while no coordinator has the record open, and users cannot set it. The ends of operations
/// are reported in the time of day, which may be set back between two runs of a coordinator.
@_spi(Baton) public struct RecordMoment: Hashable, Sendable {
    /// The moment by the record's own clock.
    public var clock: Timestamp
    /// The moment by the time of day.
    public var time: Timestamp

    /// Describes a moment.
    public init(clock: Timestamp, time: Timestamp) {
        self.clock = clock
        self.time = time
    }

    /// The lower bound, by the record's clock, of all times written down since the moment.
    ///
    /// A killed coordinator leaves the record's clock slightly behind the times that it reported.
    public var earliestClock: Timestamp { clock + .seconds(-60) }

    /// Returns the earliest possible time of day of the moment: earlier than ``time`` if the time of day was set back since.
    ///
    /// - Parameter clockOffset: how far the time of day is ahead of the record's clock now.
    public func earliestTime(clockOffset: Duration) -> Timestamp { min(time, clock + clockOffset) }
}
