/// A fault that is put into the machines on purpose, to see that the checks find it.
package enum Fault: String, CaseIterable, Sendable {
    /// A worker that connects again forgets the ends of attempts that were not acknowledged.
    case dropOutbox
    /// The coordinator takes the result of an attempt that is no longer valid for that of the present one.
    case acceptStaleToken
    /// What waits for the disk is told before it is there.
    case acknowledgeBeforeCommit
    /// A transaction is torn: the last of its changes is not kept.
    case tearTransaction
    /// A worker says that it gives an attempt back, and starts it all the same.
    case forgetRecall
    /// A worker does not end attempts that it is told are stale.
    case keepStaleAttempts
    /// The processes of a worker live on when it is killed.
    case leaveChildren
    /// A worker takes what its host cannot start for a failure of the operation.
    case failWhatCannotStart
    /// A worker frees a slot as soon as its attempt is asked to end.
    case freeSlotEarly
    /// A restarted coordinator has the same epoch as before.
    case keepEpoch
    /// A coordinator has the incarnation of every other one.
    case keepIncarnation
    /// A restarted coordinator does not know that queues are suspended or limited.
    case forgetQueues
    /// A restarted coordinator does not know what is held.
    case forgetHolds
    /// A restarted coordinator takes the moments in its record for those of its own clock.
    case trustClock
    /// A client's key is not kept.
    case forgetKeys
    /// A restarted coordinator does not wait for its workers.
    case skipReconciliation
    /// A restarted coordinator does not know which workers there were.
    case forgetWorkers
    /// A restarted coordinator takes workers for lost sooner than it says.
    case loseEarly
    /// A watcher is told again of the event that it knows.
    case repeatEvents
    /// A wait is answered before its end.
    case endWaitsEarly
}
