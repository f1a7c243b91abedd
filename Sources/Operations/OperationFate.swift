/// What has become of an operation, as far as a retry of its job has to know; it takes three bytes.
public struct OperationFate: Hashable, Sendable {
    /// What a skipped operation was skipped for.
    public enum Skip: UInt8, Sendable {
        /// A failure, or nobody knows what.
        case failure
        /// A cancellation.
        case cancellation
        /// Nothing: it was not needed.
        case notNeeded
    }

    /// How it ended; nil while it is unfinished.
    public var outcome: Outcome?
    /// Whether it left a result.
    public var hasResult: Bool
    /// What it was skipped for, where it was skipped.
    public var skip: Skip

    /// Describes what has become of an operation; nothing, where nothing is said.
    public init(outcome: Outcome? = nil, hasResult: Bool = false, skip: Skip = .failure) {
        self.outcome = outcome
        self.hasResult = hasResult
        self.skip = skip
    }

    /// Takes from a record what a retry has to know.
    public init(_ record: OperationRecord) {
        let skip: Skip =
            switch record.skippedFor {
            case .failed, .succeeded, nil: .failure
            case .cancelled: .cancellation
            case .notNeeded: .notNeeded
            }
        self.init(outcome: record.outcome, hasResult: record.hasResult, skip: skip)
    }

    /// Whether it did not run to a success because somebody cancelled it, or something that it needs.
    public var isCancelled: Bool {
        outcome == .cancelled || outcome == .skipped && skip == .cancellation
    }

    /// Whether it was not needed.
    public var isNotNeeded: Bool { outcome == .skipped && skip == .notNeeded }

    /// Whether `baton retry` submits it again for its own sake: it failed or was skipped because of a failure; or, where these
    /// are asked for, it was cancelled or was skipped because of that (D11).
    public func isRetried(withCancelled includesCancelled: Bool) -> Bool {
        switch outcome {
        case .failed: true
        case .skipped where skip == .failure: true
        case .cancelled, .skipped: isCancelled && includesCancelled
        case .succeeded, nil: false
        }
    }
}
