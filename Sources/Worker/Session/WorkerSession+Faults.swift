@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The response to a host that cannot start attempts (D9).
extension WorkerSession {
    /// Returns waiting attempts, which this host could not start either, so that other workers can run them.
    ///
    /// The coordinator hears of the fault first, so that it does not send the returned attempts back at once.
    mutating func startFailed(_ why: String) {
        let isNews = fault == nil
        fault = why
        if isNews, isWelcomed { effects.append(.send(.health(session, fault: why))) }
        for token in attempts.keys.sorted() {
            if let attempt = attempts[token], case .waiting = attempt.phase { recall(token) }
        }
    }

    /// Reports that the worker can start attempts again.
    mutating func startSucceeded() {
        guard fault != nil else { return }
        fault = nil
        if isWelcomed { effects.append(.send(.health(session, fault: nil))) }
    }
}
