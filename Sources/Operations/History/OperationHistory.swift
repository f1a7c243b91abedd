/// The state of an operation with its last attempt, or of neighbouring elements of an array that have never started.
@_spi(Baton) public struct OperationHistory: Hashable, Sendable {
    /// The index of the first operation.
    public var first: UInt32
    /// The number of operations with consecutive indices; more than 1 only for operations that have never started.
    public var count: UInt32
    /// The state.
    public var state: OperationState
    /// The outcome; nil unless the operation is finished.
    public var outcome: Outcome?
    /// Why the operation did not succeed; nil for any other operation.
    public var reason: Reason.Code?
    /// Whether a failure is the reason for which the operation was skipped.
    public var isSkippedAfterFailure: Bool
    /// The exit status of the last attempt, if the attempt exited.
    public var exitStatus: Int32?
    /// The signal that ended the last attempt, if any.
    public var signal: Int32?
    /// The number of the last attempt; 0 for an operation that has never started.
    public var attempt: UInt32
    /// The worker of the last attempt; nil for none.
    public var worker: String?
    /// When the operation last became ready.
    public var readyAt: Timestamp?
    /// When the last attempt started.
    public var startedAt: Timestamp?
    /// When the operation was finished.
    public var finishedAt: Timestamp?

    /// Describes operations without any history.
    public init(first: UInt32, count: UInt32 = 1, state: OperationState = .pending) {
        self.first = first
        self.count = count
        self.state = state
        isSkippedAfterFailure = false
        attempt = 0
    }

    /// Describes the operations of a record.
    public init(_ record: OperationRecord) {
        self.init(first: record.id.index, count: record.count, state: record.state)
        outcome = record.outcome
        reason = record.reason?.code
        isSkippedAfterFailure = record.outcome == .skipped && record.ending?.isFailure == true
        exitStatus = record.exitStatus
        signal = record.signal
        attempt = record.attempt
        worker = record.worker
        readyAt = record.readyAt
        startedAt = record.startedAt
        finishedAt = record.finishedAt
    }

    /// The indices of the operations.
    public var range: Range<UInt32> { first..<first + min(count, .max - first) }

    /// Whether other operations have the same history, so that one value may stand for all.
    public func isLike(_ other: OperationHistory) -> Bool {
        guard attempt == 0, other.attempt == 0 else { return false }
        var moved = other
        (moved.first, moved.count) = (first, count)
        return moved == self
    }

    /// Counts the operations by state and outcome.
    public func add(to counts: inout JobCounts, number: Int) {
        guard let outcome, state == .finished else {
            switch state {
            case .ready: counts.ready = counts.ready.addingSaturated(number)
            case .executing: counts.executing = counts.executing.addingSaturated(number)
            case .pending, .finished: counts.pending = counts.pending.addingSaturated(number)
            }
            return
        }
        counts[outcome] = counts[outcome].addingSaturated(number)
        guard outcome == .skipped else { return }
        if reason == .notNeeded { counts.notNeeded = counts.notNeeded.addingSaturated(number) }
        if isSkippedAfterFailure {
            counts.skippedAfterFailure = counts.skippedAfterFailure.addingSaturated(number)
        }
    }
}

/// An attempt that ended before its operation, in a history.
@_spi(Baton) public struct EarlierAttempt: Hashable, Sendable {
    /// The index of the operation.
    public var operation: UInt32
    /// The number of the attempt, from 1.
    public var attempt: UInt32
    /// The worker; nil for an unknown worker.
    public var worker: String?
    /// When the attempt started; nil for an attempt that was lost before its worker reported a start.
    public var startedAt: Timestamp?
    /// When the attempt ended, or when the coordinator counted the attempt as lost.
    public var endedAt: Timestamp
    /// Why the attempt did not end the operation.
    public var reason: Reason.Code
    /// The exit status, if the attempt exited.
    public var exitStatus: Int32?
    /// The signal that ended the attempt, if any.
    public var signal: Int32?
    /// Whether the attempt was ended because its worker was stopped; the reason is then that of a loss.
    public var wasStopped = false

    /// Describes an attempt of the record.
    public init(_ record: AttemptRecord, of operation: UInt32) {
        self.init(
            operation: operation,
            attempt: record.attempt,
            worker: record.worker,
            startedAt: record.startedAt,
            endedAt: record.endedAt,
            reason: record.reason.code
        )
        exitStatus = record.exitStatus
        signal = record.signal
        wasStopped = record.wasStopped
    }

    /// Describes an attempt without an exit status and a signal.
    public init(
        operation: UInt32,
        attempt: UInt32,
        worker: String?,
        startedAt: Timestamp?,
        endedAt: Timestamp,
        reason: Reason.Code
    ) {
        self.operation = operation
        self.attempt = attempt
        self.worker = worker
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.reason = reason
    }
}
