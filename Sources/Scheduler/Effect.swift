public import Operations

/// What a client is answered.
public enum Answer: Hashable, Sendable {
    /// The submission is this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: Int, isNew: Bool)
    /// How many unfinished operations the cancellation met.
    case cancelled(Int)
    /// It is done.
    case done
    /// It was not done, and nothing of it.
    case refused(Refusal)
}

/// An attempt that a worker is to run.
public struct Assignment: Hashable, Sendable {
    /// The worker's session.
    public var session: SessionID
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it is an attempt of.
    public var operation: OperationID
    /// Which attempt of the operation it is, from 1.
    public var attempt: UInt32
    /// What to do.
    public var work: Work
    /// Which of its job's templates the work comes from: attempts of the same job and template share their work.
    public var template: Int
    /// The operation's name, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// Its level.
    public var priority: Priority
    /// Its class, or its queue's where it has none (QO3); nil is unset.
    public var qualityOfService: QualityOfService?
    /// The number of the array's element; nil where it is none.
    public var arrayNumber: Int64?
    /// The item of the array's element; nil where it is none.
    public var arrayItem: String?
    /// Whether dependencies left results.
    public var hasInputs: Bool
}

/// What has become of a worker, for logs and listings.
public enum WorkerCondition: Hashable, Sendable {
    /// It joined, or was heard again after a silence.
    case alive
    /// It has been silent for a while and gets nothing new.
    case suspect
    /// It has been silent for too long: its attempts are given to others.
    case lost
    /// It said goodbye.
    case left
}

/// What is to be done because of an event.
public enum Effect: Sendable {
    /// Send an attempt to a worker, at once.
    case dispatch(Assignment)
    /// Tell a worker to end attempts, at once.
    case endAttempts(SessionID, [AttemptToken])
    /// Receive a worker, and name those of its attempts that are no longer valid.
    case welcome(SessionID, stale: [AttemptToken])
    /// Tell the sender that the session is unknown.
    case unknownSession(SessionID)
    /// Tell the sender that another process joined under its worker's name.
    case superseded(SessionID, name: String, host: String, processID: Int32)
    /// Tell the worker that it may forget this attempt, once all changes so far are on disk.
    case acknowledge(SessionID, AttemptToken, isStale: Bool)
    /// Keep this.
    case keep(RecordChange)
    /// Answer a client, once all changes so far are on disk.
    case answer(RequestID, Answer)
    /// A worker came or went.
    case worker(String, WorkerCondition)
}
