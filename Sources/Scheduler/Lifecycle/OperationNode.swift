@_spi(Baton) import BatonOperations

/// An unfinished operation, or a block of adjacent array elements with the same fate so far.
///
/// An array consists of blocks until its elements start: a million waiting elements cost one node.
///
/// The order and the narrow types of the fields keep a node at 120 bytes: nodes are as many as waiting operations.
struct OperationNode {
    /// The job.
    var job: JobIndex
    /// The entry of the operation in the job.
    var entry: Int32
    /// The index in the job of the operation, or of the block's first element.
    var index: UInt32
    /// The number of operations in the node; more than 1 only while pending or ready.
    var count: UInt32
    /// The queue.
    var queue: QueueIndex
    /// The time from readiness to the dispatch of the attempt, in microseconds, at most a good hour.
    var sentAfter: UInt32 = 0
    /// The operation's age, a number in the order of additions; the elements of a block have consecutive ages.
    var sequence: UInt64
    /// The operation's number in the order in which priorities were given, the tie-breaker among equal priorities (PR3, PR6).
    ///
    /// The number is the operation's age unless the priority was changed.
    var order: UInt64
    /// The operation's priority.
    var priority: Priority
    /// The operation's state.
    var state: OperationState = .pending
    /// Whether cancellation of the operation was requested.
    var isCancelled = false
    /// Whether somebody holds the operation; a hold counts as a condition of the operation (DE21).
    var isHeld = false
    /// Whether the operation is a barrier of its queue (BA1).
    var isBarrier = false
    /// Whether the queue's line has an entry with the node's rank, current or stale.
    var isInLine = false
    /// Whether the node is in its segment's list of nodes that wait for a barrier.
    var isParked = false
    /// Whether a dependency left a result.
    var hasInputs = false
    /// Whether the worker had no slot for the operation at its dispatch.
    var isPrefetched = false
    /// Whether the operation was not known to be short at its dispatch.
    var isLong = false
    /// Whether the dispatch waits until the attempt is on disk: no worker knows of the attempt yet.
    var isWithheld = false
    /// Whether the worker was asked to return the attempt and has not answered.
    var isRecalled = false
    /// Whether the next attempt has the number of an attempt that a worker could not start.
    ///
    /// The next attempt is then on disk before the dispatch, so that no two executed attempts share a number (D3).
    var repeatsNumber = false
    /// The number of deferred requests that keep the operation from being dispatched, to find the operation unchanged.
    var reservations: Int16 = 0
    /// The number of unmet conditions: dependencies, a time, and a release.
    var waiting: Int32 = 0
    /// The newest edge to a dependent, which is the first of the list.
    @Narrow var dependents: EdgeTable.Index? = nil
    /// The number of the last attempt that was made or may have been made, a running attempt included.
    var attempt: UInt32 = 0
    /// The number of failed attempts that a retry makes up for.
    var failures: UInt32 = 0
    /// The number of lost attempts.
    var losses: UInt32 = 0
    /// The worker that has the operation; nil for no worker, or for a worker that has not come back yet.
    @Narrow var worker: WorkerIndex? = nil
    /// The neighbours in the list of sent, unstarted nodes of the same queue and priority.
    @Narrow var nextSent: NodeIndex? = nil
    @Narrow var previousSent: NodeIndex? = nil
    /// The token of the attempt that was sent or runs; ``Scheduler/token(of:)`` returns the whole token.
    @Narrow var token: RecordToken? = nil
    /// The earliest time at which the operation may become ready, while the operation waits for this time.
    @Narrow var notBefore: Timestamp? = nil
    /// The time at which the operation became ready.
    @Narrow var readyAt: Timestamp? = nil
    /// The time at which the running attempt started.
    @Narrow var startedAt: Timestamp? = nil

    /// The position in the order of the queue, smallest first.
    @inline(__always) var rank: QueueRank { QueueRank(priority: priority, order: order) }

    /// The time of the attempt's dispatch, and thus the earliest time of the start.
    @inline(__always) var sentAt: Timestamp {
        guard let readyAt else { return Timestamp(rawValue: .min) }
        return Timestamp(rawValue: readyAt.rawValue &+ Int64(sentAfter))
    }

    /// Whether the node has a current entry in its queue's line.
    @inline(__always) var hasTurn: Bool { isInLine && stage == .ready && reservations == 0 }

    /// The operation's stage, which distinguishes sent operations from ready operations.
    @inline(__always) var stage: Lifecycle.Stage {
        switch state {
        case .pending: .pending
        case .ready: token == nil ? .ready : .sent
        case .executing: .executing
        case .finished: .finished
        }
    }
}
