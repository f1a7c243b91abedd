/// The checked part of the document of `baton show JOB --json`.
package struct ShownJob: Decodable, Sendable {
    /// Its number.
    package var job: Int
    /// Its name.
    package var name: String?
    /// Its operations, in order.
    package var operations: [ShownOperation]

    /// Describes a job, for tests.
    package init(job: Int, name: String?, operations: [ShownOperation]) {
        self.job = job
        self.name = name
        self.operations = operations
    }
}

/// The checked part of an operation in `baton show JOB --json`.
package struct ShownOperation: Decodable, Sendable {
    /// `finished` at the end.
    package var state: String
    /// The outcome.
    package var outcome: String?
    /// The reason of an outcome other than success, as a word.
    package var reason: String?
    /// The root of a skip, if any.
    package var skippedBecauseOf: String?
    /// The number of attempts.
    package var attempt: Int
    /// The number of attempts lost with their worker.
    package var losses: Int
    /// The start of the last attempt.
    package var startedAt: String?

    /// Describes an operation, for tests.
    package init(
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
