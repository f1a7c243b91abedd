@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler

/// Turns: the end of each, after its messages and answers, and when the next one is due without any.
extension CoordinatorCore {
    /// Ends a turn: handles due timers, sends messages that need no commit, and passes changes to the recorder.
    ///
    /// - Parameter isDrained: whether the turn handled all messages that had arrived.
    package func endTurn(at now: Timestamp, isDrained: Bool) {
        note(now)
        if isSilent { return endSilentTurn() }
        handleExpiredTimers(isDrained: isDrained)
        let isChangeContinued = canContinueChange
        if isChangeContinued { apply(.changeContinued) }
        serveWaitingAppearances()
        serveWaitingRequests()
        serveWaitingInputs()
        if pieces.isAnyWaiting { servePieces() }
        for wait in waits.takeDue(now: now, isOpen: isOpen) { commits.append(.waitAnswer(wait)) }
        if let waiters = waits.takeWaiters() { apply(.operationsWaiting(waiters)) }
        answerWorkerWaits()
        serveSchedules()
        if removal.isWorthwhile(for: options.retention) { removeFinished() }
        if !lateResults.isEmpty { tellLateResults() }
        freeRemovedJobs()
        serveWatches()
        sendDispatches()
        answerUnkept()
        // The next turn of the change waits for the commit of this one.
        if isChangeContinued || commits.isFlushDue(at: now, isWatched: watches.isAnybodyAwaiting) { flush() }
        if isChangeContinued { batchOfLastTurn = commits.lastBatch }
    }

    /// Whether a large change can take its next turn.
    ///
    /// The turns keep pace with the disk: whatever others ask for meanwhile waits for the commit of one turn, and not of all.
    private var canContinueChange: Bool { scheduler.hasTurnLeft && commits.isCommitted(batchOfLastTurn) }

    /// Notes how long a turn took, from the end of the poll to the last action.
    package func noteTurn(from start: Timestamp, to end: Timestamp) {
        lateness.worked(from: start, to: end)
        turns.add(microseconds: (end - start).microseconds)
    }

    /// When the next turn is due without other input.
    package var nextDeadline: Timestamp {
        var next = nextTidying
        if isSilent {
            if let deadline = commits.flushDeadline { next = min(next, deadline) }
            return actions.isEmpty ? next : min(next, now)
        }
        if let deadline = scheduler.nextDeadline { next = min(next, max(deadline, lateness.clockFrom)) }
        if let deadline = appearances.nextDeadline { next = min(next, deadline) }
        if let deadline = waits.nextDeadline { next = min(next, deadline) }
        if let deadline = workerWaits.nextDeadline { next = min(next, deadline) }
        if let deadline = watches.nextDeadline { next = min(next, deadline) }
        if let deadline = commits.flushDeadline { next = min(next, deadline) }
        if let moment = nextScheduleMoment { next = min(next, moment) }
        // The end of a connection, which is noticed while messages go out, has answers of its own.
        if admission.canServeAny || canServeInputs || canContinueChange || !actions.isEmpty || pieces.canServe {
            next = min(next, now)
        }
        return next
    }

    /// Carries out what is due by the time, and what is due once in each interval of heartbeats.
    private func handleExpiredTimers(isDrained: Bool) {
        if isDrained { lateness.drained(at: now) }
        if let deadline = scheduler.nextDeadline, deadline <= now, lateness.allowsClock(at: now, isDrained: isDrained) {
            apply(.timePassed)
        }
        guard now >= nextTidying else { return }
        nextTidying = now + options.heartbeatInterval
        workers.keepOnly(scheduler.isCurrent)
        appearances.tidy(at: now)
        if !challenges.isEmpty, !scheduler.isReconciling { challenges.removeAll() }
        histories.keepOnly(at: now) { scheduler.isListed($0) }
        answerLateOutputRequests()
        tidyFiles()
        queueEnds.forgetOld(now: now)
        recentFailures.note(scheduler.ended.failed, at: now)
        watches.forgetIdle(now: now)
        if commits.error == nil {
            servePutOffInputs()
            // What was acknowledged can be saved as long as this process lives.
            emit(.checkRecord)
        } else {
            emit(.retryRecord)
        }
        if removal.isDue(at: now) { removeFinished() }
        let isClockDue = commits.clock.isDue(at: now, isAnythingPostponed: scheduler.isAnythingPostponed)
        if isClockDue, commits.error == nil { commitClock() }
    }
}
