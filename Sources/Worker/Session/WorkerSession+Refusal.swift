@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// The end of a session that the coordinator does not want.
extension WorkerSession {
    /// Whether the coordinator has refused this worker.
    var isRefused: Bool {
        if case .refused = connection { true } else { false }
    }

    /// Whether the coordinator has refused this worker because of its version, so that what runs is finished for a successor.
    var isOutdated: Bool {
        if case .refused(let refusal) = connection { refusal.code == .incompatible } else { false }
    }

    /// Ends the session, once no attempt runs; waiting attempts never start.
    ///
    /// A worker that is refused for its version lets its attempts end by themselves, and continues the paused ones, which nobody else
    /// can continue any more: its successor reports the results. After any other refusal the running attempts are ended, with their
    /// grace periods, because no result has a recipient any more.
    mutating func obey(_ refusal: Refusal) {
        connection = .refused(refusal)
        guard runningCount > 0 else { return }
        effects.append(.closeConnection)
        if isOutdated { pauseOnly([]) } else { endRunning() }
    }

    private mutating func endRunning() {
        for token in attempts.keys.sorted() { end(token, cause: .leaving) }
    }

    /// Ends the attempts of a worker that is refused for its version and then asked to leave, after the drain timeout.
    mutating func leaveOutdated(now: Duration) {
        guard isOutdated, hasNoDeadline else { return }
        if configuration.drainTimeout > .zero {
            leaving = .draining(until: now + configuration.drainTimeout)
        } else {
            leaving = .ending
            endRunning()
        }
    }

    /// Ends a refused session once no attempt runs.
    mutating func exitWhenDone(now: Duration) {
        guard runningCount > 0 else { return exitRefused() }
        if case .draining(let deadline?) = leaving, deadline <= now {
            leaving = .ending
            endRunning()
        }
    }

    /// Ends a refused session at once.
    mutating func exitRefused() {
        guard case .refused(let refusal) = connection else { return }
        if isOutdated { keepAttempts(andUnstarted: true) }
        effects.append(.exit(.refused(refusal)))
        connection = .over
    }

    /// How long a coordinator that was met before has to refuse the key until a worker without work ends.
    ///
    /// A process that takes the coordinator's address for a shorter time ends no worker.
    static let refusalPatience = Duration.seconds(600)

    /// Ends a session that has nothing to lose: at once before its first contact with the coordinator, and later only after its key
    /// has been refused for long.
    ///
    /// Any other session goes on: nothing proves that the coordinator is the one that does not let the worker in.
    mutating func endUnlessNeeded(because obstacle: KeyObstacle, now: Duration) {
        guard isBarredEverywhere() else { return }
        // Only the word that the key is unknown lasts: anything else may be another server for a while.
        refusedSince = obstacle == .refused ? refusedSince ?? now : nil
        let isOver: Bool
        if lastContact == nil {
            // The attempts of a predecessor are on the disk.
            isOver = attempts.count == inheritance.ended.count
        } else {
            isOver = attempts.isEmpty && refusedSince.map { $0 + Self.refusalPatience <= now } ?? false
        }
        guard isOver else { return }
        effects.append(.exit(.notAdmitted(obstacle)))
        connection = .over
    }
}
