@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Attempts that pass from a worker to its successor in the same directory.
///
/// A worker keeps the ends that the coordinator has not acknowledged: those that ended while the coordinator was away, and those
/// that ended after the coordinator refused the worker because of its version. The successor's hello lists them, so that nothing
/// runs again. They stay on the disk until the coordinator has acknowledged or dropped all of them.
extension WorkerSession {
    /// The attempts of predecessors that are still on the disk.
    struct Inheritance: Sendable {
        /// Whether the disk has any.
        var isKept = false
        /// Attempts that have not started and never will, for the next hello.
        var unstarted: [ClaimedAttempt] = []
        /// Ended attempts without an acknowledgement.
        var ended: Set<AttemptToken> = []
        /// The time at which unstarted attempts were given back; nil before, and once the coordinator has heard of it.
        var returnedAt: Duration?

        /// Whether the coordinator knows what became of all attempts.
        var isSettled: Bool { unstarted.isEmpty && ended.isEmpty && returnedAt == nil }
    }

    /// Takes over the attempts of a predecessor, at the first event.
    mutating func inherit(_ kept: [KeptAttempts.Attempt]) {
        guard !kept.isEmpty else { return }
        inheritance.isKept = true
        for item in kept {
            let claim = item.claim
            guard attempts[claim.token] == nil else { continue }
            guard let result = item.result else {
                inheritance.unstarted.append(claim)
                continue
            }
            var attempt = Attempt(
                operation: claim.operation,
                number: claim.attempt,
                isHook: claim.isHook,
                place: WaitingLine.Place(turn: 0, arrival: nextArrival),
                phase: .finished(result)
            )
            nextArrival += 1
            attempt.startPlace = startPlaces?.takeOver(claim.token)
            attempt.startedAt = moment - min(claim.age, Duration.longestAllowed.microseconds)
            attempt.endedAt = moment - min(item.age, Duration.longestAllowed.microseconds)
            attempts[claim.token] = attempt
            inheritance.ended.insert(claim.token)
        }
    }

    /// Gives back the unstarted attempts of a predecessor, which the hello has listed.
    mutating func returnInherited(except dropped: Set<AttemptToken>, now: Duration) {
        // A hello that no longer lists them has told of an earlier return.
        inheritance.returnedAt = nil
        for claim in inheritance.unstarted where !dropped.contains(claim.token) {
            giveBack(claim.token)
            inheritance.returnedAt = now
        }
        inheritance.unstarted = []
        settleInheritance()
    }

    /// Notes that the coordinator has answered a message of the session.
    mutating func noteAnswer(toMessageSentAt sentAt: Duration) {
        guard let returnedAt = inheritance.returnedAt, returnedAt < sentAt else { return }
        inheritance.returnedAt = nil
        settleInheritance()
    }

    /// Notes that the session has forgotten an ended attempt.
    mutating func noteForgotten(_ token: AttemptToken) {
        guard inheritance.isKept, inheritance.ended.remove(token) != nil else { return }
        settleInheritance()
    }

    private mutating func settleInheritance() {
        guard inheritance.isKept, inheritance.isSettled else { return }
        inheritance.isKept = false
        effects.append(.discardKeptAttempts)
    }

    /// Keeps the attempts that the coordinator has not acknowledged for a successor.
    ///
    /// - Parameter unstarted: whether to keep the attempts that have not started, too.
    mutating func keepAttempts(andUnstarted unstarted: Bool) {
        let own = attempts.sorted { $0.key < $1.key }.compactMap { token, attempt -> KeptAttempts.Attempt? in
            guard !attempt.isDiscarded else { return nil }
            let claim = self.claim(of: attempt, token)
            return switch attempt.phase {
            case .finished(let result):
                KeptAttempts.Attempt(claim: claim, result: result, age: moment - attempt.endedAt)
            case .waiting where unstarted: KeptAttempts.Attempt(claim: claim, result: nil, age: 0)
            case .waiting, .running: nil
            }
        }
        let inherited = inheritance.unstarted.map { KeptAttempts.Attempt(claim: $0, result: nil, age: 0) }
        guard !own.isEmpty || !inherited.isEmpty else { return }
        effects.append(.keepAttempts(own + inherited))
    }
}
