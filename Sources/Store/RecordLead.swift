@_spi(Baton) public import BatonOperations

/// How far a record was ahead of the host's clock when a coordinator started: the clock was wrong during an earlier run, or is wrong
/// now.
///
/// The times of what has not ended then move back, so that the newest one is just before the start.
@_spi(Baton) public struct RecordLead: Hashable, Sendable {
    /// The newest time in the record, before any time moved.
    public var newest: Timestamp
    /// How far the times moved back.
    public var length: Duration
    /// The newest of the times that did not move; times that would have moved before it were put there.
    public var floor: Timestamp

    /// Describes a lead.
    public init(newest: Timestamp, length: Duration, floor: Timestamp) {
        self.newest = newest
        self.length = length
        self.floor = floor
    }

    /// Whether the host's clock was behind at the start, and is right now: it was set forwards, beyond the record's newest time.
    ///
    /// - Parameters:
    ///   - time: the present moment by the host's clock.
    ///   - step: how far the clock was set.
    public func isOutrun(at time: Timestamp, after step: Duration) -> Bool { step > .zero && newest <= time }
}
