extension Int {
    /// The sum, or the end of the range that it lies beyond: counts that a peer sent may be of any size.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
