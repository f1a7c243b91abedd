/// What the kernel knows of the bytes of a TCP connection.
@_spi(Baton) public struct ConnectionActivity: Equatable, Sendable {
    /// The time since bytes of the peer last arrived, complete message or not; at first, since the connection was made.
    ///
    /// The kernel counts in ticks, so the time is rounded up: bytes never seem to have come later than they did.
    public var timeSinceArrival: Duration
    /// The number of bytes that the peer's host has acknowledged since the beginning.
    ///
    /// The host acknowledges what it has room for, whether or not the peer's process reads it.
    public var acknowledged: UInt64
    /// The number of bytes that the kernel still holds for the peer, sent or not.
    public var backlog: Int
    /// The kernel's estimate of the round trip.
    public var roundTrip: Duration
}
