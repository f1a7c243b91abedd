@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Sample {
    /// Takes the times between the starts of consecutive links of a chain, in milliseconds.
    ///
    /// A link whose time only touches the period counts in full, so that none is lost that was held up until the period's end.
    ///
    /// - Parameters:
    ///   - starts: the starts of all links, in the order of the chain.
    ///   - period: the period of interest.
    public init(linksOf starts: [Timestamp], during period: ClosedRange<Timestamp>) {
        self.init(
            zip(starts, starts.dropFirst())
                .filter { $0 <= period.upperBound && $1 >= period.lowerBound }
                .map { start, next -> Double in (next - start) / .milliseconds(1) }
        )
    }
}
