@_spi(Baton) import BatonOperations

/// Reconciliation: taking over the attempts that ran before a restart.
extension Scheduler {
    /// Opens the reconcile window, in which the scheduler waits for workers.
    ///
    /// - Parameter workers: the workers that had a session when the record ended.
    mutating func openReconcileWindow(for workers: [String: WorkerRecord]) {
        reconciliation.open(for: workers, firstNewJob: recordState.nextJob)
        // The record may lack the last events: a worker returned an attempt, and another worker was sent the operation.
        for node in graph.nodeIndexes where graph[node].stage != .executing {
            queues[graph[node].queue].isGated = true
        }
        timers.insert(Timer(deadline: now + configuration.reconcileTime, purpose: .reconcileWindow))
    }

    /// Whether workers have nothing left to report.
    ///
    /// If a worker executes an attempt according to the record and returns without the attempt, no worker executes the
    /// attempt. A claim that does not hold yet waits for a completion, and the worker with the completion sends it after the
    /// hello. Without an unfinished job and without files, no worker has anything to tell.
    var isReconciled: Bool {
        reconciliation.expected.isEmpty && reconciliation.earlyClaims.isEmpty
            || graph.jobCount == 0 && hooks.places.isEmpty && files.isEmpty
    }

    /// Adds a worker that had a session or attempts when the record ended; until its return, the worker counts as silent
    /// since the restart.
    ///
    /// - Returns: the worker's place.
    mutating func seatAbsent(_ name: String, _ known: WorkerRecord) -> WorkerIndex {
        let introduction = WorkerIntroduction(
            name: name,
            session: SessionID(rawValue: 0),
            slots: 0,
            id: known.id,
            life: known.life,
            keyNumber: known.keyNumber
        )
        var worker = WorkerState(introduction: introduction, joinedAt: now)
        worker.isAbsent = true
        worker.condition = .suspect
        worker.isDrained = drains[known.id] != nil
        let place = workers.insert(worker, hasSession: false)
        workers.change(place) { _ in }
        watch(place, until: now + configuration.lostAfter)
        return place
    }

    /// Notes that a worker of before the restart has returned, or that another process has taken its place.
    ///
    /// - Parameter tellsStarts: whether to trust what another process tells of the starts of the earlier one.
    mutating func noteReturn(of introduction: WorkerIntroduction, tellsStarts: Bool) {
        guard reconciliation.noteReturn(of: introduction, tellsStarts: tellsStarts) else { return }
        // Record the note together with the worker's new life, not only at the end of the window: the next coordinator reads
        // the new life and cannot notice the replacement.
        noteMissingAttempts()
    }

    /// Finds the operation of a valid attempt that a returning worker holds.
    ///
    /// - Parameter unclaimed: the attempts of the worker's earlier session that the worker has not named yet.
    mutating func reclaim(
        _ claimed: ClaimedAttempt,
        from unclaimed: inout [AttemptToken: NodeIndex]
    ) -> NodeIndex? {
        guard let node = unclaimed[claimed.token], graph.id(of: graph[node]) == claimed.operation else { return nil }
        unclaimed[claimed.token] = nil
        graph[node].isWithheld = false
        return node
    }

    /// Whether an operation's job was known to the coordinator start that the token of its claimed attempt names.
    ///
    /// Job numbers repeat after an older copy of the record is put back: an attempt of the discarded state may name the
    /// number of a newer job (D12).
    func isOfKnownStart(_ token: AttemptToken, _ operation: OperationID) -> Bool {
        let epoch = token.epoch
        guard epoch < tokens.epoch, let next = tokens.start(after: epoch) else { return false }
        return operation.job < min(next.firstJob, reconciliation.firstNewJob)
    }

    /// Takes over an attempt whose dispatch is missing in the record.
    ///
    /// Only a first attempt can be missing, and only if the record has no attempt of the operation: other attempts are on
    /// disk before they are sent.
    ///
    /// - Returns: whether the worker may continue with the attempt.
    mutating func adopt(_ claimed: ClaimedAttempt, of worker: WorkerIndex) -> Bool {
        let key = workers[worker].introduction.keyNumber
        guard reconciliation.isOpen, reconciliation.mayHold(withKey: key),
            isOfKnownStart(claimed.token, claimed.operation),
            claimed.attempt == 1,
            let whole = graph.node(for: claimed.operation),
            graph[whole].attempt == 0
        else { return false }
        guard reconciliation.isLater(claimed.token, of: claimed.operation),
            reconciliation.mayClaim(claimed.operation, claimed.token)
        else { return false }
        let node = isolate(claimed.operation, in: whole)
        let claim = Reconciliation.EarlyClaim(
            session: workers[worker].introduction.session,
            token: claimed.token,
            startedAt: claimed.phase == .waiting ? nil : now.before(microseconds: claimed.age)
        )
        reconciliation.add(claim, on: claimed.operation)
        if graph[node].notBefore != nil {
            // The earlier coordinator saw the end of the delay. The record's clock is behind, because a full disk did not
            // store the time.
            endDelay(of: node, hasTimer: true)
        }
        if graph[node].stage == .sent, let holder = graph[node].worker, workers[holder].isAbsent,
            let recorded = token(of: graph[node]), recorded < claimed.token,
            !Self.areDifferent(workers[holder].introduction.keyNumber, key)
        {
            // The recorded attempt was returned and a newer one sent, and the crash came before the commit: the newer attempt
            // counts. From a worker with another key, this is no more than an assertion: the claim waits until the recorded worker
            // has come back without the attempt.
            advance(node, on: .returned)
        } else {
            resolveClaim(on: node)
        }
        return true
    }

