import Glibc

/// A moment of `CLOCK_MONOTONIC` in nanoseconds, the form of all deadlines.
///
/// An instant of `ContinuousClock` has a layout that its library keeps to itself: each copy of an optional one takes some hundred
/// instructions.
@_spi(Baton) public struct MonotonicTime: Comparable, Hashable, Sendable {
    var nanoseconds: Int64

    /// The present moment.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Orders moments by time.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment after a duration, or the last moment that can be expressed.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflowed else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
        let (sum, tooFar) = time.nanoseconds.addingReportingOverflow(whole)
        guard !tooFar else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
        let (result, beyond) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
        return MonotonicTime(nanoseconds: beyond ? .max : result)
    }

    /// The milliseconds from now until this moment, rounded up: a wait of such a length does not end early.
    func millisecondsFromNow() -> Int32 {
        let now = MonotonicTime.now
        guard self > now else { return 0 }
        return Int32(clamping: (nanoseconds - now.nanoseconds) / 1_000_000 + 1)
    }

    /// The time from now until this moment; zero if the moment has passed.
    public func timeFromNow() -> Duration {
        .nanoseconds(max(0, nanoseconds - MonotonicTime.now.nanoseconds))
    }
}
