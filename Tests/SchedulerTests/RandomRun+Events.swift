@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Events for the scheduler and for the model.
extension RandomRun {
    /// Gives an event to the scheduler and to the model, and compares them.
    mutating func apply(_ event: Event) {
        handle(event)
        if !isDiskSlow { confirm(unconfirmed.count) }
    }

    /// Gives the model the requests that waited until all started operations are known.
    private mutating func takePostponed() {
        while !model.postponed.isEmpty {
            note(request: model.postponed.removeFirst())
            model.skipAllImpossible()
            model.carryOutDue()
        }
    }

    mutating func handle(_ event: Event) {
        if trace { print("EVENT", event) }
        let before = scheduler
        let effects = scheduler.apply(event, at: now)
        if trace { for effect in effects { print("   ", effect) } }
        var windowEnd: WindowEnd?
        if before.reconciliation.isOpen, !scheduler.reconciliation.isOpen, !model.postponed.isEmpty {
            windowEnd = WindowEnd(of: event, in: before, record, at: now)
        }
        take(effects, of: event, windowEnd)
    }

    /// - Parameter windowEnd: the effects of the event alone, if postponed requests are carried out with the event.
    mutating func take(_ effects: [Effect], of event: Event?, _ windowEnd: WindowEnd? = nil) {
        model.now = now
        var changes = effects.compactMap(\.change)
        if !changes.isEmpty, let totals = scheduler.takeChangedTotals() { changes.append(.totals(totals)) }
        record.commit(changes)
        for case .operation(let skipped) in changes where skipped.outcome == .skipped {
            for index in skipped.id.index..<skipped.id.index + skipped.count {
                model.recordedSkips[OperationID(job: skipped.id.job, index: index)] = skipped.skippedFor
            }
        }
        model.isFollowing = model.isReconciling
        if model.isFollowing { countUncountedLosses(in: changes) }
        var isWindowEnding = false
        // A request that is given up before the end of the window does not know the later changes yet.
        if case .timePassed = event { model.pass() }
        if model.isFollowing {
            if let windowEnd {
                follow(windowEnd.effects, in: windowEnd.scheduler, windowEnd.record)
            } else {
                follow(effects, in: scheduler, record)
            }
            model.isReconciling = scheduler.reconciliation.isOpen
            for case .missingAttempts(let job) in changes { model.jobsMissingAttempts.insert(job) }
            if !model.isReconciling { isWindowEnding = true }
        }
        if let event { note(event, changes, effects) }
        if isWindowEnding { endWindow() }
        model.skipAllImpossible()
        model.carryOutDue()
        if !model.isReconciling { takePostponed() }
        for effect in effects { take(effect) }
        noteRecalls(areAllTold: windowEnd == nil)
        check(changes)
    }

    /// Gives the model an event that takes effect at once.
    private mutating func note(_ event: Event, _ changes: [RecordChange], _ effects: [Effect]) {
        switch event {
        case .submit:
            for case .job(let job) in changes { model.add(job) }
        case .add:
            for case .addition(let addition) in changes { model.add(addition) }
        case .close(let jobs, let request):
            model.done[request] = Model.Done(time: now, changed: model.close(jobs))
        case .workerJoined(let introduction):
            awaited.remove(introduction.name)
            for op in model.ops where op.isWithheld && op.worker == introduction.name { see(.withheldLost) }
            model.join(introduction)
        case .workerHeard(let session):
            model.noteSignOfLife(session)
        case .workerBytesArrived(let session, let time):
            model.noteBytes(session, at: time)
        case .workerDistance(let session, _):
            model.noteSignOfLife(session)
        case .workerLeaving(let session):
            model.noteSignOfLife(session)
            if let name = model.name(of: session) { model.workers[name]?.isLeaving = true }
        case .workerLeft(let session):
            model.leave(session)
        case .workerExpelled(let name, _):
            model.expel(name)
        case .attemptsStarted(let session, let starts):
            model.noteSignOfLife(session)
            guard !model.isFollowing else { return }
            for start in starts {
                if let index = model.holder(of: start.token, in: session) { model.start(index) }
            }
        case .attemptsReturned(let session, let tokens):
            model.noteSignOfLife(session)
            guard !model.isFollowing else { return }
            for token in tokens {
                guard let index = model.holder(of: token, in: session) else { continue }
                see(.returned)
                model.takeBack(index)
            }
        case .attemptsProgressed(let session, let reported):
            model.noteSignOfLife(session)
            guard !model.isFollowing else { return }
            for report in reported {
                if let index = model.holder(of: report.token, in: session) {
                    model.noteProgress(report.progress, of: index)
                }
            }
        case .attemptEnded(let session, let token, let id, let result, _, _):
            model.noteSignOfLife(session)
            if !model.isFollowing { noteEnd(session, token, id, result) }
        case .committed(let milestone):
            note(milestone, effects)
        case .recordWritable(let isWritable):
            model.isRecordWritable = isWritable
            if !isWritable { see(.recordUnwritable) }
        case .filesHeld(let session, _, _), .filesDropped(let session, _, _), .filesMissing(let session, _, _, _),
            .filesNotCopied(let session, _, _), .fetchesProgressed(let session, _):
            model.noteSignOfLife(session)
        case .arrivalContinued, .arrivalEnded, .filesKnown, .filesSent, .filesLackRoom, .fetchOutdated, .jobsDeleted,
            .workerHealth,
            .operationsWaiting, .changeContinued, .timePassed, .clockStepped, .scheduleChanged:
            break
        case .cancel, .hold, .release, .pause, .resume, .signal, .setPriority, .depend, .undepend, .addCommand,
            .reportProgress, .setQueue, .deleteQueue, .setLimit, .drain, .undrain, .stop, .forget:
            note(request: event)
        }
    }

    /// Counts attempts that ended with a stop of their worker or with a revoked key, because the scheduler's records do not tell
    /// losses that do not count.
    private mutating func countUncountedLosses(in changes: [RecordChange]) {
        for case .attempt(let id, let attempt) in changes
        where attempt.reason.message.hasPrefix("Its worker was stopped")
            || attempt.reason.message.contains("key of its worker was revoked")
        {
            for index in model.ops.indices where model.ops[index].id == id { model.ops[index].uncountedLosses += 1 }
        }
    }

    private mutating func note(_ milestone: Milestone, _ effects: [Effect]) {
        if isDiskSlow { see(.confirmedLate) }
        if case .dispatch(let session, let token) = milestone, let place = model.holder(of: token, in: session),
            model.ops[place].isRecalled, model.ops[place].isWithheld
        {
            see(.withheldRecalled)
        }
        guard let token = model.noteCommitted(milestone) else { return }
        see(.sentLate)
        let isSent = effects.contains { effect in
            if case .dispatch(let assignment) = effect { assignment.token == token } else { false }
        }
        expect(isSent, "\(token) is on disk and was not sent")
    }

    private mutating func noteEnd(
        _ session: SessionID,
        _ token: AttemptToken,
        _ id: OperationID,
        _ result: AttemptResult
    ) {
        guard let index = model.holder(of: token, in: session), model.ops[index].id == id else {
            return
        }
        if let wait = model.end(index, result.end, hasResult: result.result != nil) {
            let due = record.operation(id)?.notBefore
            expect(due.map { wait.contains($0 - now) } ?? false, "the retry of \(id) is due at \(due as Any)")
            model.ops[index].notBefore = due
            see(.retried)
        }
    }
}
