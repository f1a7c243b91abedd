@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// The replacement of a record under living workers, by a new record or by an older copy.
struct Replacement {
    /// The time of the replacement, counted from the start.
    var after: Duration
    /// The time of the copy; nil for a new record.
    var copiedAfter: Duration?

    /// Decides the replacement for a run; nil for most runs, whose record stays.
    ///
    /// The random numbers are separate, so that all other runs do not depend on the replacement.
    init?(seed: UInt64, faults: Set<Fault>) {
        var random = SplitMix(seed: seed &* 31 &+ 12)
        guard faults.contains(.keepIncarnation) || faults.isEmpty && random.chance(10) else { return nil }
        after = .milliseconds(random.number(500...5000))
        if random.chance(60) { copiedAfter = random.time(.zero, after) }
    }

    /// Decides whether a run with two coordinators loses its last commits: the server is lost, and a replica without these commits is
    /// promoted.
    ///
    /// Nil for most runs.
    init?(promotionOf seed: UInt64) {
        var random = SplitMix(seed: seed &* 31 &+ 57)
        guard random.chance(20) else { return nil }
        after = .milliseconds(random.number(500...5000))
        copiedAfter = after - random.time(.zero, .milliseconds(1500))
        if let time = copiedAfter, time < .zero { copiedAfter = .zero }
    }
}
