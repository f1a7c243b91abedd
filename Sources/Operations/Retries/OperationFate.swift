/// The facts about an operation that a retry of its job needs, in four bytes.
@_spi(Baton) public struct OperationFate: Hashable, Sendable {
    /// The reason for which an operation was skipped.
    public enum Skip: UInt8, Sendable {
        /// A failure, or an unknown reason.
        case failure
        /// A cancellation.
        case cancellation
        /// None: the operation was not needed.
        case notNeeded
    }

    /// The outcome; nil for an unfinished operation.
    public var outcome: Outcome?
    /// Whether the operation left a result.
    public var hasResult: Bool
    /// Whether the operation left files.
    public var hasFiles = false
    /// The reason for the skip, if the operation was skipped.
    public var skip: Skip

    /// Describes an operation; by default an unfinished operation.
    public init(outcome: Outcome? = nil, hasResult: Bool = false, skip: Skip = .failure) {
        self.outcome = outcome
        self.hasResult = hasResult
        self.skip = skip
    }

    /// Describes an operation as the record does.
    public init(outcome: Outcome?, hasResult: Bool, skippedFor: Ending?) {
        let skip: Skip =
            switch skippedFor {
            case .failed, .succeeded, nil: .failure
            case .cancelled: .cancellation
            case .notNeeded: .notNeeded
            }
        self.init(outcome: outcome, hasResult: hasResult, skip: skip)
    }

    /// Takes the facts for a retry from a record.
    public init(_ record: OperationRecord) {
        self.init(outcome: record.outcome, hasResult: record.hasResult, skippedFor: record.skippedFor)
        hasFiles = record.hasFiles
    }

    /// Whether dependents find something of the operation among their inputs.
    public var hasInputs: Bool { hasResult || hasFiles }

    /// Whether the cancellation of the operation, or of an operation that it needs, prevented success.
    public var isCancelled: Bool {
        outcome == .cancelled || outcome == .skipped && skip == .cancellation
    }

    /// Whether the operation was not needed.
    public var isNotNeeded: Bool { outcome == .skipped && skip == .notNeeded }

    /// Whether `baton retry` submits the operation again for its own sake (D11).
    ///
    /// The operation failed, or was skipped because of a failure. With `includesCancelled`, a cancelled operation counts too,
    /// as does an operation that was skipped because of a cancellation.
    public func isRetried(withCancelled includesCancelled: Bool) -> Bool {
        switch outcome {
        case .failed: true
        case .skipped where skip == .failure: true
        case .cancelled, .skipped: isCancelled && includesCancelled
        case .succeeded, nil: false
        }
    }
}
