@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// The end of a session that the coordinator does not want.
extension WorkerSession {
    /// Whether the coordinator has refused this worker, whose attempts are being ended.
    var isRefused: Bool {
        if case .refused = connection { true } else { false }
    }

    /// Ends the running attempts, with their grace periods, and then the session.
    ///
    /// No result has a recipient any more, and waiting attempts never start.
    mutating func obey(_ refusal: Refusal) {
        connection = .refused(refusal)
        guard runningCount > 0 else { return }
        effects.append(.closeConnection)
        for token in attempts.keys.sorted() { end(token, cause: .leaving) }
    }

    /// Ends a refused session once no attempt runs.
    mutating func exitWhenDone() {
        guard runningCount == 0 else { return }
        exitRefused()
    }

    /// Ends a refused session at once.
    mutating func exitRefused() {
        guard case .refused(let refusal) = connection else { return }
        effects.append(.exit(.refused(refusal)))
        connection = .over
    }

    /// Ends a session that has never met its coordinator, and has nothing to lose.
    ///
    /// Any other session goes on: nothing proves that the coordinator is the one that does not let the worker in.
    mutating func endUnlessNeeded(because obstacle: KeyObstacle) {
        guard lastContact == nil, attempts.isEmpty else { return }
        effects.append(.exit(.notAdmitted(obstacle)))
        connection = .over
    }
}
