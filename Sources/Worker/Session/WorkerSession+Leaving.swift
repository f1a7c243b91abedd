@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The departure of a worker.
extension WorkerSession {
    /// The progress of the departure.
    enum Leaving: Hashable, Sendable {
        /// The worker stays.
        case no
        /// Running attempts may go on until this time, or without a limit; unstarted attempts have been returned.
        case draining(until: Duration?)
        /// Running attempts are being ended; unstarted attempts have been returned.
        case ending
        /// All attempts have ended; the worker awaits acknowledgements until this time.
        case acknowledging(until: Duration)
    }

    /// Whether nothing has said yet until when running attempts may go on.
    var hasNoDeadline: Bool { leaving == .no || leaving == .draining(until: nil) }

    /// Takes nothing new, returns what has not started, and leaves once nothing runs, however long that takes.
    ///
    /// It has no effect on a session that was refused for its version, which leaves in the same way.
    mutating func finish() {
        guard !isRefused, leaving == .no else { return }
        sayLeaving()
        leaving = .draining(until: nil)
        for token in attempts.keys.sorted() { recall(token) }
    }

    /// Takes nothing new, returns what has not started, and leaves once nothing runs; what runs longer than the drain timeout
    /// is ended.
    mutating func leave(now: Duration) {
        guard !isRefused else { return leaveOutdated(now: now) }
        guard hasNoDeadline else { return }
        if leaving == .no { sayLeaving() }
        if configuration.drainTimeout > .zero {
            leaving = .draining(until: now + configuration.drainTimeout)
            for token in attempts.keys.sorted() { recall(token) }
        } else {
            endEverything()
        }
    }

    /// Leaves as soon as what runs has been ended, with its grace periods.
    ///
    /// A second request, while everything is being ended already, kills what still runs.
    mutating func leaveNow(now: Duration) {
        guard !isRefused else { return }
        switch leaving {
        case .no:
            sayLeaving()
            endEverything()
        case .draining: endEverything()
        case .ending: effects.append(.killEverything)
        case .acknowledging: break
        }
    }

    private mutating func endEverything() {
        leaving = .ending
        for token in attempts.keys.sorted() {
            recall(token)
            end(token, cause: .leaving)
        }
    }

    /// Tells the coordinator to send nothing new, if attempts have to end or to be acknowledged first.
    ///
    /// A new attempt could only be returned, and would be dispatched here again at once.
    mutating func sayLeaving() {
        if isWelcomed, !attempts.isEmpty { effects.append(.send(.leaving(session))) }
    }

    /// Says goodbye once no attempt runs and all ends are acknowledged, or the wait for acknowledgements takes too
    /// long; ends what runs longer than the drain timeout.
    mutating func leaveWhenDone(now: Duration) {
        guard connection != .over else { return }
        if case .draining(let deadline?) = leaving, runningCount > 0, deadline <= now { endEverything() }
        guard runningCount == 0 else { return }
        switch leaving {
        case .draining, .ending: leaving = .acknowledging(until: now + configuration.patience.acknowledgement)
        case .no, .acknowledging: break
        }
        // A coordinator that has not answered the hello yet must still learn which attempts it may send elsewhere.
        let isAcknowledged = attempts.values.allSatisfy(\.isForeign) && unsent.isEmpty
        guard case .acknowledging(let deadline) = leaving, isAcknowledged || deadline <= now else { return }
        sayGoodbye(now: now)
    }

    /// The next time at which the departure goes on without an event; nil for none.
    var departureDueAt: Duration? {
        guard connection != .over else { return nil }
        switch leaving {
        case .no, .ending: return nil
        case .draining(let deadline): return deadline
        case .acknowledging(let deadline): return deadline
        }
    }

    mutating func sayGoodbye(now: Duration) {
        guard !isRefused else { return exitRefused() }
        if isWelcomed {
            sendReport(now: now)
            effects.append(.send(.goodbye(session)))
        }
        keepAttempts(andUnstarted: false)
        effects.append(.exit(.stopped))
        connection = .over
    }
}
