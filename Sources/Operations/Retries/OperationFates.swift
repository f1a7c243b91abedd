/// The fates of a job's operations; neighbours with the same fate take the memory of one.
@_spi(Baton) public struct OperationFates: Hashable, Sendable {
    /// Neighbours with the same fate.
    public struct Run: Hashable, Sendable {
        /// The indices of the operations.
        public var operations: Range<UInt32>
        /// The fate of each of them.
        public var fate: OperationFate
    }

    /// The operations with a known fate, in the order of their indices; the others count as unfinished.
    public private(set) var runs: [Run] = []

    /// Describes a job without a known fate.
    public init() {}

    /// Adds operations behind all others; those that have a fate already keep it.
    public mutating func append(_ fate: OperationFate, of operations: Range<UInt32>) {
        let end = runs.last?.operations.upperBound ?? 0
        let new = max(end, operations.lowerBound)..<max(end, operations.upperBound)
        guard !new.isEmpty else { return }
        if let last = runs.last, last.fate == fate, end == new.lowerBound {
            runs[runs.count - 1].operations = last.operations.lowerBound..<new.upperBound
        } else {
            runs.append(Run(operations: new, fate: fate))
        }
    }
}
