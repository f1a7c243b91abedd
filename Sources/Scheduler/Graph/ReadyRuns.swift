/// New operations of a job that are ready, in runs of neighbours in one queue: watchers are told of a run in one event.
struct ReadyRuns: Sendable {
    /// Neighbouring operations of one queue.
    struct Run: Sendable {
        /// The first operation.
        let first: UInt32
        /// The number of operations.
        fileprivate(set) var count: UInt32
        /// The queue.
        let queue: QueueIndex
    }

    /// The runs, in the order of the operations.
    private(set) var runs: [Run] = []

    /// Adds a node behind all earlier ones.
    mutating func append(_ node: OperationNode) {
        if let last = runs.last, last.queue == node.queue, last.first + last.count == node.index {
            runs[runs.count - 1].count += node.count
        } else {
            runs.append(Run(first: node.index, count: node.count, queue: node.queue))
        }
    }
}
