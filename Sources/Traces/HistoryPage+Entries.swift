@_spi(Baton) import BatonOperations

extension HistoryPage {
    /// The entry of an operation; nil if the page has none.
    ///
    /// - Complexity: O(log entries).
    func entry(of operation: UInt32) -> HistoryEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].first <= operation { low = middle + 1 } else { high = middle }
        }
        guard low > 0, entries[low - 1].range.contains(operation) else { return nil }
        return entries[low - 1]
    }
}
