import BatonOperations

/// Tells whether the coordinator was late itself, so that it does not take its own silence for that of its workers.
///
/// After a stop (SIGSTOP, a machine that swaps) what workers sent meanwhile may still lie in the kernel, and after a long turn
/// in the socket. So what waits for the clock is put off until that is read, for a bounded time.
struct Lateness {
    /// A wait that ends this much later than it should was late.
    static let tolerance = Duration.seconds(1)
    /// How long what waits for the clock is put off at most.
    static let catchUpTime = Duration.seconds(1)

    /// Nothing that waits for the clock is to be done before.
    private(set) var clockFrom: Timestamp
    private var drainedAt: Timestamp

    /// Begins at a moment.
    init(at now: Timestamp) {
        clockFrom = now
        drainedAt = now
    }

    /// Notes the end of a wait that should have ended at a time, or before.
    mutating func wokeUp(at now: Timestamp, expected: Timestamp) {
        if now > expected + Self.tolerance { clockFrom = now + Self.catchUpTime }
    }

    /// Notes that all messages that were there have been read.
    mutating func drained(at now: Timestamp) {
        drainedAt = now
    }

    /// Whether what waits for the clock may be done now: all is read, or has been coming for too long.
    func allowsClock(at now: Timestamp, isDrained: Bool) -> Bool {
        now >= clockFrom && (isDrained || now >= drainedAt + Self.catchUpTime)
    }
}
