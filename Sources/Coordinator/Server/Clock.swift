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
        let reading = ClockSteps.Reading.now
        offset = reading.timeOfDay - reading.elapsed
        steps = ClockSteps(at: reading)
    }

    /// The present moment; never earlier than a previous reading.
    var now: Timestamp { Timestamp(rawValue: offset + ClockSteps.Reading.elapsed) }

    /// The present moment by the host's clock, which users may set.
    var timeOfDay: Timestamp { Timestamp(rawValue: ClockSteps.Reading.now.timeOfDay) }

    /// Looks whether the host's clock was set since the last look.
    mutating func takeStep() -> ClockSteps.Step? { steps.take(.now) }
}

extension ClockSteps.Reading {
    /// The readings of the host's clocks now.
    static var now: ClockSteps.Reading {
        let elapsed = Self.elapsed
        #if os(Linux)
            let sinceBoot = microseconds(CLOCK_BOOTTIME)
        #else
            let sinceBoot = elapsed
        #endif
        return ClockSteps.Reading(timeOfDay: microseconds(CLOCK_REALTIME), elapsed: elapsed, sinceBoot: sinceBoot)
    }

    static var elapsed: Int64 { microseconds(CLOCK_MONOTONIC) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
