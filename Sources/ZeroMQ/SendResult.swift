/// What became of a message that was to be sent.
public enum SendResult: Sendable {
    /// libzmq has taken it over; that says nothing about its arrival.
    case sent
    /// It was not taken: a high-water mark is reached, or the socket has neither bound nor connected yet.
    case wouldBlock
    /// It was not taken: the ROUTER has no connection with that address (any more).
    case unroutable
}
