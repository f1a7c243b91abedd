@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The attempts that the coordinator wants stopped, and signals to attempts (RT6).
extension WorkerSession {
    /// Pauses the running ones of these attempts, and continues all other attempts.
    mutating func pauseOnly(_ tokens: [AttemptToken]) {
        guard !tokens.isEmpty || !paused.isEmpty else { return }
        let wanted = Set(tokens.filter { isRunningOn($0) })
        for token in paused.subtracting(wanted).sorted() { effects.append(.resumeAttempt(token)) }
        for token in wanted.subtracting(paused).sorted() { effects.append(.pauseAttempt(token)) }
        paused = wanted
    }

    /// Sends a signal to the processes of attempts, as far as they run.
    mutating func signal(_ tokens: [AttemptToken], _ signal: OperationSignal) {
        for token in tokens where isRunningOn(token) { effects.append(.signalAttempt(token, signal)) }
    }

    /// Whether an attempt runs, and nobody has asked for its end.
    private func isRunningOn(_ token: AttemptToken) -> Bool {
        guard let attempt = attempts[token], case .running = attempt.phase else { return false }
        return !attempt.isEnding
    }
}