    /// Gives a ready operation to the worker that already holds its attempt, if a worker claims the operation.
    mutating func resolveClaim(on place: NodeIndex) {
        guard reconciliation.isOpen else { return }
        let node = graph[place]
        guard node.stage == .ready, node.attempt == 0, !node.isCancelled, isFirst(node) else { return }
        guard let claim = reconciliation.earlyClaims[graph.id(of: node)],
            let worker = workers.index(ofSession: claim.session)
        else { return }
        _ = reconciliation.takeClaim(on: graph.id(of: node))
        reconciliation.dropLoss(of: graph.id(of: node))
        let hadTurn = node.hasTurn
        advance(place, on: .sent, TransitionContext(worker: worker, token: claim.token))
        if hadTurn { noteStaleEntry(of: node) }
        if let start = claim.startedAt {
            advance(place, on: .started, TransitionContext(startedAt: start))
        } else {
            recall(place)
        }
        if let end = claim.end { reconciliation.addDueEnd(end) }
    }

    /// Postpones the loss of an attempt to the end of the window, if another worker may claim the operation until then.
    ///
    /// Only a first attempt that had not started according to the record is concerned: a later attempt is on disk before it is
    /// sent, and a started one was not returned. The same holds for every attempt of an operation that is never restarted.
    ///
    /// - Returns: false if the loss is to be handled at once.
    mutating func postponeLoss(
        of place: NodeIndex,
        with worker: String,
        _ reason: Reason,
        isCounted: Bool
    ) -> Bool {
        let node = graph[place]
        // No worker can claim an attempt of this epoch but the worker that was sent the attempt.
        guard reconciliation.isOpen, node.stage == .sent, node.attempt == 0, !node.isCancelled,
            graph.restartPolicy(at: place) != .never, let token = token(of: node), token.epoch < tokens.epoch
        else { return false }
        let loss = Reconciliation.PendingLoss(
            token: token,
            worker: worker,
            reason: reason,
            moment: now,
            isCounted: isCounted
        )
        reconciliation.add(loss, of: graph.id(of: node))
        if !graph[node.job].mayMissAttempts {
            // The next coordinator must not repeat the number either.
            graph[node.job].mayMissAttempts = true
            emit(.commit(.missingAttempts(graph[node.job].number)))
        }
        advance(place, on: .returned)
        return true
    }

    /// Ends the time of the reconcile window, or extends it once for ends that returned workers have announced.
    ///
    /// A worker may return just before the end of the time. Without the extension, its ends would come too late for the attempts
    /// that have run because of them.
    mutating func endReconcileTime() {
        guard !reconciliation.isExtended, awaitsAnnouncedEnds else { return reconciliation.noteTimeout() }
        reconciliation.noteExtension()
        timers.insert(Timer(deadline: now + configuration.reconcileTime, purpose: .reconcileWindow))
    }

    private var awaitsAnnouncedEnds: Bool {
        reconciliation.awaitsEnds { workers.index(ofSession: $0) != nil }
    }

    /// Closes the reconcile window once workers have nothing left to report, or once the time is up.
    mutating func closeReconcileWindowIfDue() {
        guard reconciliation.isOpen else { return }
        let isOver = reconciliation.hasTimedOut || reconciliation.isExtended && !awaitsAnnouncedEnds
        guard isOver || isReconciled && areFilesReported else { return }
        closeReconcileWindow()
        finishDeferredWork()
    }

