import BatonOperations
import BatonWire

/// The way out.
extension WorkerSession {
    /// How far the worker has left.
    enum Leaving: Hashable, Sendable {
        /// It stays.
        case no
        /// Its attempts are being ended; those that had not started have been given back.
        case ending
        /// They are over; the acknowledgements are awaited until then.
        case settling(until: Duration)
    }

    mutating func leave() {
        guard leaving == .no else { return }
        leaving = .ending
        sayLeaving()
        for token in attempts.keys.sorted() {
            recall(token)
            end(token, cause: .leaving)
        }
    }

    /// Tells the coordinator to send nothing new, where something has to end or to be acknowledged first.
    ///
    /// What came nevertheless could only be given back, and would come again at once.
    mutating func sayLeaving() {
        if isWelcomed, !attempts.isEmpty { effects.append(.send(.leaving(session))) }
    }

    /// Says goodbye once nothing runs and nothing is left to be acknowledged, or that takes too long.
    mutating func leaveWhenDone(now: Duration) {
        guard connection != .over, runningCount == 0 else { return }
        if leaving == .ending { leaving = .settling(until: now + configuration.acknowledgementPatience) }
        // A coordinator that has not answered the hello yet is still told what it may send elsewhere.
        let isSettled = attempts.values.allSatisfy(\.isForeign) && unsent.isEmpty
        guard case .settling(let deadline) = leaving, isSettled || deadline <= now else { return }
        sayGoodbye(now: now)
    }

    mutating func sayGoodbye(now: Duration) {
        if isWelcomed {
            sendReport(now: now)
            effects.append(.send(.goodbye(session)))
        }
        effects.append(.exit(.stopped))
        connection = .over
    }
}
