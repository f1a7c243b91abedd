public import BatonOperations

/// The whole names of attempts, of which nodes and the record have the short ones.
extension Scheduler {
    /// The whole token of an attempt that the record knows.
    public func whole(_ token: RecordToken) -> AttemptToken {
        AttemptToken(token, of: token.epoch == epoch ? incarnation : starts[token.epoch]?.incarnation ?? .unknown)
    }

    /// The attempt that a node was sent or runs as.
    ///
    /// Handed on as a function, ``whole(_:)`` would hold a copy of the whole scheduler.
    func token(of node: OperationNode) -> AttemptToken? {
        guard let token = node.token else { return nil }
        return whole(token)
    }

    /// Whether an attempt is of a start of a coordinator that this record knows nothing of (D12).
    func isForeign(_ token: AttemptToken) -> Bool { whole(token.inRecord) != token }
}
