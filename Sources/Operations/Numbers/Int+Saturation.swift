@_spi(Baton) extension FixedWidthInteger where Self: SignedInteger {
    /// Returns the sum, or on overflow the end of the range: numbers from a peer or a disk may have any size.
    public func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
