/// What is to be known of an operation, or of neighbouring elements of an array that fared alike.
///
/// It is a whole: a newer record of the same operation replaces the older one.
public struct OperationRecord: Hashable, Sendable {
    /// The first, or only, operation that the record is about.
    public var id: OperationID
    /// How many operations with consecutive indices fared alike; more than 1 only for those that never started.
    public var count: UInt32
    /// Where it is in its life.
    public var state: OperationState
    /// How it ended; set exactly when it is finished.
    public var outcome: Outcome?
    /// Whether its cancellation was asked for.
    public var isCancelled: Bool
    /// Why it did not succeed.
    public var reason: Reason?
    /// What a skipped one was skipped for: its root, or that it was not needed (DE24); nil where that was not recorded, which
    /// is so of what older versions skipped.
    public var skippedFor: Ending?
    /// The exit status of its last attempt, where it exited.
    public var exitStatus: Int32?
    /// The signal that ended its last attempt, where one did.
    public var signal: Int32?
    /// The number of the last attempt that was made, or may have been; the running one included.
    ///
    /// Numbers only grow, and may skip.
    public var attempt: UInt32
    /// How many attempts were lost with their worker; they do not count against the retries.
    public var losses: UInt32
    /// How many attempts failed and were, or are to be, made up for by another one.
    public var failures: UInt32
    /// The name of the last attempt, as the record has it.
    public var token: RecordToken?
    /// The worker of the last attempt.
    public var worker: String?
    /// When it last became ready.
    public var readyAt: Timestamp?
    /// When its last attempt started.
    public var startedAt: Timestamp?
    /// When it was finished.
    public var finishedAt: Timestamp?
    /// When it may become ready again, where it waits for a retry.
    public var notBefore: Timestamp?
    /// Whether it left a result.
    public var hasResult: Bool
    /// Whether somebody holds it (DE21).
    public var isHeld: Bool
    /// Its level and its place in the order, where they are not those of its submission (PR6).
    public var level: Level?

    /// A level that was given to a waiting operation, at the tail of those that had it then.
    public struct Level: Hashable, Sendable {
        /// The level.
        public var priority: Priority
        /// Its number in the order in which operations came to their levels; neighbours take consecutive ones.
        public var order: UInt64

        /// Describes a level that was given.
        public init(priority: Priority, order: UInt64) {
            self.priority = priority
            self.order = order
        }
    }

    /// What its end means to those that depend on it; nil while it is unfinished.
    public var ending: Ending? {
        switch outcome {
        case nil: nil
        case .succeeded: .succeeded
        case .failed: .failed(id)
        case .cancelled: .cancelled(id)
        // Of what older versions skipped, nothing is known but that it did not fail.
        case .skipped: skippedFor ?? .cancelled(id)
        }
    }

    /// What its dependents are told; nil while it is unfinished.
    public var settled: SettledDependency? {
        ending.map { SettledDependency($0, hasResult: hasResult) }
    }

    /// Describes an operation that nothing has happened to yet.
    public init(id: OperationID, count: UInt32 = 1, state: OperationState = .pending) {
        self.id = id
        self.count = count
        self.state = state
        self.isCancelled = false
        self.attempt = 0
        self.losses = 0
        self.failures = 0
        self.hasResult = false
        self.isHeld = false
    }
}
