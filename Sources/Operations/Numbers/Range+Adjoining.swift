@_spi(Baton) extension [Range<UInt32>] {
    /// Adds a range behind the others; adjoining ranges become one, and an empty range is left out.
    public mutating func append(adjoining range: Range<UInt32>) {
        guard !range.isEmpty else { return }
        if let last, last.upperBound == range.lowerBound {
            self[count - 1] = last.lowerBound..<range.upperBound
        } else {
            append(range)
        }
    }
}
