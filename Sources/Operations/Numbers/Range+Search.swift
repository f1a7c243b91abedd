@_spi(Baton) extension Range<Int> {
    /// Returns the first number for which a condition holds, if it also holds for all later numbers; the upper bound for none.
    ///
    /// - Complexity: O(log count).
    @inlinable public func binarySearch(where condition: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
