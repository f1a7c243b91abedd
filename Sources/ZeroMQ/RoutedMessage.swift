/// A message that a ROUTER received, with the address of the sender.
@frozen
@_spi(Baton) public struct RoutedMessage: ~Copyable, Sendable {
    /// The sender of the message, and the destination of an answer.
    public let sender: RoutingID
    /// The message from the sender.
    public let message: Message
}
