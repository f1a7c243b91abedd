@_spi(Baton) import BatonOperations

/// Stale results: the ends of attempts whose token is not the current one of their operation (D3).
///
/// A result counts if the worker that reports it holds the attempt (``Scheduler/handle(_:from:)``). Any other result changes nothing:
/// the worker is told that the result is stale, and forgets it. After a restart one case comes in between: a worker may report the
/// end of an attempt that it has claimed, before the scheduler knows whether the claim holds. Such an end is kept with its claim
/// until then.
extension Scheduler {
    /// Handles the end of an attempt that its worker does not hold: keeps the end with its claim, or refuses it.
    mutating func handleUnexpected(_ end: ReportedEnd) {
        if !reconciliation.deferEnd(end) { refuseStaleResult(of: end.token, in: end.session) }
    }

    /// Handles the ends of attempts whose claims now hold, in a loop for dependency chains of any length.
    mutating func handleDeferredEnds() {
        while true {
            let ends = reconciliation.takeDueEnds()
            guard !ends.isEmpty else { return }
            for end in ends {
                // The report is old and no sign of life now.
                if let worker = workers.index(ofSession: end.session) { handle(end, from: worker) }
                finishSkipped()
            }
        }
    }

    /// Gives up the claim on an operation that finished by other means.
    mutating func dismissClaim(on operation: OperationID) {
        if let claim = reconciliation.takeClaim(on: operation) { dismiss(claim) }
    }

    /// Ends an attempt whose claim does not hold, or refuses the result that it has left already.
    mutating func dismiss(_ claim: Reconciliation.EarlyClaim) {
        guard workers.index(ofSession: claim.session) != nil else { return }
        if claim.end == nil {
            emit(.endAttempts(claim.session, [claim.token]))
        } else {
            refuseStaleResult(of: claim.token, in: claim.session)
        }
    }

    /// Whether a worker that names an attempt which does not count is told so in the answer to its hello.
    ///
    /// An ended attempt may be counted and not on disk yet. If the attempt were called stale, the worker would drop the end at once.
    /// Instead the worker sends the end, and the acknowledgement waits for the commit.
    func isStale(_ uncounted: ClaimedAttempt) -> Bool { !uncounted.isFinished }

    private mutating func refuseStaleResult(of token: AttemptToken, in session: SessionID) {
        emit(.acknowledge(session, token, isStale: true))
    }
}
