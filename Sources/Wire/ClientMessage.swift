/// What a client sends to the coordinator.
public enum ClientMessage: Hashable, Sendable {
    /// It is there, and speaks these versions; requests may follow without waiting for the answer.
    case hello(ProtocolRange, version: String)
    /// A request; the answer carries the same number.
    case request(UInt64, Request)
}
