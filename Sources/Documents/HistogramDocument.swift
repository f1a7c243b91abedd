@_spi(Baton) public import BatonOperations

/// How often durations of some lengths have occurred.
@_spi(Baton) public struct HistogramDocument: Document {
    /// The sum of all durations in seconds.
    public var sumSeconds: Double
    /// The number of durations in each bucket of ``BatonOperations/DurationHistogram/bounds``, without the last buckets that are
    /// empty.
    public var counts: [UInt64]

    /// Describes a histogram.
    public init(_ histogram: DurationHistogram) {
        sumSeconds = Double(histogram.sum) / 1e6
        counts = Array(histogram.counts[..<((histogram.counts.lastIndex { $0 > 0 } ?? -1) + 1)])
    }

    /// Adds the durations of another histogram.
    public static func += (left: inout HistogramDocument, right: HistogramDocument) {
        left.sumSeconds += right.sumSeconds
        for (bucket, count) in right.counts.enumerated() {
            if bucket < left.counts.count { left.counts[bucket] &+= count } else { left.counts.append(count) }
        }
    }
}
