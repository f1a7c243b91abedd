import BatonOperations
import BatonTestSupport

/// How a record is replaced under living workers: by a new one, or by an older copy of itself.
struct Replacement {
    /// When it is replaced, counted from the start.
    var after: Duration
    /// When the copy was made; nil for a new record.
    var copiedAfter: Duration?

    /// Decides it for a run; nil for most runs, in which the record stays.
    ///
    /// It has random numbers of its own, so that all other runs are as they would be without it.
    init?(seed: UInt64, faults: Set<Fault>) {
        var random = SplitMix(seed: seed &* 31 &+ 12)
        guard faults.contains(.keepIncarnation) || faults.isEmpty && random.chance(10) else { return nil }
        after = .milliseconds(random.number(500...5000))
        if random.chance(60) { copiedAfter = random.time(.zero, after) }
    }
}
