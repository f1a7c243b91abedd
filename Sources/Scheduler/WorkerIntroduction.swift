public import Operations

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
        /// Whether it is over, and its end follows in any case.
        public var isFinished: Bool

        /// Describes a held attempt.
        public init(token: AttemptToken, operation: OperationID, attempt: UInt32, isFinished: Bool = false) {
            self.token = token
            self.operation = operation
            self.attempt = attempt
            self.isFinished = isFinished
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
