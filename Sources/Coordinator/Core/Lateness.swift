@_spi(Baton) import BatonOperations

/// Detects delays of the coordinator itself, so that the coordinator does not mistake its own delay for its workers' silence.
///
/// After a stop (SIGSTOP, a machine that swaps), messages from workers may still be in the kernel; after a long turn, in the
/// socket. Timers are therefore postponed until the messages are read, for a bounded time after the delay.
///
/// Owns the times of the last delay and of the last turn that handled all messages.
struct Lateness {
    /// How late a poll may end, and how long a turn may take, before the coordinator counts as late.
    static let tolerance = Duration.seconds(1)
    /// The longest postponement of timers.
    static let catchUpTime = Duration.seconds(1)

    /// No timer may fire before this time.
    private(set) var clockFrom: Timestamp
    private var drainedAt: Timestamp

    /// Begins at a moment.
    init(at now: Timestamp) {
        clockFrom = now
        drainedAt = now
    }

    /// Notes the end of a poll that should have ended at the expected time or earlier.
    mutating func wokeUp(at now: Timestamp, expected: Timestamp) {
        if now > expected + Self.tolerance { clockFrom = now + Self.catchUpTime }
    }

    /// Notes how long a turn, or a part of one, took: messages that arrived during a long one are not read yet.
    mutating func worked(from start: Timestamp, to end: Timestamp) {
        if end > start + Self.tolerance { clockFrom = max(clockFrom, end + Self.catchUpTime) }
    }

    /// Notes the end of a time in which no message was read: the messages of that time come before timers, however short it was.
    mutating func wasSilent(from start: Timestamp, to end: Timestamp) {
        worked(from: start, to: end)
        drainedAt = max(drainedAt, end)
    }

    /// Notes that all available messages have been read.
    mutating func drained(at now: Timestamp) {
        drainedAt = now
    }

    /// Whether timers may fire now: all messages are read, or messages have kept coming for too long.
    func allowsClock(at now: Timestamp, isDrained: Bool) -> Bool {
        now >= clockFrom && (isDrained || now >= drainedAt + Self.catchUpTime)
    }
}
