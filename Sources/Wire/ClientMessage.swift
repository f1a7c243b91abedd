/// A message from a client to the coordinator.
@_spi(Baton) public enum ClientMessage: Hashable, Sendable {
    /// The client's hello with its protocol versions; requests may follow without waiting for the answer.
    ///
    /// The proof says for which operation the client acts.
    case hello(ProtocolRange, version: String, proof: Secret? = nil)
    /// A request; the answer carries the same number.
    case request(UInt64, Request)
}
