/// Measured values of one kind, sorted for percentiles.
@_spi(Baton) public struct Sample: Hashable, Sendable {
    /// The values, in ascending order.
    public let sorted: [Double]

    /// Creates a sample from values in any order.
    ///
    /// - Complexity: O(n log n)
    public init(_ values: some Sequence<Double>) {
        sorted = values.sorted()
    }

    /// The smallest value not exceeded by the given percentage of the values; nil for an empty sample.
    ///
    /// - Parameter percent: from 0 (the smallest value) to 100 (the largest value).
    public func percentile(_ percent: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = (Double(sorted.count) * percent / 100).rounded(.up)
        return sorted[min(sorted.count, max(1, Int(rank))) - 1]
    }

    /// The middle value, or the mean of the two middle values; nil for an empty sample.
    public var median: Double? {
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
