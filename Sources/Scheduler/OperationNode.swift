import BatonOperations

/// An unfinished operation, or a block of neighbouring elements of an array that share their fate so far.
///
/// Arrays stay blocks until their elements start: a million waiting elements cost one node.
///
/// Its fields stand in such an order, and are so narrow, that it takes 120 bytes: there are as many as operations wait.
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
    /// How many microseconds after it became ready its attempt was sent, as far as that goes: a good hour.
    var sentAfter: UInt32 = 0
    /// Its age in the order of additions; a block's elements take consecutive ages.
    var sequence: UInt64
    /// Its number in the order in which operations came to their levels, which decides among equals (PR3, PR6): its age,
    /// unless its level was changed.
    var order: UInt64
    /// Its level.
    var priority: Priority
    /// Where it is in its life.
    var state: OperationState = .pending
    /// Whether its cancellation was asked for.
    var isCancelled = false
    /// Whether somebody holds it; that is one of the conditions that it waits for (DE21).
    var isHeld = false
    /// Whether it is a barrier of its queue (BA1).
    var isBarrier = false
    /// Whether its queue's line has an entry of its rank, current or stale.
    var isInLine = false
    /// Whether its segment has it among those that wait for a barrier.
    var isParked = false
    /// Whether a dependency left a result.
    var hasInputs = false
    /// Whether it was sent to a worker that had no slot for it then.
    var isAhead = false
    /// Whether it was not known to be short when it was sent.
    var isLong = false
    /// Whether its attempt is not to reach its worker before that is on disk: no worker knows of it yet.
    var isWithheld = false
    /// Whether its worker was asked to give it back, and has not answered.
    var isRecalled = false
    /// Whether its next attempt has the number of one that was given back: it is on disk before it is sent, so that no two that
    /// ran ever share the number (D3).
    var repeatsNumber = false
    /// How many requests that were put off keep it from being sent, so that they find it as it is.
    var reservations: Int16 = 0
    /// How many conditions are not met yet: dependencies, a time, and a release.
    var waiting: Int32 = 0
    /// The last of the edges to its dependents; -1 for none.
    var dependents: Int32 = -1
    /// The number of the last attempt that was made, or may have been; the running one included.
    var attempt: UInt32 = 0
    /// How many attempts failed and are made up for.
    var failures: UInt32 = 0
    /// How many attempts were lost.
    var losses: UInt32 = 0
    /// The place of the worker that has it; -1 for none, or for one that has not come back yet.
    var worker: Int32 = -1
    /// Its neighbours among those of its queue and level that were sent and have not started; -1 for none.
    var nextSent: Int32 = -1
    var previousSent: Int32 = -1
    /// The attempt that was sent or runs; ``Scheduler/token(of:)`` has its whole name.
    @Narrow var token: RecordToken? = nil
    /// When it may become ready at the earliest, while it waits for that.
    @Narrow var notBefore: Timestamp? = nil
    /// When it became ready.
    @Narrow var readyAt: Timestamp? = nil
    /// When its running attempt started.
    @Narrow var startedAt: Timestamp? = nil

    /// Its place in the order of its queue, smallest first: higher levels, then those that have had theirs longer.
    var rank: UInt64 {
        UInt64(Priority.veryHigh.rawValue - priority.rawValue) << 56 | order
    }

    /// When its attempt was sent: it cannot have started before.
    var sentAt: Timestamp {
        guard let readyAt else { return Timestamp(rawValue: .min) }
        return Timestamp(rawValue: readyAt.rawValue &+ Int64(sentAfter))
    }

    /// Whether it has a current entry in its queue's line.
    var hasTurn: Bool { isInLine && stage == .ready && reservations == 0 }

    /// Where it is in its life, sent ones told apart.
    var stage: Lifecycle.Stage {
        switch state {
        case .pending: .pending
        case .ready: token == nil ? .ready : .sent
        case .executing: .executing
        case .finished: .finished
        }
    }
}
