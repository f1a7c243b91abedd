@_spi(Baton) import BatonInvariants

/// What queues keep in mind of finished operations that run again, and of the barriers that must not run beside them (BA1).
///
/// It stands beside the queues and not in them, because each dispatch copies parts of a queue, and hardly any queue has reruns.
struct RerunsOfQueues: Sendable {
    private var counts: [QueueIndex: Int] = [:]
    private var nodesApart: [QueueIndex: [SlabReference<OperationNode>]] = [:]

    /// The number of finished operations of a queue that run again at workers, or were sent to them.
    func count(in queue: QueueIndex) -> Int { counts.isEmpty ? 0 : counts[queue] ?? 0 }

    /// Changes the number of finished operations of a queue that run again at workers, or were sent to them.
    mutating func add(_ change: Int, in queue: QueueIndex) {
        let count = (counts[queue] ?? 0) + change
        invariant(count >= 0, "Fewer than no operations of a queue run again.")
        counts[queue] = count == 0 ? nil : count
    }

    /// The ready nodes of a queue that may not run beside its attempts at workers, and were therefore taken out of their lines.
    ///
    /// Some of these nodes may have gone since, or have come back another way.
    func apart(in queue: QueueIndex) -> [SlabReference<OperationNode>] {
        nodesApart.isEmpty ? [] : nodesApart[queue] ?? []
    }

    /// Keeps a node in mind that was taken out of its line.
    mutating func keepApart(_ node: SlabReference<OperationNode>, in queue: QueueIndex) {
        nodesApart[queue, default: []].append(node)
    }

    /// Removes and returns the nodes of a queue that were taken out of their lines.
    mutating func takeApart(in queue: QueueIndex) -> [SlabReference<OperationNode>] {
        nodesApart.isEmpty ? [] : nodesApart.removeValue(forKey: queue) ?? []
    }

    /// The queues with nodes that were taken out of their lines, in order.
    var queuesWithNodesApart: [QueueIndex] { nodesApart.keys.sorted() }
}
