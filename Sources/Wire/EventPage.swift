/// Some of what has happened, in order.
public struct EventPage: Hashable, Sendable {
    /// The events as JSON documents in UTF-8, one a line; one that is about several operations names the first and has a
    /// `count`.
    public var lines: [UInt8]
    /// The number of the last event of the page: what to ask for the next page with.
    ///
    /// Of an empty page it is what was asked with, or the number of the newest event where none was named.
    public var last: UInt64
    /// How many events before the first of the page are not kept any more, and were missed; never above ``last``.
    public var missed: UInt64

    /// Puts a page together.
    public init(lines: [UInt8], last: UInt64, missed: UInt64 = 0) {
        self.lines = lines
        self.last = last
        self.missed = missed
    }
}
