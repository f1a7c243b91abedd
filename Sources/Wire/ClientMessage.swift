/// A message from a client to the coordinator.
@_spi(Baton) public enum ClientMessage: Hashable, Sendable {
    /// The client's hello with its protocol versions; requests may follow without waiting for the answer.
    case hello(ProtocolRange, version: String)
    /// A request; the answer carries the same number.
    case request(UInt64, Request)
}
