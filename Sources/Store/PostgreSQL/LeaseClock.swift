@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The clock of leases: the time since the host's start, suspensions included, so that a lease is over after one.
///
/// It is that of the coordinator's lease, whose moments it is compared with.
enum LeaseClock {
    /// The present moment, counted from the start of the host.
    static var now: Timestamp {
        #if os(Linux)
            let clock = CLOCK_BOOTTIME
        #else
            let clock = CLOCK_MONOTONIC
        #endif
        return Timestamp(rawValue: microseconds(clock))
    }

    /// The time of day, in microseconds since 1970 in UTC.
    static var timeOfDay: Int64 { microseconds(CLOCK_REALTIME) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
