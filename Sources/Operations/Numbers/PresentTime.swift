/// The present moment and the local time of a process, by which the times that a user writes become moments.
@_spi(Baton) public struct PresentTime: Sendable {
    /// The present moment.
    public var moment: Timestamp
    /// By how many seconds local clocks are ahead of UTC, so many seconds after the start of 1970; nil without a local time.
    public var offset: (@Sendable (Int64) -> Int64)?

    /// Describes a present moment.
    public init(_ moment: Timestamp, offset: (@Sendable (Int64) -> Int64)?) {
        self.moment = moment
        self.offset = offset
    }
}
