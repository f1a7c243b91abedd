/// The response to a coordinator that stays away.
extension WorkerSession {
    /// The time at which the coordinator will have been away for too long.
    ///
    /// Nil before the first contact, while the coordinator is connected, if the policy sets no limit, and after the
    /// limit has taken effect.
    var coordinatorDeadline: Duration? {
        guard !isWelcomed, !hasGivenUpCoordinator, !isOver, !isRefused || isOutdated, let lastContact,
            let patience = configuration.onCoordinatorLost.deadline
        else { return nil }
        return lastContact + patience
    }

    /// Applies the policy for a coordinator that has been away for too long, once.
    mutating func judgeAbsence(now: Duration) {
        guard let coordinatorDeadline, coordinatorDeadline <= now else { return }
        hasGivenUpCoordinator = true
        guard case .kill = configuration.onCoordinatorLost else { return }
        for token in attempts.keys.sorted() { end(token, cause: .coordinatorLost) }
    }
}
