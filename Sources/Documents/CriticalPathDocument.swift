/// The chain of operations for which the end of a job waited.
@_spi(Baton) public struct CriticalPathDocument: Document {
    /// What the chain took, with the time for which its operations waited.
    public var seconds: Double
    /// The operations, first to last.
    public var operations: [SummaryDocument.Step]
    /// Whether the chain had more operations before the first.
    public var isCut: Bool

    /// Describes a chain.
    public init(operations: [SummaryDocument.Step], isCut: Bool) {
        let sum = operations.reduce(0) { $0 + $1.seconds + $1.waited }
        // Whole microseconds, as each of the times: a sum of fractions has digits that mean nothing. Adds 0.5 instead of calling
        // rounded(), which would need the C library's mathematics; the bound is 30,000 years.
        seconds = Double(Int64(min(sum * 1e6, 1e18) + 0.5)) / 1e6
        self.operations = operations
        self.isCut = isCut
    }
}
