@_spi(Baton) import BatonOperations

/// Attempts of a record other than the coordinator's (D12).
///
/// The coordinator's record was created anew or replaced by an older copy, and no longer knows the coordinator that
/// dispatched the attempts.
extension WorkerSession {
    /// Ends attempts that the coordinator's record does not know, and keeps their results without sending them.
    ///
    /// The right record may come back: then the attempts in the record count again.
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

    /// Forgets the results of foreign attempts at the end of their retention time.
    mutating func forgetForeign(now: Duration) {
        guard let until = foreignUntil, until <= now else { return }
        for (token, attempt) in attempts where attempt.isForeign { forget(token) }
        // An attempt that has not ended yet occupies its place until its end.
        foreignUntil = attempts.values.contains(where: \.isForeign) ? now + configuration.foreignPatience : nil
    }
}
