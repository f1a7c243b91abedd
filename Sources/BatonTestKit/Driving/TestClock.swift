@_spi(Baton) import BatonOperations
import Synchronization

/// The clock that the test moves, in whole microseconds.
///
/// Any thread may read the clock; only the machine moves it, under the driver's lock.
final class TestClock: Sendable {
    /// The time of day at the beginning of every test cluster: the start of 2026 in UTC.
    static let start = Timestamp(rawValue: 1_767_225_600_000_000)

    private let origin = ContinuousClock.now
    private let microseconds = Atomic<Int64>(0)

    /// The time since the beginning.
    var elapsed: Duration { .microseconds(microseconds.load(ordering: .acquiring)) }
    /// The time of day.
    var now: Timestamp { Self.start + elapsed }
    /// The present moment for those who measure durations.
    var instant: ContinuousClock.Instant { origin + elapsed }

    /// Moves the clock to a time of day; has no effect if the clock is there already, or later.
    func move(to time: Timestamp) {
        microseconds.store(max(elapsed, time - Self.start).microseconds, ordering: .releasing)
    }
}

extension Duration {
    /// The duration in whole microseconds, rounded up: a timer must not be looked at before it is due.
    var roundedUp: Duration {
        let whole = Duration.microseconds(microseconds)
        return whole < self ? whole + .microseconds(1) : whole
    }
}
