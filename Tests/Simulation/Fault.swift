/// A deliberate fault of the simulated processes, to prove that the checks find the fault.
package enum Fault: String, CaseIterable, Sendable {
    /// A reconnecting worker forgets the ends of attempts without an acknowledgement.
    case dropOutbox
    /// The coordinator takes the result of a stale attempt as the result of the present attempt.
    case acceptStaleToken
    /// The coordinator sends answers before the commit that they wait for.
    case acknowledgeBeforeCommit
    /// A transaction is torn: the last of its changes is not kept.
    case tearTransaction
    /// Of a large job that comes in parts, the first part alone is kept.
    case loseParts
    /// A worker reports the return of an attempt, and starts the attempt all the same.
    case forgetRecall
    /// A worker does not end attempts that the coordinator calls stale.
    case keepStaleAttempts
    /// The processes of a killed worker live on.
    case leaveChildren
    /// A worker reports a fault of its host as a failure of the operation.
    case failWhatCannotStart
    /// A worker frees a slot as soon as its attempt is asked to end.
    case freeSlotEarly
    /// A restarted coordinator has the same epoch as before.
    case keepEpoch
    /// All coordinators have the same incarnation.
    case keepIncarnation
    /// A restarted coordinator forgets suspensions and limits of queues.
    case forgetQueues
    /// A restarted coordinator forgets how many units the limits have that several queues share.
    case forgetLimits
    /// The totals of a batch are not kept.
    case forgetTotals
    /// A restarted coordinator forgets which workers are drained.
    case forgetDrains
    /// A restarted coordinator forgets which operations are held.
    case forgetHolds
    /// A restarted coordinator compares the times in its record with the wrong clock.
    case trustClock
    /// The record loses the clients' keys.
    case forgetKeys
    /// A restarted coordinator does not wait for its workers.
    case skipReconciliation
    /// A restarted coordinator forgets its workers.
    case forgetWorkers
    /// A restarted coordinator declares workers lost too early.
    case loseEarly
    /// A watcher gets a known event again.
    case repeatEvents
    /// A wait is answered before its end.
    case endWaitsEarly
    /// A restarted coordinator takes its record for whole, whatever a hostile disk has done to the log.
    case ignoreTally
    /// The coordinator takes the key of every worker for the same.
    case mistakeKeys
    /// A worker starts attempts before their files are there.
    case startWithoutFiles
    /// A restarted coordinator does not take in which files its workers keep.
    case forgetHolders
    /// The coordinator takes files for kept that a worker has lost.
    case keepLostHolder
    /// The coordinator lets files go that operations wait for.
    case releaseNeeded
    /// The coordinator takes files for lost that their worker keeps.
    case rerunNeedlessly
    /// The coordinator asks for a copy of a file once, and for none in place of a lost one.
    case forgetCopies
    /// A restarted worker forgets which coordinators it has obeyed.
    case forgetRanks
    /// A worker does not compare what has arrived with its digest.
    case acceptDamaged
    /// A coordinator answers, whether it can prove that it leads or not.
    case answerUnproven
    /// A coordinator counts a proof of its lease from the answer, not from the moment before it was sent.
    case proveByAnswer
    /// A worker obeys any coordinator, whatever its epoch.
    case obeyLowerEpoch
    /// The commits of a coordinator pass although another one has taken over.
    case skipFence
    /// A commit whose answer was lost is repeated, whether it was carried out or not.
    case repeatAmbiguousCommit
    /// A coordinator that takes over does not wait for the workers of the earlier leader.
    case forgetWindow
}
