/// The checked part of the document of `baton show JOB --json`.
public struct ShownJob: Decodable, Sendable {
    /// Its number.
    public var job: Int
    /// Its name.
    public var name: String?
    /// Its operations, in order.
    public var operations: [ShownOperation]

    /// Describes a job, for tests.
    public init(job: Int, name: String?, operations: [ShownOperation]) {
        self.job = job
        self.name = name
        self.operations = operations
    }
}

/// The checked part of an operation in `baton show JOB --json`.
public struct ShownOperation: Decodable, Sendable {
    /// `finished` at the end.
    public var state: String
    /// The outcome.
    public var outcome: String?
    /// The reason of an outcome other than success, as a word.
    public var reason: String?
    /// The root of a skip, if any.
    public var skippedBecauseOf: String?
    /// The number of attempts.
    public var attempt: Int
    /// The number of attempts lost with their worker.
    public var losses: Int
    /// The start of the last attempt.
    public var startedAt: String?

    /// Describes an operation, for tests.
    public init(
        state: String = "finished",
        outcome: String?,
        reason: String? = nil,
        skippedBecauseOf: String? = nil,
        attempt: Int = 1,
        losses: Int = 0,
        startedAt: String? = nil
    ) {
        self.state = state
        self.outcome = outcome
        self.reason = reason
        self.skippedBecauseOf = skippedBecauseOf
        self.attempt = attempt
        self.losses = losses
        self.startedAt = startedAt
    }
}
