/// A way to wake the thread that takes from a ``Mailbox``.
@_spi(Baton) public protocol Bell: Sendable {
    /// Ends the present or the next sleep of the thread; called from any thread.
    func ring()
}

/// A bell for a thread that sleeps without watching a descriptor.
@_spi(Baton) public final class SemaphoreBell: Bell {
    private let rings = ThreadSemaphore()

    /// Makes a silent bell.
    public init() {}

    /// Ends one call of ``wait()``.
    public func ring() { rings.signal() }

    /// Sleeps until a ring; each ring ends one sleep.
    public func wait() { rings.wait() }

    /// Sleeps until a ring, as ``wait()`` does, or until the time is over.
    ///
    /// - Returns: whether there was a ring.
    @discardableResult
    public func wait(for time: Duration) -> Bool { rings.wait(for: time) }
}
