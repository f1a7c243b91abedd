/// How an attempt ended, or that it has not: the word for it in all documents.
@_spi(Baton) public enum AttemptOutcome: String, CaseIterable, Decodable, Sendable {
    /// The attempt runs.
    case executing
    /// The operation succeeded with the attempt.
    case succeeded
    /// The attempt failed, whether or not the operation was tried again.
    case failed
    /// The attempt was ended by a cancellation.
    case cancelled
    /// The attempt was lost with its worker, or its worker could not carry it on.
    case lost
    /// The attempt was ended because its worker was stopped.
    case stopped

    /// How an attempt ended that did not end its operation.
    ///
    /// - Parameter wasStopped: whether the worker was stopped, which counts as a loss otherwise.
    public init(ofEarlierAttempt reason: Reason.Code, wasStopped: Bool) {
        self =
            switch reason {
            case .lost: wasStopped ? .stopped : .lost
            case .cancelled: .cancelled
            default: .failed
            }
    }

    /// How the last attempt of an operation ended, by the state of the operation.
    public init(ofLastAttempt state: OperationState, _ outcome: Outcome?, _ reason: Reason.Code?) {
        self =
            switch (state, outcome) {
            case (.executing, _): .executing
            case (_, .succeeded): .succeeded
            case (_, .cancelled): .cancelled
            default: reason == .lost ? .lost : .failed
            }
    }
}

@_spi(Baton) extension EarlierAttempt {
    /// How the attempt ended.
    public var outcome: AttemptOutcome { AttemptOutcome(ofEarlierAttempt: reason, wasStopped: wasStopped) }
}

@_spi(Baton) extension OperationHistory {
    /// How the last attempt ended, or that it has not; of use only if the attempt is not among the earlier ones.
    public var lastAttemptOutcome: AttemptOutcome { AttemptOutcome(ofLastAttempt: state, outcome, reason) }
}
