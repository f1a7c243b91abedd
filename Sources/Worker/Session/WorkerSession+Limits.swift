/// The limits after which a worker leaves of its own accord.
extension WorkerSession {
    /// Notes whether the worker has had anything to do until now.
    ///
    /// Completion hooks count, and results without an acknowledgement too.
    mutating func noteBusyness(now: Duration) {
        if !attempts.isEmpty || idleSince == nil { idleSince = now }
    }

    /// The time at which the worker leaves if nothing happens until then; nil without such a time.
    var limitDueAt: Duration? {
        guard hasNoDeadline, !isOver, !isRefused || isOutdated else { return nil }
        guard let idleExit = configuration.idleExit, attempts.isEmpty, let idleSince else {
            return configuration.endsAt
        }
        let idleEnd = idleSince + idleExit
        return configuration.endsAt.map { min($0, idleEnd) } ?? idleEnd
    }

    /// Leaves if the worker has reached its time limit, or has had nothing to do for long enough.
    mutating func judgeLimits(now: Duration) {
        guard let limitDueAt, limitDueAt <= now else { return }
        let isTimeUp = configuration.endsAt.map { $0 <= now } ?? false
        effects.append(.noteDeparture(isTimeUp ? .timeLimit : .idle))
        leave(now: now)
    }

    /// How long the worker has left until its time limit; nil without a limit.
    func timeLeft(at now: Duration) -> Duration? { configuration.endsAt.map { max(.zero, $0 - now) } }
}
