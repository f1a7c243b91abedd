@_spi(Baton) import BatonOperations

/// The choice of the queues whose figures have a label of their own, and the figures of deleted queues.
///
/// The first queues have a label each, up to ``ClusterTotals/mostQueues``, and keep it after their deletion: a later queue of the
/// same name continues its figures. All further queues have one label together, each for its whole life. When no label is free,
/// a new queue takes over that of the queue whose deletion is the longest ago, whose figures end there. So no counter of a label
/// falls as long as the label has its queue, and no end moves from one label to another; and the memory is bounded however many
/// queues come and go.
struct QueueLabels: Sendable {
    /// A deleted queue that keeps its label.
    struct Deleted: Sendable {
        /// The queue's name.
        var name: String
        /// What happened in the queue, with all ends as ends before the start.
        var totals: QueueTotals
    }

    /// The number of queues with a label, without the deleted ones.
    private(set) var count = 0
    /// The deleted queues with a label: first those that were deleted before the start of the coordinator, by name, and then the
    /// others in the order of their deletion.
    private(set) var deleted: [Deleted] = []
    /// What happened in the queues without a label of their own: the taken ends of all of them, and the times of deleted ones.
    private(set) var others = QueueTotals()
    /// The names whose labels other queues have taken over since the totals were last taken.
    private var dropped: Set<String> = []
    /// Whether a deleted queue has ends that were not taken yet.
    private var hasChangedDeleted = false

    /// Makes labels of no queues.
    init() {}

    /// Continues the totals of the record; until its queues are opened again, all of them count as deleted.
    init(_ totals: ClusterTotals) {
        deleted = totals.queues.sorted { $0.key < $1.key }.map { name, ends in
            var totals = QueueTotals()
            (totals.hasLabel, totals.endsBeforeStart) = (true, ends)
            return Deleted(name: name, totals: totals)
        }
        others.endsBeforeStart = totals.others
    }

    /// Chooses the label of a queue, and returns what has happened there.
    ///
    /// - Parameter isNew: whether the queue is made now; a queue of the record takes over no label.
    mutating func open(_ name: String, isNew: Bool) -> QueueTotals {
        guard name != ClusterTotals.otherQueues else { return QueueTotals() }
        if let place = deleted.firstIndex(where: { $0.name == name }) {
            count += 1
            return deleted.remove(at: place).totals
        }
        if count + deleted.count >= ClusterTotals.mostQueues {
            guard isNew, !deleted.isEmpty else { return QueueTotals() }
            dropped.insert(deleted.removeFirst().name)
        }
        count += 1
        var totals = QueueTotals()
        // The record gets the label together with the queue.
        (totals.hasLabel, totals.isChanged) = (true, true)
        return totals
    }

    /// Keeps the figures of a queue that is deleted.
    ///
    /// - Parameter ends: how the queue's operations have ended.
    mutating func close(_ name: String, _ totals: QueueTotals, ends: EndCounts) {
        guard totals.hasLabel else {
            add(ends - totals.addedEnds)
            others.waits += totals.waits
            others.runs += totals.runs
            return
        }
        var kept = totals
        (kept.endsBeforeStart, kept.endsOfDeleted) = (ends, EndCounts())
        deleted.append(Deleted(name: name, totals: kept))
        count -= 1
        if kept.isChanged { hasChangedDeleted = true }
    }

    /// Adds ends of a queue without a label of its own.
    mutating func add(_ ends: EndCounts) { others.endsBeforeStart = others.endsBeforeStart + ends }

    /// Takes what has changed for deleted queues and for those without a label of their own.
    mutating func takeChanges(into totals: inout ClusterTotals) {
        totals.others = others.endsBeforeStart
        totals.dropped = dropped
        dropped = []
        guard hasChangedDeleted else { return }
        hasChangedDeleted = false
        for place in deleted.indices where deleted[place].totals.isChanged {
            deleted[place].totals.isChanged = false
            totals.queues[deleted[place].name] = deleted[place].totals.endsBeforeStart
        }
    }
}
