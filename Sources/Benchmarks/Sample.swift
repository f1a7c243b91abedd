/// Measured values of one kind, asked for their order.
public struct Sample: Hashable, Sendable {
    /// The values, in ascending order.
    public let sorted: [Double]

    /// Takes values in any order.
    ///
    /// - Complexity: O(n log n)
    public init(_ values: some Sequence<Double>) {
        sorted = values.sorted()
    }

    /// The least of the values that so many percent of them do not exceed; nil where there are none.
    ///
    /// - Parameter percent: from 0, which is the least value, to 100, which is the greatest.
    public func percentile(_ percent: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = (Double(sorted.count) * percent / 100).rounded(.up)
        return sorted[min(sorted.count, max(1, Int(rank))) - 1]
    }

    /// The value in the middle, the mean of both where there are two; nil where there are none.
    public var median: Double? {
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
