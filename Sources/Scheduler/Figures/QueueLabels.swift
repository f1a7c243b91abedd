@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The choice of the queues whose figures have a label of their own, and the figures of deleted queues.
///
/// The first queues have a label each, up to ``ClusterTotals/mostQueues``, and keep it after their deletion: a later queue of the
/// same name continues its figures. All further queues have one label together, each for its whole life. When no label is free,
/// a new queue takes over that of the queue whose deletion is the longest ago, whose figures end there. So no counter of a label
/// falls as long as the label has its queue, and no end moves from one label to another; and the memory is bounded however many
/// queues come and go.
struct QueueLabels: Sendable {
    /// A deleted queue that keeps its label, or what deleted queues have left in the sum of the others.
    struct Deleted: Sendable {
        /// The queue's name.
        var name: String
        /// How the operations of the label have ended.
        var ends: EndCounts
        /// What happened since the start of the coordinator.
        var totals = QueueTotals()
    }

    /// What the figures of each queue have beside its ends, by the place of the queue.
    var ends: [QueueEnds] = []
    /// The number of queues with a label, without the deleted ones.
    private(set) var count = 0
    /// The deleted queues with a label: first those that were deleted before the start of the coordinator, by name, and then the
    /// others in the order of their deletion.
    private(set) var deleted: [Deleted] = []
    /// What happened in the queues without a label of their own: the taken ends of all of them, and the times of deleted ones.
    private(set) var others = Deleted(name: ClusterTotals.otherQueues, ends: EndCounts())
    /// The names whose labels other queues have taken over since the totals were last taken.
    private var dropped: Set<String> = []
    /// Whether a deleted queue has ends that were not taken yet.
    private var hasChangedDeleted = false

    /// Makes labels of no queues.
    init() {}

    /// Continues the totals of the record; until its queues are opened again, all of them count as deleted.
    init(_ totals: ClusterTotals) {
        deleted = totals.queues.sorted { $0.key < $1.key }.map { Deleted(name: $0.key, ends: $0.value) }
        others.ends = totals.others
    }

    /// Chooses the label of a queue, and returns what has happened there.
    ///
    /// - Parameter isNew: whether the queue is made now; a queue of the record takes over no label.
    mutating func open(_ name: String, isNew: Bool) -> (ends: QueueEnds, totals: QueueTotals) {
        var (ends, totals) = (QueueEnds(), QueueTotals())
        guard name != ClusterTotals.otherQueues else { return (ends, totals) }
        if let place = deleted.firstIndex(where: { $0.name == name }) {
            let earlier = deleted.remove(at: place)
            (ends.beforeStart, totals) = (earlier.ends, earlier.totals)
        } else {
            if count + deleted.count >= ClusterTotals.mostQueues {
                guard isNew, !deleted.isEmpty else { return (ends, totals) }
                dropped.insert(deleted.removeFirst().name)
            }
            // The record gets the label together with the queue.
            totals.isChanged = true
        }
        ends.hasLabel = true
        count += 1
        return (ends, totals)
    }

    /// Keeps the figures of a queue that is deleted.
    ///
    /// - Parameter ends: the ends of the queue's operations that the sum of the others does not include yet.
    mutating func close(_ queue: QueueState, hasLabel: Bool, ends: EndCounts) {
        guard hasLabel else {
            add(ends)
            others.totals.waits += queue.totals.waits
            others.totals.runs += queue.totals.runs
            return
        }
        deleted.append(Deleted(name: queue.name, ends: ends, totals: queue.totals))
        count -= 1
        invariant(count >= 0, "Fewer than no queues have labels.")
        if queue.totals.isChanged { hasChangedDeleted = true }
    }

    /// Adds ends of a queue without a label of its own.
    mutating func add(_ ends: EndCounts) { others.ends = others.ends + ends }

    /// Takes what has changed for deleted queues and for those without a label of their own.
    mutating func takeChanges(into totals: inout ClusterTotals) {
        totals.others = others.ends
        totals.dropped = dropped
        dropped = []
        guard hasChangedDeleted else { return }
        hasChangedDeleted = false
        for place in deleted.indices where deleted[place].totals.isChanged {
            deleted[place].totals.isChanged = false
            totals.queues[deleted[place].name] = deleted[place].ends
        }
    }
}
