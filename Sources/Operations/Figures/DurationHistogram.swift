/// How often durations of some lengths have occurred, since the start of a process.
///
/// The buckets have fixed upper bounds from 10 µs to 100,000 s: 1, 2.5 and 5 in each power of ten. A duration belongs to the first
/// bucket whose bound is not smaller.
@_spi(Baton) public struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets in microseconds, ascending; the last bucket has none.
    public static let bounds: [Int64] = {
        var bounds: [Int64] = []
        var power: Int64 = 10
        while power < 100_000_000_000 {
            bounds += [power, power * 5 / 2, power * 5]
            power *= 10
        }
        return bounds + [power]
    }()

    /// The number of durations in each bucket: one more than there are bounds.
    public private(set) var counts: [UInt64]
    /// The sum of all durations in microseconds; saturates at the largest number.
    public private(set) var sum: Int64 = 0

    /// Makes a histogram of no durations.
    public init() {
        counts = Array(repeating: 0, count: Self.bounds.count + 1)
    }

    /// The number of all durations.
    public var count: UInt64 { counts.reduce(0, &+) }

    /// Adds a duration; a negative one counts as 0.
    ///
    /// - Complexity: O(1), some tens of instructions.
    public mutating func add(microseconds: Int64) {
        let duration = max(0, microseconds)
        // The binary logarithm leads to the first bound in question; the right one is at most two further, as the bounds double at least.
        var bucket = Int(Self.firstBuckets[63 - (duration | 1).leadingZeroBitCount])
        while bucket < Self.bounds.count, Self.bounds[bucket] < duration { bucket += 1 }
        counts[bucket] &+= 1
        sum = sum.addingSaturated(duration)
    }

    /// The first bucket of durations with each binary logarithm.
    private static let firstBuckets: [UInt8] = (0..<63).map { logarithm in
        UInt8(bounds.firstIndex { $0 >= Int64(1) << logarithm } ?? bounds.count)
    }
}
