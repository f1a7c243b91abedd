public import Operations

/// How the coordinator receives a worker.
public struct Welcome: Hashable, Sendable {
    /// The version of the protocol to speak from now on.
    public var protocolVersion: UInt16
    /// The session that the welcome answers.
    public var session: SessionID
    /// The coordinator's epoch.
    public var epoch: UInt32
    /// How often each side sends something at least.
    public var heartbeatInterval: Duration
    /// The attempts of the hello that are no longer valid: the worker ends them and drops their results.
    public var staleAttempts: [AttemptToken]

    /// Receives a worker.
    public init(
        protocolVersion: UInt16,
        session: SessionID,
        epoch: UInt32,
        heartbeatInterval: Duration,
        staleAttempts: [AttemptToken]
    ) {
        self.protocolVersion = protocolVersion
        self.session = session
        self.epoch = epoch
        self.heartbeatInterval = heartbeatInterval
        self.staleAttempts = staleAttempts
    }
}

/// Attempts to run, with the work that they share.
public struct DispatchBatch: Hashable, Sendable {
    /// One attempt to run.
    public struct Item: Hashable, Sendable {
        /// The attempt.
        public var token: AttemptToken
        /// The operation that it is an attempt of.
        public var operation: OperationID
        /// Which attempt of the operation it is, from 1 (`BATON_ATTEMPT`).
        public var attempt: UInt32
        /// What to do, as a position in ``DispatchBatch/works``.
        public var work: UInt32
        /// The operation's name (`BATON_NAME`); nil where it has none.
        public var name: String?
        /// The operation's queue (`BATON_QUEUE`), as a position in ``DispatchBatch/queues``.
        public var queue: UInt32
        /// The operation's level, for the order in the worker's local queue.
        public var priority: Priority
        /// The class that decides its share of processor and disk (QO2); nil is unset.
        public var qualityOfService: QualityOfService?
        /// The number of the array's element (`BATON_INDEX`); nil where it is none.
        public var arrayNumber: Int64?
        /// The item of the array's element (`BATON_ITEM`, `{}`); nil where it is none.
        public var arrayItem: String?
        /// Whether dependencies left results: the worker fetches them before it starts.
        public var hasInputs: Bool

        /// Describes an attempt to run.
        public init(
            token: AttemptToken,
            operation: OperationID,
            attempt: UInt32,
            work: UInt32,
            name: String? = nil,
            queue: UInt32,
            priority: Priority = .normal,
            qualityOfService: QualityOfService? = nil,
            arrayNumber: Int64? = nil,
            arrayItem: String? = nil,
            hasInputs: Bool = false
        ) {
            self.token = token
            self.operation = operation
            self.attempt = attempt
            self.work = work
            self.name = name
            self.queue = queue
            self.priority = priority
            self.qualityOfService = qualityOfService
            self.arrayNumber = arrayNumber
            self.arrayItem = arrayItem
            self.hasInputs = hasInputs
        }
    }

    /// What the items do; each distinct work stands here once.
    public var works: [Work]
    /// The names of the items' queues.
    public var queues: [String]
    /// The attempts, in the order in which they are to start.
    public var items: [Item]

    /// Puts a batch together.
    public init(works: [Work] = [], queues: [String] = [], items: [Item] = []) {
        self.works = works
        self.queues = queues
        self.items = items
    }
}

/// The result of one dependency, as an operation is given it (`BATON_INPUTS`).
public struct Input: Hashable, Sendable {
    /// The file's name: the dependency's name, or its index where it has none; of another job, `JOB.` before it.
    public var name: String
    /// What the dependency left.
    public var bytes: [UInt8]

    /// Describes an input.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// What the coordinator sends to a worker.
public enum CoordinatorMessage: Hashable, Sendable {
    /// The answer to a hello: the session counts.
    case welcome(Welcome)
    /// The answer to a hello that is not accepted, in a sentence; the worker gives up.
    case refused(Refusal)
    /// The session is not known (any more): the worker says hello again, with a new one.
    case sayHello
    /// It is still there.
    case heartbeat
    /// Attempts to run.
    case dispatch(DispatchBatch)
    /// These completions are on disk: the worker forgets them.
    case acknowledge([AttemptToken])
    /// These attempts are to end: asked for by somebody (CA4), or no longer valid.
    case cancel([AttemptToken])
    /// Some inputs of an attempt; `isLast` is set with the last piece, which may be empty.
    case inputs(AttemptToken, [Input], isLast: Bool)
    /// A piece of an attempt's output is wanted; the answer carries the same request number.
    case readOutput(request: UInt64, AttemptToken, OperationID, OutputStream, offset: UInt64, limit: UInt32)
}
