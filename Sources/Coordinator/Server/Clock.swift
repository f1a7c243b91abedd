@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A clock that tells the time of day and never jumps: the time of day at its start, plus the time elapsed since.
struct Clock {
    private let offset: Int64

    init() {
        offset = Self.microseconds(CLOCK_REALTIME) - Self.microseconds(CLOCK_MONOTONIC)
    }

    /// The present moment; never earlier than a previous reading.
    var now: Timestamp {
        Timestamp(rawValue: offset + Self.microseconds(CLOCK_MONOTONIC))
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
