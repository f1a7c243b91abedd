@_spi(Baton) import BatonOperations

/// The conditions of a filter, and what was compared with them so far.
struct OperationSearch {
    /// The steps of comparisons of names that take as long as an operation.
    private static let stepsOfOperation = 64

    private let filter: ListFilter
    private let queue: QueueIndex?
    private let worker: WorkerIndex?
    /// Whether a condition excludes every unfinished operation: no queue or no worker has the name.
    private let excludesUnfinished: Bool
    private let hasStates: Bool
    /// The most work, in operations, and the most finished operations for the record to compare.
    private let limit: Int
    /// The number of unfinished operations to find.
    private let most: Int
    private var work = 0
    private var steps = 0
    private var finishedCount = 0
    private var unfinishedCount = 0
    /// What was found so far.
    private(set) var examined: ExaminedOperations

    /// Begins a search at an operation.
    ///
    /// - Parameters:
    ///   - queue: the queue of the filter; nil if no queue has the name.
    ///   - worker: the worker of the filter; nil if no worker has the name.
    init(
        _ filter: ListFilter,
        queue: QueueIndex?,
        worker: WorkerIndex?,
        from index: UInt32,
        limit: Int,
        most: Int
    ) {
        self.filter = filter
        (self.queue, self.worker) = (queue, worker)
        (self.limit, self.most) = (limit, most)
        excludesUnfinished = filter.queue != nil && queue == nil || filter.worker != nil && worker == nil
        hasStates = !filter.states.isEmpty || !filter.outcomes.isEmpty
        examined = ExaminedOperations(indices: index..<index)
    }

    /// The first operation that was not compared.
    var next: UInt32 { examined.indices.upperBound }

    /// Whether the search may go on.
    var hasRoom: Bool {
        work + steps / Self.stepsOfOperation < limit && finishedCount < limit && unfinishedCount < most
    }

    /// Whether a name meets the condition for names.
    mutating func admits(name: @autoclosure () -> String) -> Bool {
        guard let pattern = filter.name else { return true }
        let name = name()
        return !name.isEmpty && pattern.matches(name, steps: &steps)
    }

    /// Passes over operations that do not meet the conditions.
    mutating func skip(to end: UInt32) {
        work += 1
        examined.indices = examined.indices.lowerBound..<end
    }

    /// Adds finished operations, as many as there is room for.
    mutating func addFinished(to end: UInt32) {
        guard filter.admitsFinished else { return skip(to: end) }
        let end = min(end, next + UInt32(clamping: limit - finishedCount))
        finishedCount += Int(end - next)
        examined.finished.append(adjoining: next..<end)
        skip(to: end)
    }

    /// Adds unfinished operations that have a node in common, as many as there is room for, if they meet the conditions.
    mutating func addUnfinished(_ node: OperationNode, to end: UInt32) {
        guard admits(node) else { return skip(to: end) }
        let end = min(end, next + UInt32(clamping: most - unfinishedCount))
        unfinishedCount += Int(end - next)
        examined.unfinished.append(adjoining: next..<end)
        skip(to: end)
    }

    private func admits(_ node: OperationNode) -> Bool {
        guard !excludesUnfinished, !hasStates || filter.states.contains(node.state) else { return false }
        if let queue, node.queue != queue { return false }
        if let worker, node.worker != worker { return false }
        guard let since = filter.since else { return true }
        return node.startedAt.map { $0 >= since } ?? false
    }
}
