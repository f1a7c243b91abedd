/// Percentiles of many durations in constant memory.
///
/// Up to ``mostExact`` durations the percentiles are exact. Behind that, durations are counted in buckets whose width is a 32nd of
/// the next lower power of two: a percentile is then at most 1/64 (1.57 %) off, and exact below 64 microseconds. The buckets take 4
/// bytes each and reach from the shortest to the longest duration: 130 bytes for each doubling, at most 8 KB.
@_spi(Baton) public struct DurationSketch: Sendable {
    /// The most durations of which each is kept.
    public static let mostExact = 64

    /// The number of significant bits of a bucket, without the leading one.
    private static let bits = 5
    /// The number of buckets for each power of two.
    private static let bucketsOfPower: Int64 = 1 << 5
    /// The first duration whose bucket has more than one value.
    private static let firstWide: Int64 = 1 << 6

    private var exact: [Int64] = []
    /// The number of durations in each bucket, from `firstBucket` on; empty while all durations are kept.
    private var counts: [UInt32] = []
    private var firstBucket = 0
    /// The number of durations.
    public private(set) var count = 0
    /// The longest duration in microseconds; 0 without any.
    public private(set) var longest: Int64 = 0
    /// All durations together in microseconds; saturates at the largest number.
    public private(set) var sum: Int64 = 0

    /// Makes a sketch without durations.
    public init() {}

    /// Adds a duration in microseconds; negative ones count as 0.
    ///
    /// - Complexity: O(1), amortized.
    public mutating func add(_ microseconds: Int64) {
        let duration = max(0, microseconds)
        count += 1
        longest = max(longest, duration)
        let (total, overflow) = sum.addingReportingOverflow(duration)
        sum = overflow ? .max : total
        guard counts.isEmpty else { return countInBucket(duration) }
        exact.append(duration)
        guard exact.count > Self.mostExact else { return }
        for duration in exact { countInBucket(duration) }
        exact = []
    }

    /// The shortest duration that is at least as long as a share of all, in microseconds; nil without durations.
    ///
    /// - Parameter percent: the share, from 1 to 100.
    /// - Complexity: O(1).
    public func percentile(_ percent: Int) -> Int64? {
        guard count > 0 else { return nil }
        let rank = min(count, max(1, (count * percent + 99) / 100))
        guard counts.isEmpty else { return min(longest, bucketedDuration(rank)) }
        return exact.sorted()[rank - 1]
    }

    private func bucketedDuration(_ rank: Int) -> Int64 {
        var rest = rank
        for (offset, count) in counts.enumerated() {
            rest -= Int(count)
            if rest <= 0 { return Self.middle(ofBucket: firstBucket + offset) }
        }
        return longest
    }

    private mutating func countInBucket(_ duration: Int64) {
        let bucket = Self.bucket(of: duration)
        if counts.isEmpty { firstBucket = bucket }
        if bucket < firstBucket {
            counts.insert(contentsOf: repeatElement(0, count: firstBucket - bucket), at: 0)
            firstBucket = bucket
        }
        let place = bucket - firstBucket
        if place >= counts.count { counts += repeatElement(0, count: place + 1 - counts.count) }
        // A job has fewer operations than the count can hold.
        counts[place] &+= 1
    }

    /// The bucket of a duration that is not negative.
    private static func bucket(of duration: Int64) -> Int {
        guard duration >= firstWide else { return Int(duration) }
        let power = 63 - duration.leadingZeroBitCount
        return (power - bits + 1) << bits | Int(duration >> (power - bits) & (bucketsOfPower - 1))
    }

    /// The duration in the middle of a bucket.
    private static func middle(ofBucket bucket: Int) -> Int64 {
        guard bucket >= firstWide else { return Int64(bucket) }
        let shift = bucket >> bits - 1
        let lowest = (bucketsOfPower | Int64(bucket) & (bucketsOfPower - 1)) << shift
        return lowest + (1 << shift) / 2
    }
}
