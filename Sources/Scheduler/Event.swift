public import Operations

/// Names a request, so that its answer finds the one who asked.
public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// The number of the request, given by the shell.
    public let rawValue: UInt64

    /// Makes a request's name out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// What a worker tells of itself when it joins.
public struct WorkerIntroduction: Hashable, Sendable {
    /// An attempt that the worker runs or keeps the result of.
    public struct HeldAttempt: Hashable, Sendable {
        /// The attempt.
        public var token: AttemptToken
        /// The operation that it is an attempt of.
        public var operation: OperationID
        /// Which attempt of the operation it is, from 1.
        public var attempt: UInt32

        /// Describes a held attempt.
        public init(token: AttemptToken, operation: OperationID, attempt: UInt32) {
            self.token = token
            self.operation = operation
            self.attempt = attempt
        }
    }

    /// The worker's name.
    public var name: String
    /// This connection life of the worker.
    public var session: SessionID
    /// How many attempts it runs at once.
    public var slots: Int
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// All that it runs or keeps a result of.
    public var attempts: [HeldAttempt]

    /// Describes a worker that joins.
    public init(
        name: String,
        session: SessionID,
        slots: Int,
        host: String = "",
        processID: Int32 = 0,
        attempts: [HeldAttempt] = []
    ) {
        self.name = name
        self.session = session
        self.slots = slots
        self.host = host
        self.processID = processID
        self.attempts = attempts
    }
}

/// What a user wants to be cancelled.
public enum CancellationTarget: Hashable, Sendable {
    /// One operation.
    case operation(OperationID)
    /// All operations of a job.
    case job(JobNumber)
    /// All operations that are in a queue now (CA6).
    case queue(String)
}

/// Something that happens to the cluster.
public enum Event: Sendable {
    /// A client submits; `settled` tells of each existing dependency that the scheduler does not hold any more.
    case submit(Submission, settled: [Address: SettledDependency], request: RequestID)
    /// A client cancels.
    case cancel([CancellationTarget], request: RequestID)
    /// A client changes a queue.
    case setQueue(QueueChange, request: RequestID)
    /// A worker says hello.
    case workerJoined(WorkerIntroduction)
    /// A worker gave a sign of life.
    case workerHeard(SessionID)
    /// A worker says goodbye.
    case workerLeft(SessionID)
    /// A worker reports the end of an attempt; the seed decides the jitter of a retry.
    case attemptEnded(SessionID, AttemptToken, OperationID, AttemptResult, seed: UInt64)
    /// Time has passed; see ``Scheduler/nextDeadline``.
    case timePassed
}
