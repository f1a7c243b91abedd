/// A page of events, in order.
@_spi(Baton) public struct EventPage: Hashable, Sendable {
    /// The events as JSON documents in UTF-8, one a line.
    ///
    /// An event about several operations names the first operation and has a `count`.
    public var lines: [UInt8]
    /// The number of the last event of the page, for the request of the next page.
    ///
    /// An empty page repeats the number of its request, or has the number of the newest event if the request had none. With a
    /// selection, this is the number of the last event looked at, selected or not.
    public var last: UInt64
    /// How many events before the first of the page were missed, since they are no longer kept; never above ``last``.
    ///
    /// With a selection, nobody can say whether the missed events were selected.
    public var missed: UInt64

    /// Puts a page together.
    public init(lines: [UInt8], last: UInt64, missed: UInt64 = 0) {
        self.lines = lines
        self.last = last
        self.missed = missed
    }
}
