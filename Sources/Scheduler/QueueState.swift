import Operations

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

/// A queue of the cluster.
struct QueueState {
    /// Its name.
    let name: String
    /// Its limit and class.
    var settings: QueueSettings
    /// Its ready nodes in order, together with stale entries that are passed over when they come up.
    var line = BinaryHeap<ReadyEntry>()
    /// How many entries of the line are stale.
    var staleEntries = 0
    /// How many of its operations are in which unfinished state; the outcomes stay 0.
    var counts = JobCounts()
    /// How much of the free slots it has had, divided by its weight: the queue with the least is next (QO5).
    var pass: UInt64 = 0
    /// Whether it stands in the order of queues.
    var isInOrder = false

    /// Whether its limit lets another operation start (CO1, CO3).
    var isBelowLimit: Bool {
        settings.maxConcurrent.map { counts.executing < $0 } ?? true
    }

    /// Whether one of its operations could start if a slot were free.
    var isRunnable: Bool { counts.ready > 0 && isBelowLimit }

    /// How much its pass grows with each operation that starts.
    var stride: UInt64 {
        16 * 65_536 / UInt64((settings.qualityOfService ?? .default).weight)
    }
}

/// A queue's place in the order in which queues are served.
struct QueueTurn: Comparable {
    /// The queue's pass.
    var pass: UInt64
    /// The queue.
    var queue: Int32

    static func < (left: QueueTurn, right: QueueTurn) -> Bool {
        (left.pass, left.queue) < (right.pass, right.queue)
    }
}
