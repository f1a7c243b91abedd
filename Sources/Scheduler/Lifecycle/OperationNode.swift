@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// An unfinished operation, or a block of adjacent array elements with the same fate so far.
///
/// An array consists of blocks until its elements start: a million waiting elements cost one node.
///
/// The order and the narrow types of the fields keep a node at 120 bytes: nodes are as many as waiting operations.
struct OperationNode {
    /// The job.
    let job: JobIndex
    /// The entry of the operation in the job.
    let entry: Int32
    /// The index in the job of the operation, or of the block's first element.
    private(set) var index: UInt32
    /// The number of operations in the node; more than 1 only while pending or ready.
    private(set) var count: UInt32
    /// The queue.
    let queue: QueueIndex
    /// The time from readiness to the dispatch of the attempt, in microseconds, at most a good hour.
    var sentAfter: UInt32 = 0
    /// The operation's age, a number in the order of additions; the elements of a block have consecutive ages.
    private(set) var sequence: UInt64
    /// The operation's number in the order in which priorities were given, the tie-breaker among equal priorities (PR3, PR6).
    ///
    /// The number is the operation's age unless the priority was changed.
    var order: UInt64
    /// The operation's priority.
    var priority: Priority
    /// The operation's state.
    var state: OperationState = .pending
    /// How far the cancellation of the operation has come.
    var cancellation = CancellationStage.notRequested
    /// Whether somebody holds the operation; a hold counts as a condition of the operation (DE21).
    var isHeld = false
    /// Whether the operation is a barrier of its queue (BA1).
    private(set) var isBarrier = false
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
    /// Whether the next attempt is on disk before its dispatch, even if it is the first: see ``Scheduler/mustBeCommitted(_:)``.
    var isRecordedFirst = false
    /// Whether no earlier coordinator can have sent an attempt that the record lacks (D3).
    var isUnsent = false
    /// The number of deferred requests that keep the operation from being dispatched, to find the operation unchanged.
    var reservations: Int16 = 0
    /// The number of unmet conditions: dependencies, a time, and a release.
    private(set) var waiting: Int32 = 0
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

    /// Whether cancellation of the operation was requested, and had its turn.
    var isCancelled: Bool {
        @inline(__always) get { cancellation == .flagged }
        @inline(__always) set { cancellation = newValue ? .flagged : .notRequested }
    }

    /// The position in the order of the queue, smallest first.
    @inline(__always) var rank: OperationRank { OperationRank(priority: priority, order: order) }

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

extension OperationNode {
    /// Makes an operation that nobody knows yet younger.
    mutating func lowerAge(by distance: UInt64) {
        sequence += distance
        order += distance
    }
}

/// The conditions of an operation.
extension OperationNode {
    /// Makes the operation wait for another condition.
    mutating func addCondition() {
        waiting += 1
    }

    /// Removes a condition that is met, or that no longer applies.
    ///
    /// - Returns: whether the operation waits for nothing now.
    @discardableResult
    mutating func removeCondition() -> Bool {
        waiting -= 1
        invariant(waiting >= 0, "An operation waits for fewer than no conditions.")
        return waiting == 0
    }

    /// Makes the operation wait for its release (DE21).
    mutating func hold() {
        isHeld = true
        addCondition()
    }

    /// Ends the operation's wait for its release.
    ///
    /// - Returns: whether the operation waits for nothing now.
    mutating func release() -> Bool {
        invariant(isHeld, "An operation is released that nobody holds.")
        isHeld = false
        return removeCondition()
    }

    /// Makes the operation wait until a time.
    mutating func postpone(until time: Timestamp) {
        notBefore = time
        addCondition()
    }

    /// Ends the operation's wait for a time.
    ///
    /// - Returns: whether the operation waits for nothing now.
    mutating func endDelay() -> Bool {
        notBefore = nil
        return removeCondition()
    }
}

/// The division of blocks.
extension OperationNode {
    /// Reduces a block to its first elements.
    ///
    /// - Returns: the rest, in the same state, with no conditions, no dependents and no entry in a line.
    mutating func splitOff(from offset: UInt32) -> OperationNode {
        var rest = self
        invariant(offset > 0, "A block is divided before its beginning.")
        rest.dropFirst(offset)
        rest.dependents = nil
        rest.waiting = 0
        rest.isInLine = false
        rest.isParked = false
        count = offset
        return rest
    }

    /// Takes the first element out of a block.
    ///
    /// - Returns: the element, in the same state, with no dependents and no entry in a line.
    mutating func splitOffFirst() -> OperationNode {
        invariant(count > 1, "An operation is divided that is no block.")
        var first = self
        first.count = 1
        first.dependents = nil
        first.isInLine = false
        dropFirst(1)
        return first
    }

    /// Adds the elements behind the last one, which are in the same state.
    mutating func append(_ number: UInt32) {
        count += number
    }

    private mutating func dropFirst(_ number: UInt32) {
        invariant(number < count, "A block is divided beyond its end.")
        index += number
        count -= number
        sequence += UInt64(number)
        order += UInt64(number)
    }
}
