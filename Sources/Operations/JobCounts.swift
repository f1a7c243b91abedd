/// How many operations of a job, a queue or the cluster are where in their lives.
public struct JobCounts: Hashable, Sendable {
    /// Waiting for dependencies or a time.
    public var pending = 0
    /// Could start now.
    public var ready = 0
    /// Running on a worker.
    public var executing = 0
    /// Finished without an error.
    public var succeeded = 0
    /// Finished with an error.
    public var failed = 0
    /// Ended because somebody asked.
    public var cancelled = 0
    /// Made impossible by a dependency, or not needed.
    public var skipped = 0
    /// Those of the skipped ones that were not needed: nothing went wrong (DE24).
    public var notNeeded = 0
    /// Those of the skipped ones whose root failed.
    public var skippedAfterFailure = 0

    /// Counts nothing.
    public init() {}

    /// The operations that are finished.
    ///
    /// Like all sums here, it stays at the largest number where it would be above.
    public var finished: Int {
        succeeded.addingSaturated(failed).addingSaturated(cancelled).addingSaturated(skipped)
    }

    /// The operations that are not finished.
    public var unfinished: Int { pending.addingSaturated(ready).addingSaturated(executing) }

    /// All operations.
    public var total: Int { finished.addingSaturated(unfinished) }

    /// The state of the whole: finished when all are, executing when any is, else ready when any is, else pending.
    public var state: OperationState {
        if unfinished == 0 { return .finished }
        if executing > 0 { return .executing }
        return ready > 0 ? .ready : .pending
    }

    /// Whether all that is finished succeeded or was not needed.
    public var isAllSuccess: Bool { failed == 0 && cancelled == 0 && skipped <= notNeeded }

    /// The finished operations that neither succeeded nor were not needed.
    public var unsuccessful: Int {
        failed.addingSaturated(cancelled).addingSaturated(max(0, skipped - notNeeded))
    }

    /// The outcome of the whole, once all of it is finished (D10).
    public var outcome: Outcome? {
        if unfinished > 0 { return nil }
        if isAllSuccess { return .succeeded }
        return failed > 0 || skippedAfterFailure > 0 ? .failed : .cancelled
    }

    /// Counts finished operations.
    ///
    /// - Parameter ending: what their end means to others, which tells the skipped ones apart.
    public mutating func add(_ number: Int, ended outcome: Outcome, _ ending: Ending) {
        self[outcome] = self[outcome].addingSaturated(number)
        guard outcome == .skipped else { return }
        if ending == .notNeeded { notNeeded = notNeeded.addingSaturated(number) }
        if ending.isFailure { skippedAfterFailure = skippedAfterFailure.addingSaturated(number) }
    }

    /// Counts operations that fared as a record says.
    public mutating func add(_ number: Int, of record: OperationRecord) {
        switch record.state {
        case .pending: pending = pending.addingSaturated(number)
        case .ready: ready = ready.addingSaturated(number)
        case .executing: executing = executing.addingSaturated(number)
        case .finished: add(number, ended: record.outcome ?? .failed, record.ending ?? .failed(record.id))
        }
    }

    /// The count of an unfinished state; `finished` has one count for each outcome instead, and reads as their sum.
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
    }
}
