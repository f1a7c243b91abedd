/// A message that a ROUTER received, with the address of its sender.
@frozen
public struct RoutedMessage: ~Copyable, Sendable {
    /// Where it came from, and where an answer goes.
    public let sender: RoutingID
    /// What was sent.
    public let message: Message
}
