/// The latest sign that the process at the other end of a connection goes on.
@_spi(Baton) public struct SignOfLife: Equatable, Sendable {
    /// The time since the sign.
    public let age: Duration
    /// The kernel's estimate of the round trip, within which no answer can come.
    public let roundTrip: Duration
}
