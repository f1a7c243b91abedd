@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// A queue of the cluster.
///
/// Computed properties that every dispatch reads are inlined: otherwise each access would copy the whole queue.
struct QueueState {
    /// The queue's name.
    let name: String
    /// The queue's limit, class, suspension and total.
    var settings: QueueSettings
    /// The ready nodes that every worker runs.
    var line = ReadyLine()
    /// The ready nodes that not every worker takes, by requirement: an operation that no worker takes does not hold up other
    /// operations (BL4).
    ///
    /// Each of these lines has a current entry.
    var specialLines: [Requirement: ReadyLine] = [:]
    /// Whether the queue waits for a free slot on a worker that takes its operations.
    var awaitsWorker = false
    /// Whether a worker is reserved for an operation of the queue, which keeps a place within the limit from those behind it.
    var hasReservation = false
    /// What keeps the queue from starting anything for a while; empty for nothing.
    var gates: QueueGates = []
    /// The starts of a queue with a rate; nil for a queue without one.
    var pace: StartPace?
    /// The parts into which barriers divide the queue: the lines hold nodes of the first segment, or the barrier behind it.
    var segments = BarrierSegments()
    /// The number of the queue's operations in each unfinished state; the outcomes stay 0.
    var counts = JobCounts()
    /// How the queue's operations have ended since the start of the coordinator, with those of deleted queues in the same place.
    var ended = JobCounts()
    /// What has happened in the queue, for the record and for people who watch the cluster.
    var totals = QueueTotals()
    /// The number of operations that were sent to a worker and have not started, which count against the limit.
    private(set) var sentCount = 0
    /// For each priority from veryLow up, the last node that was sent and has not started, if any.
    private(set) var sent = [NodeIndex?](repeating: nil, count: 5)
    /// The number of unstarted nodes that were sent to a worker without a slot for them, by priority.
    private(set) var prefetchedCounts = [Int](repeating: 0, count: 5)
    /// The nodes that were cancelled while the queue was suspended, and finish when the queue is resumed (SU3).
    ///
    /// Some of these nodes may have gone since.
    var flagged: [SlabReference<OperationNode>] = []
    /// The queue's use of the free slots so far, divided by its weight: the queue with the lowest pass is next (QO5).
    var pass: UInt64 = 0
    /// The turn of the last dispatch: no later dispatch of the queue starts before it.
    var lastTurn: UInt64 = 0
    /// Whether the queue stands in the order of queues.
    var isInOrder = false
    /// The number of operations that ran to their end since the queue got a total, without barriers (PG1).
    var completed: UInt64 = 0
    /// The progress that the running operations report, as a sum in millionths of an operation, without barriers.
    var partial: Int64 = 0

    /// Whether the queue starts nothing until the end of the reconcile window.
    var isGated: Bool {
        get { gates.contains(.reconciling) }
        set { if newValue { gates.insert(.reconciling) } else { gates.remove(.reconciling) } }
    }

    /// Whether the limit lets another operation start (CO1, CO3).
    @inline(__always) var isBelowLimit: Bool {
        settings.maxConcurrent.map { counts.executing + sentCount < $0 } ?? true
    }

    /// Whether the last place within the limit is kept for the operation for which a worker is reserved: only operations that come
    /// before it may start (PR2, CO9).
    @inline(__always) var isLastPlaceKept: Bool {
        hasReservation && settings.maxConcurrent.map { counts.executing + sentCount + 1 >= $0 } ?? false
    }

    /// Whether the operation could start for which a worker is reserved.
    var mayStartReserved: Bool { !settings.isSuspended && !isGated && isBelowLimit }

    /// Whether an operation of the queue could be sent to a worker.
    @inline(__always) var isRunnable: Bool {
        !settings.isSuspended && gates.rawValue == 0 && (line.hasCurrentEntries || !specialLines.isEmpty)
            && isBelowLimit
    }

    /// The line of the operations with a requirement; nil for the line of the operations that every worker runs.
    func line(for requirement: Requirement?) -> ReadyLine {
        requirement.map { specialLines[$0] ?? ReadyLine() } ?? line
    }

    /// Changes the line of a requirement, and removes the line if it is empty afterwards.
    mutating func changeLine(for requirement: Requirement?, _ change: (inout ReadyLine) -> Void) {
        guard let requirement else { return line.change(change) }
        specialLines[requirement, default: ReadyLine()].change(change)
        if specialLines[requirement]?.entries.count == 0 { specialLines[requirement] = nil }
    }

    /// Adds a node to the end of the list of sent, unstarted nodes of its priority.
    ///
    /// - Returns: the previous last node of the list.
    mutating func appendSent(_ index: NodeIndex, _ node: OperationNode) -> NodeIndex? {
        let step = node.priority.step
        let last = sent[step]
        invariant(node.count == 1, "A block of operations is sent to a worker.")
        invariant(last != index, "An operation is sent twice.")
        sent[step] = index
        sentCount += 1
        if node.isPrefetched { prefetchedCounts[step] += 1 }
        return last
    }

    /// Removes a node from the list of sent, unstarted nodes of its priority; the caller links the node's neighbours.
    mutating func removeSent(_ node: OperationNode) {
        let step = node.priority.step
        if node.nextSent == nil { sent[step] = node.previousSent }
        sentCount -= 1
        invariant(sentCount >= 0, "A queue counts fewer than no dispatched operations.")
        if node.isPrefetched { prefetchedCounts[step] -= 1 }
        invariant(prefetchedCounts[step] >= 0, "A queue counts fewer than no operations sent ahead.")
    }

    /// Stops counting a sent node as prefetched, because its worker is silent.
    mutating func forgetPrefetched(_ node: OperationNode) {
        prefetchedCounts[node.priority.step] -= 1
        invariant(prefetchedCounts[node.priority.step] >= 0, "A queue forgets more operations than it has sent ahead.")
    }

    /// The growth of the queue's pass with each dispatched operation.
    var stride: UInt64 { Self.stride(of: settings.qualityOfService) }

    /// The growth of the pass with each dispatched operation, for a queue of a class.
    static func stride(of quality: QualityOfService?) -> UInt64 {
        UInt64(QualityOfService.userInteractive.weight / (quality ?? .default).weight)
    }

    /// The completed share of the queue's total, from 0 to 1; nil without a total (PG4).
    var progress: Double? {
        settings.total.map { total in
            min(1, (Double(completed) + Double(partial) / Double(OperationProgress.whole)) / Double(max(total, 1)))
        }
    }
}

extension Priority {
    /// The position of the priority, from 0 for veryLow.
    var step: Int { (Int(rawValue) + 8) / 4 }
}
