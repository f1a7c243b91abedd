@_spi(Baton) public import BatonThreads

/// A queue into a thread that waits in ``Poller/poll(timeout:)``: any thread posts, the waiting thread takes.
///
/// Add the bell to the poller, and take all elements after a poll that found the bell readable.
@_spi(Baton) public typealias PolledMailbox<Element: Sendable> = Mailbox<Element, Waker>

@_spi(Baton) extension Mailbox where Alarm == Waker {
    /// Makes an empty mailbox with a waker as its bell.
    ///
    /// - Throws: `ZeroMQError` if no file descriptor is left.
    public convenience init() throws(ZeroMQError) {
        self.init(bell: try Waker())
    }
}
