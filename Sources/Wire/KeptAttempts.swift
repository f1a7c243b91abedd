@_spi(Baton) public import BatonOperations

/// Attempts that a worker leaves to its successor in the same directory, because the coordinator has not acknowledged them.
@_spi(Baton) public struct KeptAttempts: Hashable, Sendable {
    /// One attempt.
    public struct Attempt: Hashable, Sendable {
        /// What the successor's hello says of the attempt.
        public var claim: ClaimedAttempt
        /// The attempt's end; nil for an attempt that has not started and never will.
        public var result: AttemptResult?
        /// The time since the end of the attempt, in microseconds; 0 for an attempt that has not started.
        public var age: Int64

        /// Describes an attempt.
        public init(claim: ClaimedAttempt, result: AttemptResult?, age: Int64) {
            self.claim = claim
            self.result = result
            self.age = age
        }
    }

    /// The moment from which the attempts' ages count back, by the clock of the worker's host.
    public var moment: Timestamp
    /// The attempts, each once.
    public var attempts: [Attempt]

    /// Puts attempts together.
    public init(moment: Timestamp, attempts: [Attempt]) {
        self.moment = moment
        self.attempts = attempts
    }

    /// The attempts with ages that count back from a later moment.
    ///
    /// An earlier moment changes nothing: a clock was set back.
    public func attempts(at now: Timestamp) -> [Attempt] {
        let passed = max(0, (now - moment).microseconds)
        return attempts.map { attempt in
            var attempt = attempt
            guard attempt.result != nil else { return attempt }
            attempt.age = attempt.age.addingSaturated(passed)
            attempt.claim.age = attempt.claim.age.addingSaturated(passed)
            return attempt
        }
    }
}
