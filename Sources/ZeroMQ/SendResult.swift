/// The outcome of a send.
@_spi(Baton) public enum SendResult: Sendable {
    /// libzmq has taken over the message, without any promise about its arrival.
    case sent
    /// The message was not taken: a high-water mark is reached, or the socket has neither bound nor connected yet.
    case wouldBlock
    /// The message was not taken: the ROUTER has no connection with the address (any more).
    case unroutable
}
