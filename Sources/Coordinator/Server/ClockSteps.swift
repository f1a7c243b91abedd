@_spi(Baton) import BatonOperations

/// Finds out when the host's clock was set, from readings of the host's clocks.
///
/// The kernel's elapsed time follows slow corrections of the time of day, such as those of NTP; only steps make a difference.
struct ClockSteps {
    /// The host's clocks at one moment, in microseconds.
    struct Reading {
        /// The time of day, which users may set.
        var timeOfDay: Int64
        /// The time elapsed while the host was awake.
        var elapsed: Int64
        /// The time elapsed since the host's start, suspensions included.
        var sinceBoot: Int64
    }

    /// A change of the host's clock.
    struct Step: Equatable {
        /// How far the time of day is ahead of where it would be without any step since the start.
        var ahead: Duration
        /// How long the host was suspended since the last step.
        var suspended: Duration
    }

    /// A smaller difference is no step: two clocks are read one after the other.
    static let tolerance: Int64 = 50_000

    private let beginning: Reading
    private var last: Reading

    /// Begins with a reading at the start.
    init(at reading: Reading) {
        beginning = reading
        last = reading
    }

    /// Whether a reading looks as if the clock was set since the last step.
    func isStep(_ reading: Reading) -> Bool {
        let change = (reading.timeOfDay - last.timeOfDay) - (reading.elapsed - last.elapsed)
        return change.magnitude >= Self.tolerance.magnitude
    }

    /// The step since the last one, if the clock was set.
    mutating func take(_ reading: Reading) -> Step? {
        guard isStep(reading) else { return nil }
        let asleep = (reading.sinceBoot - last.sinceBoot) - (reading.elapsed - last.elapsed)
        last = reading
        let ahead = (reading.timeOfDay - beginning.timeOfDay) - (reading.elapsed - beginning.elapsed)
        return Step(ahead: .microseconds(ahead), suspended: .microseconds(asleep < Self.tolerance ? 0 : asleep))
    }
}
