@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The coordinator's own time, which never jumps: the time of day at its start, plus the time elapsed since.
///
/// The time stands still while the host is suspended: a wait is longer by that time, and no worker counts as silent for it.
struct Clock {
    private let offset: Int64
    private var steps: ClockSteps

    init() {
        let reading = ClockSteps.Reading.together
        offset = reading.timeOfDay - reading.elapsed
        steps = ClockSteps(at: reading)
    }

    /// The present moment; never earlier than a previous reading.
    var now: Timestamp { Timestamp(rawValue: offset + ClockSteps.Reading.elapsed) }

    /// The present moment of leases, which counts while the host is suspended, too; never to be compared with ``now``.
    var leaseTime: Timestamp { Timestamp(rawValue: ClockSteps.Reading.sinceBoot) }

    /// The present moment by the host's clock, which users may set.
    var timeOfDay: Timestamp { Timestamp(rawValue: ClockSteps.Reading.now.timeOfDay) }

    /// Looks whether the host's clock was set since the last look.
    mutating func takeStep() -> ClockSteps.Step? {
        guard steps.isStep(.now) else { return nil }
        return steps.take(.together)
    }
}

extension ClockSteps.Reading {
    /// The readings of the host's clocks at one moment: on a busy host, the thread may lose its processor between two clocks.
    static var together: ClockSteps.Reading {
        var (reading, tries) = (now, 1)
        while tries < 20, elapsed - reading.elapsed >= ClockSteps.tolerance / 10 { (reading, tries) = (now, tries + 1) }
        return reading
    }

    /// The readings of the host's clocks now, one after the other.
    static var now: ClockSteps.Reading {
        let elapsed = Self.elapsed
        #if os(Linux)
            let sinceBoot = Self.sinceBoot
        #else
            let sinceBoot = elapsed
        #endif
        return ClockSteps.Reading(timeOfDay: microseconds(CLOCK_REALTIME), elapsed: elapsed, sinceBoot: sinceBoot)
    }

    static var elapsed: Int64 { microseconds(CLOCK_MONOTONIC) }

    /// The time elapsed since the host's start; elsewhere than on Linux, the other clock counts while the host is suspended.
    static var sinceBoot: Int64 {
        #if os(Linux)
            microseconds(CLOCK_BOOTTIME)
        #else
            elapsed
        #endif
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
