import BatonOperations
import BatonWire

/// A host that cannot start anything (D9).
extension WorkerSession {
    /// Gives back what waits: it could not be started either, and others may be able to.
    ///
    /// The coordinator hears of the fault first: what comes back is not to be sent here at once.
    mutating func startFailed(_ why: String) {
        let isNews = fault == nil
        fault = why
        if isNews, isWelcomed { effects.append(.send(.health(session, fault: why))) }
        for token in attempts.keys.sorted() {
            if let attempt = attempts[token], case .waiting = attempt.phase { recall(token) }
        }
    }

    /// Says that the worker is well again.
    mutating func startSucceeded() {
        guard fault != nil else { return }
        fault = nil
        if isWelcomed { effects.append(.send(.health(session, fault: nil))) }
    }
}
