extension Int {
    /// Returns the sum, or on overflow the end of the range: counts from a peer may have any size.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
