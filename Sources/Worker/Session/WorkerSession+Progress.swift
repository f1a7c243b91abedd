@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The progress that Swift operations report.
extension WorkerSession {
    /// Notes the latest progress of attempts, to be sent at the end of the turn.
    ///
    /// Reports of attempts that have ended, or that nobody wants any more, are dropped.
    mutating func note(_ reported: [AttemptProgress]) {
        for report in reported where isProgressWanted(of: report.token) {
            progress[report.token] = report.progress
            unsentProgress.insert(report.token)
        }
    }

    private func isProgressWanted(of token: AttemptToken) -> Bool {
        guard let attempt = attempts[token], case .running = attempt.phase else { return false }
        return !attempt.isDiscarded && !attempt.isForeign
    }

    /// Marks all progress as unsent for a new session: the coordinator may have lost what it was told before.
    mutating func repeatProgress() {
        unsentProgress = Set(progress.keys)
    }

    /// Sends unsent progress, after the reports of the attempts' starts.
    mutating func sendProgress(now: Duration) {
        guard isWelcomed, !unsentProgress.isEmpty else { return }
        let news = unsentProgress.sorted().compactMap { token in
            isProgressWanted(of: token) ? progress[token].map { AttemptProgress(token, $0) } : nil
        }
        unsentProgress = []
        guard !news.isEmpty else { return }
        sendStarts(now: now)
        effects.append(.send(.progress(session, news)))
    }

    /// Sends the unsent progress of an attempt that ends now: the coordinator takes none after the report of the end.
    mutating func sendLastProgress(of token: AttemptToken) {
        guard unsentProgress.contains(token), isWelcomed, isProgressWanted(of: token), let last = progress[token]
        else { return }
        sendStarts(now: .microseconds(moment))
        effects.append(.send(.progress(session, [AttemptProgress(token, last)])))
    }

    /// Forgets the progress of an attempt that has ended.
    mutating func forgetProgress(of token: AttemptToken) {
        guard !progress.isEmpty else { return }
        progress[token] = nil
        unsentProgress.remove(token)
    }
}
