@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The departure of a worker.
extension WorkerSession {
    /// The progress of the departure.
    enum Leaving: Hashable, Sendable {
        /// The worker stays.
        case no
        /// Running attempts are being ended; unstarted attempts have been returned.
        case ending
        /// All attempts have ended; the worker awaits acknowledgements until this time.
        case acknowledging(until: Duration)
    }

    mutating func leave() {
        guard leaving == .no, !isRefused else { return }
        leaving = .ending
        sayLeaving()
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
    /// long.
    mutating func leaveWhenDone(now: Duration) {
        guard connection != .over, runningCount == 0 else { return }
        if leaving == .ending { leaving = .acknowledging(until: now + configuration.acknowledgementPatience) }
        // A coordinator that has not answered the hello yet must still learn which attempts it may send elsewhere.
        let isAcknowledged = attempts.values.allSatisfy(\.isForeign) && unsent.isEmpty
        guard case .acknowledging(let deadline) = leaving, isAcknowledged || deadline <= now else { return }
        sayGoodbye(now: now)
    }

    mutating func sayGoodbye(now: Duration) {
        guard !isRefused else { return exitRefused() }
        if isWelcomed {
            sendReport(now: now)
            effects.append(.send(.goodbye(session)))
        }
        effects.append(.exit(.stopped))
        connection = .over
    }
}
