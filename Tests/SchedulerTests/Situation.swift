/// A situation that random histories should bring about.
enum Situation: CaseIterable {
    // Sending and taking back.
    case sentAhead, recalled, returned, waitedForHigher, barrierStarted
    // Ends.
    case retried, skipped, notNeeded, cancelled, flagged, barrierCancelled, hookRun, hookRunAgain
    // Workers and the coordinator.
    case workerSuspect, workerLost, workerExpelled, absentWorkerExpelled, lostTooOften, restarted, forgotten
    case lostExecuting, lostUnstarted, adopted, adoptedUnstarted, reranNothing
    case windowEndedEarly, windowEndedInTime, postponed
    // Changes that have to be on disk first.
    case withheld, withheldForGood, sentLate, withheldRecalled, withheldLost, lostForGood
    case confirmedLate, unconfirmedForgotten, unconfirmedCommitted, recordUnwritable
    // Requests that take effect at once, or after answers of workers; partly or not at all if workers stay silent.
    case held, heldLate, heldPartly, holdGivenUp, released, paused
    case priorityChanged, priorityChangedLate, priorityChangedPartly, priorityGivenUp
    case dependencyAdded, dependencyAddedLate, dependencyGivenUp, dependencyRemoved, cycleRefused
    case commandAdded, commandAddedLate, commandRefused, commandGivenUp
    case cancelUnanswered, queueUnanswered, queueDeleted, queueKept
    case added, additionRefused, additionCycle, jobClosed
}
