/// A coordinator that does not come back.
extension WorkerSession {
    /// When the coordinator will have been away for too long; nil while it is there, and where that does not matter or has
    /// been acted upon.
    var coordinatorDeadline: Duration? {
        guard !isWelcomed, !hasGivenUpCoordinator, connection != .over, let lastContact,
            let patience = configuration.onCoordinatorLost.deadline
        else { return nil }
        return lastContact + patience
    }

    /// Does what is to be done about a coordinator that has been away for too long, once.
    mutating func judgeAbsence(now: Duration) {
        guard let coordinatorDeadline, coordinatorDeadline <= now else { return }
        hasGivenUpCoordinator = true
        guard case .kill = configuration.onCoordinatorLost else { return }
        for token in attempts.keys.sorted() { end(token, cause: .coordinatorLost) }
    }
}
