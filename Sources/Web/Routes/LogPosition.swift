/// A place in the outputs of an operation: an attempt, and a byte of one of its streams.
///
/// As the id of an event, the place behind the event: `2:4096`.
struct LogPosition: Hashable, Sendable, CustomStringConvertible {
    /// The number of the attempt, from 1.
    var attempt: UInt32
    /// The number of bytes in front of the place.
    var offset: UInt64

    init(attempt: UInt32, offset: UInt64) {
        self.attempt = attempt
        self.offset = offset
    }

    /// Reads the id of an event; nil for any other text.
    init?(_ id: String) {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let attempt = UInt32(parts[0]), attempt > 0, let offset = UInt64(parts[1])
        else { return nil }
        self.init(attempt: attempt, offset: offset)
    }

    /// The id of an event.
    var description: String { "\(attempt):\(offset)" }
}
