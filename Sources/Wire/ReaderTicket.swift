/// A random number by which a worker admits the reader of one file: only the coordinator and the two workers know it.
@_spi(Baton) public struct ReaderTicket: Hashable, Sendable {
    // The two halves of the 16 bytes.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a ticket that cannot be guessed, also not from other tickets.
    public static func random() -> ReaderTicket {
        var generator = SystemRandomNumberGenerator()
        return ReaderTicket(high: generator.next(), low: generator.next())
    }
}

@_spi(Baton) extension ReaderTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The words "(a ticket)".
    public var description: String { "(a ticket)" }

    /// The words "(a ticket)".
    public var debugDescription: String { description }

    /// A mirror without the number.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
