@_spi(Baton) public import BatonOperations

/// Starts that are put off: until a release, a time, or the return of the workers.
@_spi(Baton) extension WaitReason {
    /// The operation is held.
    public static let hold = WaitReason(.hold, "It is held.")

    /// The operation has a delay and may not start before a time.
    ///
    /// - Parameters:
    ///   - isRetry: whether the delay follows a failed attempt.
    ///   - now: the present time.
    public static func delay(until: Timestamp, isRetry: Bool, now: Timestamp) -> WaitReason {
        let start = "can start in \((until - now).roughText), at \(until.text)."
        var reason = WaitReason(
            .delay,
            isRetry ? "Its last attempt failed; the next one \(start)" : "It was submitted with a delay and \(start)"
        )
        reason.until = until
        return reason
    }

    /// The coordinator was restarted, and waits for its workers to report their running operations.
    ///
    /// - Parameters:
    ///   - workers: the workers that have not come back.
    ///   - now: the present time.
    public static func reconciling(until: Timestamp, workers: [String], now: Timestamp) -> WaitReason {
        let told = workers.prefix(5).joined(separator: ", ")
        let missing =
            workers.isEmpty ? "its workers" : workers.count > 5 ? "\(told) and \(workers.count - 5) more" : told
        var reason = WaitReason(
            .delay,
            "The coordinator was restarted and waits for \(missing) to say what they are running, at most for "
                + "another \((until - now).roughText)."
        )
        reason.worker = workers.first
        reason.until = until
        return reason
    }
}
