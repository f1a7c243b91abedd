@_spi(Baton) import BatonWire

/// The worker that gives the rest of a file directly, and the ticket by which it admits this one.
struct DirectSource: Hashable, Sendable {
    /// Where the worker listens.
    var address: DataAddress
    /// What it admits this worker by, for this file alone.
    var ticket: ReaderTicket

    /// The least size of a file, beyond which it is worth a connection to another worker.
    static let leastSize: UInt64 = 1 << 20
}
