/// The number of operations in each state and with each outcome, for a job, a queue or the cluster.
@_spi(Baton) public struct JobCounts: Hashable, Sendable {
    /// Waiting for dependencies or a time.
    public var pending = 0
    /// Able to start now.
    public var ready = 0
    /// Running on a worker.
    public var executing = 0
    /// Finished without an error.
    public var succeeded = 0
    /// Finished with an error.
    public var failed = 0
    /// Ended at the request of a user.
    public var cancelled = 0
    /// Made impossible by a dependency, or not needed.
    public var skipped = 0
    /// Skipped operations that were not needed, without any failure (DE24).
    public var notNeeded = 0
    /// Skipped operations whose root failed.
    public var skippedAfterFailure = 0
    /// Whether a job ended by a cancellation that met none of its operations, before any had succeeded (D10).
    public var isCancelled = false

    /// Makes counts of zero.
    public init() {}

    /// The number of finished operations.
    ///
    /// Like all sums in this type, the sum saturates at the largest number.
    public var finished: Int {
        succeeded.addingSaturated(failed).addingSaturated(cancelled).addingSaturated(skipped)
    }

    /// The number of unfinished operations.
    public var unfinished: Int { pending.addingSaturated(ready).addingSaturated(executing) }

    /// The number of all operations.
    public var total: Int { finished.addingSaturated(unfinished) }

    /// The state of the whole: finished if all operations are, executing if any is, else ready if any is, else pending.
    public var state: OperationState {
        if unfinished == 0 { return .finished }
        if executing > 0 { return .executing }
        return ready > 0 ? .ready : .pending
    }

    /// The state of the whole; an open job that has no unfinished operation is pending.
    public func state(isOpen: Bool) -> OperationState { isOpen && unfinished == 0 ? .pending : state }

    /// Whether all finished operations succeeded or were not needed, and no job was cancelled.
    public var isAllSuccess: Bool { failed == 0 && cancelled == 0 && skipped <= notNeeded && !isCancelled }

    /// The number of finished operations other than the successful and the unneeded ones.
    public var unsuccessful: Int {
        failed.addingSaturated(cancelled).addingSaturated(max(0, skipped - notNeeded))
    }

    /// The outcome of the whole; nil while any operation is unfinished (D10).
    public var outcome: Outcome? {
        if unfinished > 0 { return nil }
        if isAllSuccess { return .succeeded }
        return failed > 0 || skippedAfterFailure > 0 ? .failed : .cancelled
    }

    /// Counts finished operations.
    ///
    /// - Parameter ending: the effect of their end on dependents, which separates the kinds of skipped operations.
    public mutating func add(_ number: Int, ended outcome: Outcome, _ ending: Ending) {
        self[outcome] = self[outcome].addingSaturated(number)
        guard outcome == .skipped else { return }
        if ending == .notNeeded { notNeeded = notNeeded.addingSaturated(number) }
        if ending.isFailure { skippedAfterFailure = skippedAfterFailure.addingSaturated(number) }
    }

    /// Counts operations in the state and with the outcome of a record.
    public mutating func add(_ number: Int, of record: OperationRecord) {
        switch record.state {
        case .pending: pending = pending.addingSaturated(number)
        case .ready: ready = ready.addingSaturated(number)
        case .executing: executing = executing.addingSaturated(number)
        case .finished: add(number, ended: record.outcome ?? .failed, record.ending ?? .failed(record.id))
        }
    }

    /// The count of a state; the count of `finished` is the sum over all outcomes.
    public subscript(state: OperationState) -> Int {
        get {
            switch state {
            case .pending: pending
            case .ready: ready
            case .executing: executing
            case .finished: finished
            }
        }
    }

    /// The count of an outcome.
    public subscript(outcome: Outcome) -> Int {
        get {
            switch outcome {
            case .succeeded: succeeded
            case .failed: failed
            case .cancelled: cancelled
            case .skipped: skipped
            }
        }
        set {
            switch outcome {
            case .succeeded: succeeded = newValue
            case .failed: failed = newValue
            case .cancelled: cancelled = newValue
            case .skipped: skipped = newValue
            }
        }
    }

    /// Adds the counts of another group.
    public static func += (left: inout JobCounts, right: JobCounts) {
        left.pending = left.pending.addingSaturated(right.pending)
        left.ready = left.ready.addingSaturated(right.ready)
        left.executing = left.executing.addingSaturated(right.executing)
        left.succeeded = left.succeeded.addingSaturated(right.succeeded)
        left.failed = left.failed.addingSaturated(right.failed)
        left.cancelled = left.cancelled.addingSaturated(right.cancelled)
        left.skipped = left.skipped.addingSaturated(right.skipped)
        left.notNeeded = left.notNeeded.addingSaturated(right.notNeeded)
        left.skippedAfterFailure = left.skippedAfterFailure.addingSaturated(right.skippedAfterFailure)
        left.isCancelled = left.isCancelled || right.isCancelled
    }
}
