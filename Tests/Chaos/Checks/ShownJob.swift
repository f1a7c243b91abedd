/// What `baton show JOB --json` says of a job, as far as it is checked.
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

/// What `baton show JOB --json` says of an operation, as far as it is checked.
public struct ShownOperation: Decodable, Sendable {
    /// `finished`, once it is.
    public var state: String
    /// How it ended.
    public var outcome: String?
    /// Why it did not succeed, as a word.
    public var reason: String?
    /// What it was skipped for, where it was.
    public var skippedBecauseOf: String?
    /// How many attempts were made.
    public var attempt: Int
    /// How many of them were lost with their worker.
    public var losses: Int
    /// When the last one started.
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