    /// Closes the reconcile window: handles the postponed requests, and ends attempts that could not have started.
    ///
    /// Attempts that are dispatched according to the record stay with their worker until the worker returns or is lost.
    private mutating func closeReconcileWindow() {
        if reconciliation.isAnyoneReplaced || !reconciliation.expected.isEmpty { noteMissingAttempts() }
        skipFirstAttemptNumbers()
        handlePostponedRequests()
        let remainder = reconciliation.close()
        // Not earlier: until the window is closed, its timer is current, and a removal of stale timers would keep it.
        if !reconciliation.hasTimedOut { noteStaleTimers() }
        // A worker that returns later can start no attempts that the record lacks, because the lease from the earlier
        // coordinator is over. If the worker has started such attempts, they no longer count.
        for name in remainder.absent {
            // A worker that keeps its place stays in the record until the worker is lost: the next coordinator has to know
            // its identity.
            if let place = workers.index(ofName: name), !workers[place].attempts.isEmpty { continue }
            emit(.commit(.worker(name, nil)))
        }
        var losses = Dictionary(uniqueKeysWithValues: remainder.losses.map { ($0.operation, $0.loss) })
        for (operation, claim) in remainder.claims {
            dismiss(claim)
            // The attempt may run: the next attempt takes the next number (D3).
            guard let place = graph.node(for: operation), graph[place].attempt == 0, graph[place].token == nil else {
                continue
            }
            graph[place].attempt = 1
            if claim.hasRun {
                commitLoss(of: claim, on: operation, place)
                // Both attempts have the number 1.
                losses[operation] = nil
            }
            commitPresentRecord(of: place)
        }
        for (operation, loss) in losses.sorted(by: { $0.key < $1.key }) { count(loss, of: operation) }
        for place in workers.indexes
        where workers[place].isAbsent && workers[place].attempts.isEmpty {
            forget(place)
        }
        judgeFiles()
        for queue in queues.indexes where queues[queue].isGated {
            queues[queue].isGated = false
            queues.serve(queue)
        }
        endOverdueOperations()
    }

    /// Skips the number of the first attempt if the record may lack a first attempt (D3).
    ///
    /// Only operations without any attempt in the record are concerned: a second attempt is on disk before dispatch. One note
    /// for each job is enough, because the record itself shows the operations without an attempt. While the window is open,
    /// the number is not skipped, even if an earlier coordinator made the note: the worker with the first attempt may return.
    private mutating func skipFirstAttemptNumbers() {
        for place in graph.nodeIndexes where mayMissAttempt(of: place) && graph[graph[place].job].mayMissAttempts {
            // An attempt at a worker is counted when the worker starts or returns it; a claimed attempt, when the claim is
            // decided.
            guard graph[place].token == nil, reconciliation.earlyClaims[graph.id(at: place)] == nil else { continue }
            graph[place].attempt = 1
        }
    }

    /// Records the jobs of before the restart whose first attempts may be missing in the record.
    private mutating func noteMissingAttempts() {
        var raised: Set<JobIndex> = []
        for place in graph.nodeIndexes where mayMissAttempt(of: place) { raised.insert(graph[place].job) }
        raised = raised.filter { graph[$0].number < reconciliation.firstNewJob }
        for job in raised.sorted(by: { graph[$0].number < graph[$1].number }) where !graph[job].mayMissAttempts {
            graph[job].mayMissAttempts = true
            emit(.commit(.missingAttempts(graph[job].number)))
        }
    }

    /// Handles the requests that came while the window was open, as long as claims can still come to hold.
    ///
    /// An operation may have been released by a request that the earlier coordinator had neither acknowledged nor committed.
    /// The client sends the request again. The attempts that run because of the request are then valid, whatever the request
    /// was.
    private mutating func handlePostponedRequests() {
        while let event = reconciliation.takePostponed() {
            handleInOrder(event)
            finishDeferredWork()
            resumeDueRequests()
            // All turns at once: the claims on what a later turn would change do not outlast the window.
            while changes.hasTurn {
                handle(.changeContinued)
                finishDeferredWork()
                resumeDueRequests()
            }
        }
    }

    /// Counts an attempt that ran, and whose dispatch no record explains, as lost.
    private mutating func commitLoss(
        of claim: Reconciliation.EarlyClaim,
        on operation: OperationID,
        _ place: NodeIndex
    ) {
        attemptTotals.lost += 1
        graph[place].losses += 1
        let worker = workers.index(ofSession: claim.session).map { workers[$0].introduction.name }
        let reason = Reason(.lost, "The coordinator stopped before the cause of its start was on disk.")
        let attempt = AttemptRecord(
            attempt: 1,
            worker: worker,
            startedAt: claim.startedAt,
            endedAt: now,
            reason: reason
        )
        emit(.commit(.attempt(operation, attempt)))
    }

    /// Counts the loss of an attempt after nobody has claimed its operation.
    private mutating func count(_ loss: Reconciliation.PendingLoss, of operation: OperationID) {
        guard let place = graph.node(for: operation), graph[place].token == nil else { return }
        // The attempt may have started: the next attempt takes the next number (D3).
        graph[place].attempt = max(graph[place].attempt, 1)
        attemptTotals.lost += 1
        if loss.isCounted { graph[place].losses += 1 }
        let attempt = AttemptRecord(
            attempt: 1,
            worker: loss.worker,
            startedAt: nil,
            endedAt: loss.moment,
            reason: loss.reason
        )
        emit(.commit(.attempt(operation, attempt)))
        commitPresentRecord(of: place)
    }
}
