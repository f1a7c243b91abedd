import Operations

/// The ends of attempts.
extension Scheduler {
    mutating func attemptEnded(
        _ session: SessionID,
        _ token: AttemptToken,
        _ operation: OperationID,
        _ result: AttemptResult,
        seed: UInt64
    ) {
        guard let worker = hear(session) else { return }
        let held = workers[worker].attempts[token]
        guard let node = held, id(of: nodes[node]) == operation else {
            let end = Reconciliation.HeldEnd(
                session: session,
                token: token,
                operation: operation,
                result: result,
                seed: seed
            )
            if !holdBack(end) { emit(.acknowledge(session, token, isStale: true)) }
            return
        }
        let template = jobs[nodes[node].job].templates[
            Int(jobs[nodes[node].job].entries[Int(nodes[node].entry)].template)
        ]
        var circumstances = Circumstances(reason: reason(for: result.end, template.work), result: result)
        let event: Lifecycle.Event
        switch result.end {
        case .exited(0):
            event = .attemptSucceeded
        case .exited, .signalled, .timedOut, .notStarted:
            if nodes[node].failures < UInt32(template.retries) {
                event = .attemptFailedWithRetriesLeft
                circumstances.retryAt = now + backoff(template, failures: nodes[node].failures, seed: seed)
            } else {
                event = .attemptFailed
            }
        case .interrupted:
            // Only a worker that leaves gives an attempt back; sent to it again, it would come straight back.
            changeWorker(worker) { $0.isLeaving = true }
            nodes[node].losses += 1
            event = .attemptLost
        }
        if nodes[node].isCancelled && event != .attemptSucceeded {
            circumstances.reason = Reason(.cancelled, "Its cancellation was asked for while it was executing.")
        }
        advance(node, on: event, circumstances)
        emit(.acknowledge(session, token, isStale: false))
    }

    /// Takes an attempt back from a worker that goes away in good order: that never fails the operation.
    mutating func giveBack(_ node: Int32) {
        nodes[node].losses += 1
        var reason = Reason(.lost, "Its worker went away.")
        if nodes[node].isCancelled {
            reason = Reason(.cancelled, "Its cancellation was asked for, and its worker went away.")
        }
        advance(node, on: .attemptLost, Circumstances(reason: reason))
    }

    /// Takes an attempt away from a worker that is lost.
    mutating func lose(_ node: Int32, with worker: String) {
        nodes[node].losses += 1
        let losses = nodes[node].losses
        let isTooOften = losses > configuration.maximumLosses
        var reason = Reason(.lost, "Its worker \(worker) was lost.")
        if isTooOften { reason.message = "Its workers were lost \(losses) times, the last time \(worker)." }
        if nodes[node].isCancelled {
            reason = Reason(.cancelled, "Its cancellation was asked for, and its worker \(worker) was lost.")
        }
        advance(node, on: isTooOften ? .attemptLostTooOften : .attemptLost, Circumstances(reason: reason))
    }

    private func reason(for end: AttemptEnd, _ work: Work) -> Reason? {
        switch end {
        case .exited(0): nil
        case .exited(let status): Reason(.exit, "It exited with status \(status).")
        case .signalled(let signal): Reason(.signal, "It was ended by signal \(signal).")
        case .timedOut: Reason(.timeout, "It ran longer than its timeout of \(work.timeout?.text ?? "0s").")
        case .notStarted(let sentence): Reason(.launch, sentence)
        case .interrupted: Reason(.lost, "Its worker went away.")
        }
    }

    /// The wait before the next attempt: it doubles with each failure, give or take a quarter, up to a day or the first
    /// wait where that is longer.
    private func backoff(_ template: Template, failures: UInt32, seed: UInt64) -> Duration {
        let first = Double(template.retryDelay.microseconds)
        let doubled = first * Double(UInt64(1) << UInt64(min(failures, 32)))
        let jitter = 0.75 + 0.5 * Double(seed >> 11) / Double(UInt64(1) << 53)
        return .microseconds(Int64(min(doubled * jitter, max(first, 86_400_000_000))))
    }
}
