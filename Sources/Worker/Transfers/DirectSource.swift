@_spi(Baton) import BatonWire

/// The worker that sends the rest of a file directly, and the ticket for it.
struct DirectSource: Hashable, Sendable {
    /// Where the worker listens.
    var address: DataAddress
    /// The ticket with which that worker sends this one file, and no other one.
    var ticket: ReaderTicket

    /// The least size of a file, beyond which it is worth a connection to another worker.
    static let leastSize: UInt64 = 1 << 20
}
