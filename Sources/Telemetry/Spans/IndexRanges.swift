/// A set of indices of operations, as ranges.
@_spi(Baton) public struct IndexRanges: Hashable, Sendable {
    /// The ranges: in order, without overlaps.
    public private(set) var ranges: [Range<UInt32>] = []

    /// Holds the indices of some ranges, in any order; ranges with a gap of at most so many indices become one.
    ///
    /// - Complexity: O(n log n) for n ranges.
    public init(_ given: some Sequence<Range<UInt32>>, joiningGapsUpTo gap: UInt32 = 0) {
        for range in given.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            let reach = ranges.last.map { $0.upperBound + min(gap, .max - $0.upperBound) }
            if let last = ranges.last, let reach, range.lowerBound <= reach {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    /// All indices.
    public static let all = IndexRanges([0..<UInt32.max])

    /// Whether an index is in the set.
    ///
    /// - Complexity: O(log ranges).
    public func contains(_ index: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound <= index { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ranges[low - 1].contains(index)
    }
}
