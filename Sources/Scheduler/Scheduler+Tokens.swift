public import BatonOperations

/// Full tokens of attempts; nodes and the record store a short form.
extension Scheduler {
    /// The full token of an attempt in the record.
    public func whole(_ token: RecordToken) -> AttemptToken {
        AttemptToken(token, of: token.epoch == epoch ? incarnation : starts[token.epoch]?.incarnation ?? .unknown)
    }

    /// The full token of a node's sent or executing attempt.
    ///
    /// If ``whole(_:)`` were passed as a function, the closure would hold a copy of the whole scheduler.
    func token(of node: OperationNode) -> AttemptToken? {
        guard let token = node.token else { return nil }
        return whole(token)
    }

    /// Whether an attempt belongs to a coordinator start that is not in the record (D12).
    func isForeign(_ token: AttemptToken) -> Bool { whole(token.inRecord) != token }
}
