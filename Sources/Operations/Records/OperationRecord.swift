/// The recorded state of an operation, or of neighbouring elements of an array with the same history.
///
/// A record is complete: a newer record of the same operation replaces the older one.
@_spi(Baton) public struct OperationRecord: Hashable, Sendable {
    /// The first or only operation of the record.
    public var id: OperationID
    /// How many operations with consecutive indices share the record; more than 1 only for operations that never started.
    public var count: UInt32
    /// The state.
    public var state: OperationState
    /// The outcome; set exactly when the operation is finished.
    public var outcome: Outcome?
    /// Whether the cancellation was requested.
    public var isCancelled: Bool
    /// Why the operation did not succeed; of an operation that waits for lost files, that it does.
    public var reason: Reason?
    /// Why the operation was skipped: the root, or that the operation was not needed (DE24).
    public var skippedFor: Ending?
    /// Whether the root of each operation of the record is as far from that of the first as the operation is from the first.
    ///
    /// So it is where each waited for the element at the same position of another array. Of a single operation it means nothing.
    public var rootsFollow = false
    /// The exit status of the last attempt, if the attempt exited.
    public var exitStatus: Int32?
    /// The signal that ended the last attempt, if any.
    public var signal: Int32?
    /// The number of the last attempt that was made or may have been made, including a running attempt.
    ///
    /// Numbers only grow, and may skip.
    public var attempt: UInt32
    /// How many attempts were lost with their worker; lost attempts do not count against the retries.
    public var losses: UInt32
    /// How many attempts failed and were followed, or will be followed, by another attempt.
    public var failures: UInt32
    /// The token of the last attempt, as in the record.
    public var token: RecordToken?
    /// The worker of the last attempt.
    public var worker: String?
    /// When the operation last became ready.
    public var readyAt: Timestamp?
    /// When the last attempt started.
    public var startedAt: Timestamp?
    /// When the operation was finished.
    public var finishedAt: Timestamp?
    /// The earliest time at which an operation that waits for a retry may become ready again.
    public var notBefore: Timestamp?
    /// Whether the operation left a result.
    public var hasResult: Bool
    /// Whether the operation left files.
    public var hasFiles = false
    /// Whether the operation is held (DE21).
    public var isHeld: Bool
    /// The priority and the place in the order, if they differ from the submission (PR6).
    public var priorityChange: PriorityChange?

    /// A priority given to a waiting operation, at the tail of the operations that had the priority at the time.
    public struct PriorityChange: Hashable, Sendable {
        /// The new priority.
        public var priority: Priority
        /// The number in the order in which operations came to their priorities; neighbouring operations have consecutive ones.
        public var order: UInt64

        /// Describes a priority that was given.
        public init(priority: Priority, order: UInt64) {
            self.priority = priority
            self.order = order
        }
    }

    /// The effect of the end on dependents; nil while the operation is unfinished.
    public var ending: Ending? {
        switch outcome {
        case nil: nil
        case .succeeded: .succeeded
        case .failed: .failed(id)
        case .cancelled: .cancelled(id)
        // Without a root, only the absence of a failure is known.
        case .skipped: skippedFor ?? .cancelled(id)
        }
    }

    /// The information for dependents; nil while the operation is unfinished.
    public var dependencyEnd: DependencyEnd? {
        // An operation that was not skipped is its own root.
        let follows = count > 1 && (outcome == .skipped ? rootsFollow : outcome != .succeeded)
        return ending.map { DependencyEnd($0, hasResult: hasResult, hasFiles: hasFiles, followsOperation: follows) }
    }
}

// Not in the structure: then the compiler makes the initializer of all fields that both others use. An initializer that sets the fields
// one by one copies the whole record at its end, three times with each operation.
@_spi(Baton) extension OperationRecord {
    /// Describes an operation without any history.
    public init(id: OperationID, count: UInt32 = 1, state: OperationState = .pending) {
        self.init(
            of: id,
            count: count,
            state: state,
            isCancelled: false,
            attempt: 0,
            losses: 0,
            failures: 0,
            token: nil,
            worker: nil,
            readyAt: nil,
            startedAt: nil
        )
    }

    /// Describes an operation with its history.
    public init(
        of id: OperationID,
        count: UInt32,
        state: OperationState,
        outcome: Outcome? = nil,
        isCancelled: Bool,
        reason: Reason? = nil,
        skippedFor: Ending? = nil,
        rootsFollow: Bool = false,
        exitStatus: Int32? = nil,
        signal: Int32? = nil,
        attempt: UInt32,
        losses: UInt32,
        failures: UInt32,
        token: RecordToken?,
        worker: String?,
        readyAt: Timestamp?,
        startedAt: Timestamp?,
        finishedAt: Timestamp? = nil,
        notBefore: Timestamp? = nil,
        hasResult: Bool = false,
        hasFiles: Bool = false,
        isHeld: Bool = false,
        priorityChange: PriorityChange? = nil
    ) {
        self.init(
            id: id,
            count: count,
            state: state,
            outcome: outcome,
            isCancelled: isCancelled,
            reason: reason,
            skippedFor: skippedFor,
            rootsFollow: rootsFollow,
            exitStatus: exitStatus,
            signal: signal,
            attempt: attempt,
            losses: losses,
            failures: failures,
            token: token,
            worker: worker,
            readyAt: readyAt,
            startedAt: startedAt,
            finishedAt: finishedAt,
            notBefore: notBefore,
            hasResult: hasResult,
            hasFiles: hasFiles,
            isHeld: isHeld,
            priorityChange: priorityChange
        )
    }
}
