@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The keys of submissions that are not on disk yet.
///
/// Owns the keys under decision, with later submissions of the same key, and the keys in uncommitted batches. Guarantees that
/// submissions with the same key are decided one at a time, in the order of their arrival.
struct SubmissionKeys {
    /// A submission that waits for an earlier submission with the same key.
    struct Waiting {
        /// The submission.
        var submission: ValidatedSubmission
        /// The condition of a retry.
        var condition: UnlessRetried?
        /// The client to answer.
        var client: ReplyAddress
    }

    private var underDecision: [String: [Waiting]] = [:]
    /// The keys of new jobs that are not on disk, with their batches.
    private var uncommitted: [String: UInt64] = [:]

    /// Whether a submission with the key is being decided.
    func isUnderDecision(_ key: String) -> Bool { underDecision[key] != nil }

    /// Begins the decision on a submission.
    mutating func begin(_ key: String) {
        let earlier = underDecision.updateValue([], forKey: key)
        invariant(earlier == nil, "Two submissions with the same key are decided at a time.")
    }

    /// Adds a submission that waits for the decision on an earlier submission.
    mutating func append(
        _ submission: ValidatedSubmission,
        _ condition: UnlessRetried?,
        from client: ReplyAddress,
        to key: String
    ) {
        invariant(isUnderDecision(key), "A submission waits for a decision that has not begun.")
        underDecision[key]?.append(Waiting(submission: submission, condition: condition, client: client))
    }

    /// Ends a decision.
    ///
    /// - Returns: the submissions that waited.
    mutating func end(_ key: String) -> [Waiting] {
        guard let waiting = underDecision.removeValue(forKey: key) else {
            failInvariant("The decision on a submission ends that has not begun.")
        }
        return waiting
    }

    /// Notes that a new job's key is part of a batch of changes.
    mutating func add(_ key: String, inBatch batch: UInt64) {
        let earlier = uncommitted.updateValue(batch, forKey: key)
        invariant(earlier ?? 0 <= batch, "A key comes to disk in an earlier batch than before.")
    }

    /// Whether the job with the key is new and not on disk.
    func isUncommitted(_ key: String) -> Bool { uncommitted[key] != nil }

    /// Notes the commit of a batch and of all earlier batches.
    mutating func committed(_ batch: UInt64) {
        if !uncommitted.isEmpty { uncommitted = uncommitted.filter { $0.value > batch } }
    }
}
