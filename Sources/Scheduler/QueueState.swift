import BatonOperations

/// A queue of the cluster.
struct QueueState {
    /// What its operations are cut into by its barriers.
    struct Segment {
        /// The barrier that has to be finished before anything of the segment starts; nil for the first segment.
        var barrier: Slab<OperationNode>.Reference?
        /// The age of the barrier: what is older lies before it.
        var start: UInt64
        /// How many operations of the segment are not finished, its barrier not counted.
        var unfinished = 0
        /// Those of its nodes that have become ready, each once, in no order; some may have changed since.
        var parked: [Slab<OperationNode>.Reference] = []
    }

    /// Its name.
    let name: String
    /// Its limit, class, suspension and total.
    var settings: QueueSettings
    /// Its ready nodes that every worker runs.
    var line = ReadyLine()
    /// Its ready Swift operations, by type: what nobody runs stands in nobody's way (BL4).
    ///
    /// None of these lines is empty or has stale entries only.
    var typedLines: [String: ReadyLine] = [:]
    /// Whether it is to be served again once a worker that runs Swift operations has a free slot.
    var awaitsWorker = false
    /// Whether it starts nothing before all workers of before a restart are back, or had the time: it had operations that one
    /// of them may have been sent without that being in the record.
    var isGated = false
    /// Its segments, oldest first; what is in its lines is of the first, or is the barrier behind it.
    var segments = [Segment(barrier: nil, start: 0)]
    /// How many of its operations are in which unfinished state; the outcomes stay 0.
    var counts = JobCounts()
    /// How its operations have ended since the coordinator was started.
    var ended = JobCounts()
    /// How many were sent to a worker and have not started; they count against the limit.
    var sentCount = 0
    /// For each level from veryLow up, the last of those that were sent and have not started; -1 for none.
    var sent = [Int32](repeating: -1, count: 5)
    /// How many of those were sent when their worker had no slot for them, by level.
    var aheadCounts = [Int](repeating: 0, count: 5)
    /// Those that were cancelled while it was suspended, and finish when it is resumed (SU3); some may have gone since.
    var flagged: [Slab<OperationNode>.Reference] = []
    /// How much of the free slots it has had, divided by its weight: the queue with the least is next (QO5).
    var pass: UInt64 = 0
    /// The turn of what was sent of it last; no later one of it starts before that.
    var lastTurn: UInt64 = 0
    /// Whether it stands in the order of queues.
    var isInOrder = false
    /// How many of its operations ran to their end since it got a total (PG1).
    var completed: UInt64 = 0
    /// What its running operations say is done of them, in millionths of an operation.
    var partial: Int64 = 0

    /// Whether its limit lets another operation start (CO1, CO3).
    var isBelowLimit: Bool {
        settings.maxConcurrent.map { counts.executing + sentCount < $0 } ?? true
    }

    /// Whether one of its operations could be sent to a worker.
    var isRunnable: Bool {
        !settings.isSuspended && !isGated && (line.hasCurrentEntries || !typedLines.isEmpty) && isBelowLimit
    }

    /// The line of the operations of a type; nil for that of what every worker runs.
    func line(of type: String?) -> ReadyLine {
        type.map { typedLines[$0] ?? ReadyLine() } ?? line
    }

    /// Changes the line of a type, and drops one that nobody stands in any more.
    mutating func changeLine(of type: String?, _ change: (inout ReadyLine) -> Void) {
        guard let type else { return change(&line) }
        change(&typedLines[type, default: ReadyLine()])
        if typedLines[type]?.entries.count == 0 { typedLines[type] = nil }
    }

    /// How much its pass grows with each operation that starts.
    var stride: UInt64 { Self.stride(of: settings.qualityOfService) }

    /// How much the pass of a queue of a class grows with each operation that starts.
    static func stride(of quality: QualityOfService?) -> UInt64 {
        UInt64(QualityOfService.userInteractive.weight / (quality ?? .default).weight)
    }

    /// The segment that a node of an age lies in; a barrier lies before its segment, in the one that it ends.
    ///
    /// - Complexity: O(log barriers).
    func segment(ofAge sequence: UInt64) -> Int {
        var low = 0
        var high = segments.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if segments[middle].start < sequence { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// How much of its total is done, from 0 to 1; nil where it has none (PG4).
    var progress: Double? {
        settings.total.map { total in
            min(1, (Double(completed) + Double(partial) / Double(OperationProgress.whole)) / Double(max(total, 1)))
        }
    }
}

/// A queue's place in the order in which queues are served; it counts as long as the queue has this pass and is in order.
struct QueueTurn: Comparable {
    /// The queue's pass.
    var pass: UInt64
    /// The queue.
    var queue: Int32

    static func < (left: QueueTurn, right: QueueTurn) -> Bool {
        (left.pass, left.queue) < (right.pass, right.queue)
    }
}

extension Priority {
    /// Its position among the levels, from 0 for veryLow.
    var step: Int { (Int(rawValue) + 8) / 4 }
}
