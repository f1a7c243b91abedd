import Operations

/// An unfinished operation, or a block of neighbouring elements of an array that share their fate so far.
///
/// Arrays stay blocks until their elements start: a million waiting elements cost one node.
struct OperationNode {
    /// The job's place.
    var job: Int32
    /// The entry of the job that it comes from.
    var entry: Int32
    /// The index in the job of the operation, or of the block's first.
    var index: UInt32
    /// How many operations it stands for; more than 1 only while pending or ready.
    var count: UInt32
    /// The place of its queue.
    var queue: Int32
    /// Its age in the order of additions, which decides among equals (PR3); a block's elements take consecutive ages.
    var sequence: UInt64
    /// Its level.
    var priority: Priority
    /// Where it is in its life.
    var state: OperationState = .pending
    /// Whether its cancellation was asked for.
    var isCancelled = false
    /// Whether its queue's line has an entry of it, current or stale.
    var isInLine = false
    /// Whether a dependency left a result.
    var hasInputs = false
    /// How many conditions are not met yet: dependencies, and a time.
    var waiting: Int32 = 0
    /// The last of the edges to its dependents; -1 for none.
    var dependents: Int32 = -1
    /// When it may become ready at the earliest, while it waits for that.
    var notBefore: Timestamp?
    /// How many attempts were made, the running one included.
    var attempt: UInt32 = 0
    /// How many attempts failed.
    var failures: UInt32 = 0
    /// How many attempts were lost.
    var losses: UInt32 = 0
    /// The running attempt.
    var token: AttemptToken?
    /// The place of the worker that runs it; -1 for none, or for one that has not come back yet.
    var worker: Int32 = -1
    /// When it became ready.
    var readyAt: Timestamp?
    /// When its running attempt started.
    var startedAt: Timestamp?

    /// Its place in the order of its queue, smallest first: higher levels, then older ones.
    var rank: UInt64 {
        UInt64(Priority.veryHigh.rawValue - priority.rawValue) << 56 | sequence
    }
}

/// One thing that depends on another: an edge from a dependency to its dependent.
struct DependencyEdge {
    /// The node that waits; it may have been finished by other means.
    var dependent: Slab<OperationNode>.Reference
    /// What it waits for.
    var condition: DependencyCondition
    /// The next edge of the same dependency; -1 at the end.
    var next: Int32
}

/// Several operations that can be depended on as one: an array, or a job.
struct Join {
    /// How many of them are not finished.
    var unfinished: Int
    /// Whether all that are finished succeeded.
    var allSucceeded = true
    /// Whether any of them failed.
    var anyFailed = false
    /// Whether any of them left a result.
    var hasResult = false
    /// The last of the edges to its dependents; -1 for none.
    var dependents: Int32 = -1

    /// What a dependent is told once all are finished.
    var settled: SettledDependency {
        SettledDependency(succeeded: allSucceeded, failed: anyFailed, hasResult: hasResult)
    }

    /// Counts operations that are finished.
    mutating func count(_ finished: Int, outcome: Outcome, hasResult: Bool) {
        unfinished -= finished
        if outcome != .succeeded { allSucceeded = false }
        if outcome == .failed { anyFailed = true }
        if hasResult { self.hasResult = true }
    }
}
