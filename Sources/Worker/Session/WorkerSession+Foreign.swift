import BatonOperations

/// Attempts of another record than the coordinator's (D12).
///
/// The record was made anew, or an older copy of it was put back, and the coordinator that made them is known to it no more.
extension WorkerSession {
    /// Ends the attempts that the coordinator's record does not know, and keeps their results without sending them.
    ///
    /// The right record may come back: whatever that knows counts again.
    mutating func disown(_ tokens: Set<AttemptToken>, now: Duration) {
        guard !tokens.isEmpty || foreignUntil != nil else { return }
        for token in attempts.keys.sorted() {
            let isForeign = tokens.contains(token)
            if isForeign, drop(token) { continue }
            attempts[token]?.isForeign = isForeign
            if isForeign { end(token, cause: .foreign) }
        }
        foreignUntil = attempts.values.contains(where: \.isForeign) ? now + configuration.foreignPatience : nil
    }

    /// Forgets the results of foreign attempts once they were kept for long enough.
    mutating func forgetForeign(now: Duration) {
        guard let until = foreignUntil, until <= now else { return }
        for (token, attempt) in attempts where attempt.isForeign { settle(token) }
        // One that is still being ended holds its place until it is gone.
        foreignUntil = attempts.values.contains(where: \.isForeign) ? now + configuration.foreignPatience : nil
    }
}
