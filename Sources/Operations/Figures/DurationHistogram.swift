/// How often durations of some lengths have occurred, since the start of a process.
///
/// The record has no histograms: those of a restarted coordinator begin at 0, unlike ``ClusterTotals``.
///
/// The buckets have fixed upper bounds, each twice the one before, from 16 µs to about 38 hours. A duration belongs to the first
/// bucket whose bound is not smaller.
@_spi(Baton) public struct DurationHistogram: Hashable, Sendable {
    /// The binary logarithms of the smallest and the largest bound.
    private static let logarithms = 4...37

    /// The upper bounds of the buckets in microseconds, ascending; the last bucket has none.
    public static let bounds = logarithms.map { Int64(1) << $0 }

    /// The number of durations in each bucket: one more than there are bounds.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations in microseconds; saturates at the largest number.
    public private(set) var sum: Int64 = 0

    /// Makes a histogram of no durations.
    public init() {}

    /// The number of all durations.
    public var count: UInt64 { counts.reduce(0, &+) }

    /// Adds a duration; a negative one counts as 0.
    ///
    /// - Complexity: O(1), some tens of instructions: the scheduler adds two durations for each operation.
    public mutating func add(microseconds: Int64) {
        let duration = max(0, microseconds)
        // The smallest power of 2 that is not smaller than the duration; the numbers are those of ``logarithms``.
        let logarithm = duration <= 16 ? 4 : Int64.bitWidth - (duration - 1).leadingZeroBitCount
        counts[min(logarithm - 4, counts.count - 1)] &+= 1
        sum = sum.addingSaturated(duration)
    }

    /// Adds the durations of another histogram.
    public static func += (histogram: inout DurationHistogram, other: DurationHistogram) {
        for bucket in histogram.counts.indices { histogram.counts[bucket] &+= other.counts[bucket] }
        histogram.sum = histogram.sum.addingSaturated(other.sum)
    }
}
