public import Operations

/// What a worker says of itself when it comes (again).
public struct WorkerHello: Hashable, Sendable {
    /// One attempt that the worker has taken and that the coordinator has not yet acknowledged the end of.
    public struct HeldAttempt: Hashable, Sendable {
        /// The attempt.
        public var token: AttemptToken
        /// The operation that it is an attempt of.
        public var operation: OperationID
        /// Which attempt of the operation it is, from 1.
        public var attempt: UInt32
        /// Whether it is over: its result lies in the outbox and follows.
        public var isFinished: Bool

        /// Describes a held attempt.
        public init(token: AttemptToken, operation: OperationID, attempt: UInt32, isFinished: Bool) {
            self.token = token
            self.operation = operation
            self.attempt = attempt
            self.isFinished = isFinished
        }
    }

    /// The versions of the protocol that the worker speaks.
    public var protocols: ProtocolRange
    /// The worker's build, for people.
    public var version: String
    /// The worker's name.
    public var name: String
    /// This connection life.
    public var session: SessionID
    /// How many attempts it runs at once.
    public var slots: UInt32
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// All that it runs or keeps a result of.
    public var attempts: [HeldAttempt]

    /// Describes a worker.
    public init(
        protocols: ProtocolRange = .own,
        version: String,
        name: String,
        session: SessionID,
        slots: UInt32,
        host: String,
        processID: Int32,
        attempts: [HeldAttempt]
    ) {
        self.protocols = protocols
        self.version = version
        self.name = name
        self.session = session
        self.slots = slots
        self.host = host
        self.processID = processID
        self.attempts = attempts
    }
}

/// The end of an attempt, as it lies in a worker's outbox until the coordinator has acknowledged it.
public struct Completion: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it was an attempt of.
    public var operation: OperationID
    /// What it leaves behind.
    public var result: AttemptResult

    /// Describes the end of an attempt.
    public init(token: AttemptToken, operation: OperationID, result: AttemptResult) {
        self.token = token
        self.operation = operation
        self.result = result
    }
}

/// One of the two streams that an attempt prints.
public enum OutputStream: UInt8, Sendable, CaseIterable {
    /// Standard output.
    case standardOutput = 1
    /// Standard error.
    case standardError = 2
}

/// A piece of what an attempt printed.
public struct OutputChunk: Hashable, Sendable {
    /// The most bytes of one piece.
    public static let maximumLength = 1 << 20

    /// Where the bytes start in the stream.
    public var offset: UInt64
    /// The bytes; may be empty where the stream has not grown yet.
    public var bytes: [UInt8]
    /// How many bytes the stream has so far.
    public var totalLength: UInt64
    /// Whether the stream will not grow any more.
    public var isComplete: Bool

    /// Describes a piece of output.
    public init(offset: UInt64, bytes: [UInt8], totalLength: UInt64, isComplete: Bool) {
        self.offset = offset
        self.bytes = bytes
        self.totalLength = totalLength
        self.isComplete = isComplete
    }
}

/// What a worker sends to the coordinator.
public enum WorkerMessage: Hashable, Sendable {
    /// It is there; the answer is `welcome` or `refused`.
    case hello(WorkerHello)
    /// It is still there.
    case heartbeat(SessionID)
    /// Attempts that are over; each is sent again after the next hello until it is acknowledged.
    case completions(SessionID, [Completion])
    /// It wants the results of an operation's dependencies before it starts the attempt (DE20).
    case fetchInputs(SessionID, AttemptToken, OperationID)
    /// The answer to `readOutput`; nil where the worker does not have that output (any more).
    case output(request: UInt64, OutputChunk?)
    /// It goes away; what it ran is interrupted, and its completions were sent before.
    case goodbye(SessionID)
}
