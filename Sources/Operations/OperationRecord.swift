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
    /// The exit status of its last attempt, where it exited.
    public var exitStatus: Int32?
    /// The signal that ended its last attempt, where one did.
    public var signal: Int32?
    /// How many attempts were made, the running one included.
    public var attempt: UInt32
    /// How many attempts were lost with their worker; they do not count against the retries.
    public var losses: UInt32
    /// The name of the last attempt.
    public var token: AttemptToken?
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

    /// Describes an operation that nothing has happened to yet.
    public init(id: OperationID, count: UInt32 = 1, state: OperationState = .pending) {
        self.id = id
        self.count = count
        self.state = state
        self.isCancelled = false
        self.attempt = 0
        self.losses = 0
        self.hasResult = false
    }
}
