@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// A ready node in the order of its queue.
struct ReadyEntry: Comparable {
    /// The node's rank at the time of its entry.
    var rank: OperationRank
    /// The node, which may have gone or have got a newer entry since.
    var node: SlabReference<OperationNode>

    static func < (left: ReadyEntry, right: ReadyEntry) -> Bool {
        left.rank < right.rank
    }
}

/// The ready nodes of a queue that the same workers could run: a priority queue by ``OperationRank``, FIFO within a priority.
struct ReadyLine {
    /// The entries of the nodes, with stale entries that are skipped at the front of the line.
    var entries = BinaryHeap<ReadyEntry>()
    /// The number of stale entries.
    var staleEntries = 0

    /// Changes the line.
    mutating func change(_ body: (inout ReadyLine) -> Void) {
        body(&self)
        invariant(staleEntries >= 0, "A line has fewer than no stale entries.")
        invariant(staleEntries <= entries.count, "A line has more stale entries than entries.")
    }

    /// Whether the line has a current entry.
    var hasCurrentEntries: Bool { entries.count > staleEntries }
}
