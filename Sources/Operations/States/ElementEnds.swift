/// How elements of an array ended on which the elements of another array depend at the same positions (EL1).
///
/// Neighbours that ended alike are one run, so that a million successes take no more than one.
@_spi(Baton) public struct ElementEnds: Hashable, Sendable {
    /// Neighbours that ended alike.
    public struct Run: Hashable, Sendable {
        /// The indices of the operations.
        public var operations: Range<UInt32>
        /// The end of the first of them; see ``DependencyEnd/followsOperation``.
        public var end: DependencyEnd

        /// Describes neighbours that ended alike.
        public init(_ operations: Range<UInt32>, _ end: DependencyEnd) {
            self.operations = operations
            self.end = end
        }
    }

    /// The runs, in the order of the operations.
    public private(set) var runs: [Run] = []

    /// Makes an empty list.
    public init() {}

    /// Adds neighbours that ended alike and are not in the list.
    ///
    /// - Complexity: O(log runs) behind all others, and otherwise O(runs).
    public mutating func insert(_ operations: Range<UInt32>, _ end: DependencyEnd) {
        let place = runs.indices.binarySearch { runs[$0].operations.lowerBound >= operations.lowerBound }
        if place > 0, runs[place - 1].isContinued(by: operations, end) {
            runs[place - 1].operations = runs[place - 1].operations.lowerBound..<operations.upperBound
        } else {
            runs.insert(Run(operations, end), at: place)
        }
    }

    /// Adds the finished operations of a record within some operations, which are not in the list.
    public mutating func insert(_ record: OperationRecord, in range: Range<UInt32>) {
        let end = record.id.index.addingReportingOverflow(record.count)
        guard let fate = record.dependencyEnd, !end.overflow else { return }
        let finished = (record.id.index..<end.partialValue).clamped(to: range)
        guard !finished.isEmpty else { return }
        insert(finished, fate.after(finished.lowerBound - record.id.index))
    }

    /// Adds what another list has besides.
    public mutating func formUnion(_ other: ElementEnds) {
        for run in other.runs where self.run(with: run.operations.lowerBound) == nil { insert(run.operations, run.end) }
    }

    /// The run with an operation; nil for an operation that is not in the list.
    ///
    /// - Complexity: O(log runs).
    public func run(with index: UInt32) -> Run? {
        let place = runs.indices.binarySearch { runs[$0].operations.upperBound > index }
        return place < runs.count && runs[place].operations.contains(index) ? runs[place] : nil
    }

    /// How an operation ended; nil for an operation that is not in the list.
    ///
    /// - Complexity: O(log runs).
    public func end(of index: UInt32) -> DependencyEnd? {
        run(with: index).map { $0.end.after(index - $0.operations.lowerBound) }
    }
}

extension ElementEnds.Run {
    /// Whether operations behind the run ended as its own did.
    fileprivate func isContinued(by next: Range<UInt32>, _ end: DependencyEnd) -> Bool {
        next.lowerBound == operations.upperBound && self.end.after(UInt32(operations.count)) == end
    }
}
