import BatonOperations

/// One ready node in the order of its queue.
struct ReadyEntry: Comparable {
    /// Its rank when it was put in line.
    var rank: UInt64
    /// Who it is; it may have gone, or have been put in line anew, since.
    var node: Slab<OperationNode>.Reference

    static func < (left: ReadyEntry, right: ReadyEntry) -> Bool {
        left.rank < right.rank
    }
}

/// The ready nodes of a queue that any one of the same workers could run, in order.
struct ReadyLine {
    /// The nodes, together with stale entries that are passed over when they come up.
    var entries = BinaryHeap<ReadyEntry>()
    /// How many entries are stale.
    var staleEntries = 0

    /// Whether somebody stands in it.
    var hasCurrentEntries: Bool { entries.count > staleEntries }
}
