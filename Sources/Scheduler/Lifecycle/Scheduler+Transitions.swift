@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Carrying out the actions of ``Lifecycle``.
extension Scheduler {
    /// Advances an operation, or a block, by one lifecycle event.
    mutating func advance(
        _ place: NodeIndex,
        on event: Lifecycle.Event,
        _ context: TransitionContext = TransitionContext()
    ) {
        let node = graph[place]
        if graph.isEnding(node) { return advanceEnding(place, on: event) }
        // A cancellation that awaits its turn prevents a skip, as a cancellation that had its turn does.
        let action = Lifecycle.action(
            at: node.stage,
            isCancelled: node.cancellation != .notRequested,
            isSuspended: queues[node.queue].settings.isSuspended,
            on: event
        )
        switch action {
        case .ignore:
            break
        case .makeReady:
            invariant(node.waiting == 0, "An operation becomes ready that still waits.")
            graph[place].readyAt = now
            move(place, to: .ready)
            if !context.wasTold { noteState(of: place) }
            enqueue(place)
        case .makePending:
            invariant(node.waiting > 0, "An operation waits again, and for nothing.")
            move(place, to: .pending)
            if node.hasTurn { noteStaleEntry(of: node) }
            noteState(of: place)
        case .send:
            send(place, context)
        case .returnUnstarted where node.cancellation == .overdue:
            finish(place, .failed, TransitionContext(reason: Self.deadlineReason(node)))
        case .returnUnstarted:
            // Nothing is known of the attempt's start, so the attempt may have run.
            if event == .attemptLost || event == .attemptLostForGood { commitAttempt(of: node, context) }
            returnToReadyQueue(place)
        case .start:
            start(place, context)
        case .undoStart:
            invariant(node.attempt > 0, "A start is undone that has not happened.")
            graph[place].attempt -= 1
            graph[place].startedAt = nil
            leaveWorker(place)
            move(place, to: .ready)
            commitRecord(of: place)
            noteState(of: place)
            queues.refund(graph[place].queue)
            enqueue(place)
        case .awaitRetry, .awaitRoom:
            commitAttempt(of: node, context)
            if action == .awaitRetry { graph[place].failures += 1 }
            leaveWorker(place)
            if let code = context.reason?.code, code == .memory || code == .timeout {
                graph.growLimits(of: node, after: code)
            }
            move(place, to: .pending)
            postpone(place, until: context.retryAt ?? now)
            commitRecord(of: place, context)
            noteState(of: place)
        case .returnToReady:
            commitAttempt(of: node, context)
            leaveWorker(place)
            graph[place].readyAt = now
            move(place, to: .ready)
            commitRecord(of: place, context)
            if node.state != .ready { noteState(of: place) }
            enqueue(place)
        case .flag:
            graph[place].isCancelled = true
            queues[node.queue].flagged.append(graph.reference(to: place))
            commitRecord(of: place, context)
            noteChange(of: place, .cancelled)
        case .askWorkerToEnd:
            graph[place].isCancelled = true
            commitRecord(of: place, context)
            noteChange(of: place, .cancelled)
            askWorkerToEnd(place)
        case .finish(let outcome):
            if outcome == .cancelled, node.cancellation == .overdue {
                var context = context
                context.reason = Self.deadlineReason(node)
                return finish(place, .failed, context)
            }
            if outcome == .cancelled, !node.isCancelled {
                graph[place].isCancelled = true
                noteChange(of: place, .cancelled)
            }
            finish(place, outcome, context)
        }
    }

    /// Moves a node to another unfinished state.
    private mutating func move(_ place: NodeIndex, to state: OperationState) {
        let node = graph[place]
        guard node.state != state else { return }
        count(node, in: node.state, by: -Int(node.count))
        graph[place].state = state
        count(node, in: state, by: Int(node.count))
        queues.serve(node.queue)
    }

    /// Records a change of a node for clients that watch.
    ///
    /// - Parameter moment: the time of the change; now unless given.
    mutating func noteChange(
        of place: NodeIndex,
        _ change: consuming ClusterEvent.OperationChange,
        at moment: Timestamp? = nil
    ) {
        let node = graph[place]
        // A finished operation that runs again stays finished for those who watch.
        if isRerun(node) { return }
        let subject = ClusterEvent.Subject.operations(graph.id(of: node), count: node.count, change)
        note(subject, in: queues[node.queue].name, at: moment)
    }

    private mutating func noteState(of place: NodeIndex, at moment: Timestamp? = nil) {
        let node = graph[place]
        let worker = node.worker.map { workers[$0].introduction.name }
        noteChange(of: place, .state(node.state, outcome: nil, attempt: node.attempt, worker: worker), at: moment)
    }

    // MARK: - Workers

    private mutating func send(_ place: NodeIndex, _ context: TransitionContext) {
        invariant(graph[place].worker == nil, "An operation is sent that a worker has.")
        if let claimed = context.token {
            graph[place].token = claimed.inRecord
        } else {
            graph[place].token = tokens.make()
        }
        // The time of dispatch is unknown if the worker has the attempt from an earlier coordinator.
        let readyAt: Timestamp
        if let known = graph[place].readyAt { readyAt = known } else { readyAt = recallReadyMoment(of: place) }
        let wait = now.rawValue - readyAt.rawValue
        graph[place].sentAfter = context.token == nil ? UInt32(clamping: wait) : 0
        graph[place].isPrefetched = context.isPrefetched
        graph[place].isLong = context.expectedTime == nil && !context.isFetching
        // An attempt that its worker already has is not withheld.
        graph[place].isWithheld = context.token == nil && mustBeCommitted(place)
        linkSent(place)
        if graph.limitedJobs > 0 { takeArrayPlace(for: graph[place]) }
        if let worker = context.worker { bind(place, to: worker, context) }
        if !graph.reruns.isEmpty { noteRerunSent(place) }
        if !graph.requests.isEmpty {
            claimResources(of: place)
            if !limits.isEmpty { takeLimits(of: place) }
        }
        commitPresentRecord(of: place)
    }

    private mutating func start(_ place: NodeIndex, _ context: TransitionContext) {
        let node = graph[place]
        guard let token = token(of: node) else { failInvariant("An operation without a token has started.") }
        unlinkSent(place)
        if let worker = graph[place].worker {
            let (isPrefetched, isRecalled, moment) = (graph[place].isPrefetched, graph[place].isRecalled, now)
            var turn: UInt64 = 0
            var wasFetching = false
            workers.change(worker) { worker in
                wasFetching = worker.sent.isFetching(token)
                turn = worker.sent.start(token)
                worker.countUnsent(isPrefetched: isPrefetched, isRecalled: isRecalled)
                worker.times.lastActive = moment
            }
            queues.noteStart(ofTurn: turn)
            if wasFetching {
                takeSlot(place, of: worker)
                noteFetched(place, token, at: worker, startedAt: context.startedAt)
            }
        }
        graph[place].isPrefetched = false
        graph[place].isWithheld = false
        graph[place].isRecalled = false
        graph[place].isRecordedFirst = false
        graph[place].attempt += 1
        let start = max(graph[place].sentAt, min(now, context.startedAt ?? now))
        graph[place].startedAt = start
        attemptTotals.started += 1
        if graph[node.job].startedAt == nil { graph[node.job].startedAt = start }
        queues[node.queue].totals.waits.add(microseconds: start.rawValue - (node.readyAt ?? start).rawValue)
        move(place, to: .executing)
        if !context.endFollows { commitRecord(of: place) }
        noteState(of: place, at: start)
        resolve(token)
    }

    /// Returns a dispatched, unstarted node to the ready queue.
    private mutating func returnToReadyQueue(_ place: NodeIndex) {
        leaveWorker(place)
        // Another worker may have been sent the operation since, without a trace in the record. As long as that worker may claim
        // the operation, the number stays: the end of the reconcile window raises it.
        if mayMissAttempt(of: place), graph[graph[place].job].mayMissAttempts, !reconciliation.isOpen {
            graph[place].attempt = 1
        }
        commitPresentRecord(of: place)
        queues.refund(graph[place].queue)
        enqueue(place)
        if graph[place].isCancelled { queues[graph[place].queue].flagged.append(graph.reference(to: place)) }
        noteReturn(of: graph[place])
    }

    /// Assigns a node's attempt to a worker; ``claimResources(of:)`` notes what the attempt takes there.
    ///
    /// - Parameter context: the details of the dispatch; unknown after the worker begins a new session.
    mutating func bind(
        _ place: NodeIndex,
        to worker: WorkerIndex,
        _ context: TransitionContext = TransitionContext()
    ) {
        // In a new session, the files tell what the worker may still be fetching.
        let isFetching = context.isFetching || context.worker == nil && mayBeFetching(place, at: worker)
        if isFetching { noteFetching(place, at: worker) }
        let node = graph[place]
        guard let token = token(of: node) else { failInvariant("A worker is given an operation without a token.") }
        graph[place].worker = worker
        // What is taken out here is not copied with the rest of the context.
        let (turn, isOvertaking, expectedTime) = (context.turn, context.isOvertaking, context.expectedTime ?? 0)
        workers.change(worker) { worker in
            let earlier = worker.attempts.updateValue(place, forKey: token)
            invariant(earlier == nil, "A worker is given two operations with one token.")
            if node.isLong { worker.longCount += 1 }
            guard node.stage == .sent else { return }
            if isFetching {
                worker.sent.insertFetching(token, turn: turn)
            } else {
                worker.sent.insert(token, turn: turn, isOvertaking: isOvertaking, expectedTime: expectedTime)
            }
            worker.beginTrial(token)
            if node.isPrefetched { worker.prefetchedCount += 1 }
            if node.isRecalled { worker.recalledCount += 1 }
        }
    }

    /// Notes what a node's attempt takes of its worker.
    ///
    /// Apart from ``bind(_:to:_:)``, which is on the way of each operation: there it would cost a copy of the context.
    mutating func claimResources(of place: NodeIndex) {
        let node = graph[place]
        guard let worker = node.worker, let token = token(of: node), let request = claim(of: place) else { return }
        ledger.claim(request, for: token, at: worker)
    }

    /// Removes a node's attempt from its worker.
    mutating func leaveWorker(_ place: NodeIndex) {
        let node = graph[place]
        guard let token = token(of: node) else { return }
        if node.stage == .sent {
            unlinkSent(place)
            if !files.fetchTimes.isEmpty, let worker = node.worker { files.fetchTimes.forget(token, at: worker) }
        }
        if let worker = node.worker {
            if !ledger.isEmpty { ledger.release(token, at: worker) }
            workers.change(worker) { worker in
                let removed = worker.attempts.removeValue(forKey: token)
                invariant(removed == place, "An operation leaves a worker that does not have it.")
                worker.endTrial(token)
                if node.isLong { worker.longCount -= 1 }
                invariant(worker.longCount >= 0, "A worker has fewer than no long attempts.")
                if node.stage == .sent {
                    worker.sent.remove(token)
                    worker.countUnsent(isPrefetched: node.isPrefetched, isRecalled: node.isRecalled)
                }
            }
        }
        graph[place].worker = nil
        graph[place].token = nil
        graph[place].isPrefetched = false
        graph[place].isLong = false
        graph[place].isWithheld = false
        graph[place].isRecalled = false
        forgetProgress(of: place)
        if !graph.pauses.isEmpty { endPause(of: place) }
        queues.serve(node.queue)
        resolve(token)
        if !limits.isEmpty { giveBackLimits(of: node) }
        if graph.limitedJobs > 0 { leaveArrayPlace(of: place) }
        if !graph.reruns.isEmpty { endKeepingApart(from: place, node) }
    }

    /// Adds a node to the sent, unstarted nodes of its queue.
    mutating func linkSent(_ place: NodeIndex) {
        let node = graph[place]
        let last = queues[node.queue].appendSent(place, node)
        graph[place].previousSent = last
        graph[place].nextSent = nil
        if let last { graph[last].nextSent = place }
    }

    private mutating func unlinkSent(_ place: NodeIndex) {
        let node = graph[place]
        queues[node.queue].removeSent(node)
        if let previous = node.previousSent { graph[previous].nextSent = node.nextSent }
        if let next = node.nextSent { graph[next].previousSent = node.previousSent }
        graph[place].nextSent = nil
        graph[place].previousSent = nil
    }

    // MARK: - The record

    mutating func commitRecord(of place: NodeIndex, _ context: TransitionContext = TransitionContext()) {
        if !graph.reruns.isEmpty, isRerun(graph[place]) { return commitRecord(ofRerun: place, context) }
        var record = record(at: place)
        record.reason = context.reason
        if !graph.fileWaits.isEmpty, graph.fileWaits[place] != nil { record.reason = Self.awaitingFiles }
        (record.exitStatus, record.signal) = (context.exitStatus, context.signal)
        if context.hasOutput { commitOutput(of: record.id, attempt: record.attempt, context) }
        emit(.commit(.operation(record)))
    }

    /// Records what has become of a rerun: the reason and the end of a finished operation stay those of its outcome.
    @inline(never)
    private mutating func commitRecord(ofRerun place: NodeIndex, _ context: TransitionContext) {
        let node = graph[place]
        let record = presentRecord(of: node)
        commitOutput(of: record.id, attempt: record.attempt, context)
        // What has become of a retry is of interest only as long as somebody needs the files.
        deferred.files.doubtful.append(record.id)
        emit(.commit(.operation(record)))
    }

    /// Records an attempt that ends without its operation; for the same commit as the operation's own record.
    ///
    /// - Parameter node: the node before the transition, with the attempt and its worker.
    mutating func commitAttempt(of node: OperationNode, _ context: TransitionContext) {
        guard let reason = context.reason else {
            failInvariant("An attempt has ended without its operation, and without a reason.")
        }
        var attempt = AttemptRecord(
            attempt: node.attempt,
            // An attempt whose worker has begun another session without it has no worker any more.
            worker: (node.worker ?? context.worker).map { workers[$0].introduction.name },
            startedAt: node.state == .executing ? node.startedAt : nil,
            endedAt: context.end?.moment ?? now,
            reason: reason
        )
        attempt.wasStopped = context.wasStopped
        if let limits = graph.grownLimits(of: node) { attempt.limits = limits }
        attempt.token = node.token
        (attempt.exitStatus, attempt.signal) = (context.exitStatus, context.signal)
        emit(.commit(.attempt(graph.id(of: node), attempt)))
    }

    /// Records what the attempt printed, left and used, if anything.
    @inline(never)
    mutating func commitOutput(of id: OperationID, attempt: UInt32, _ context: TransitionContext) {
        if let result = context.result { commitOutput(of: id, attempt: attempt, result) }
    }

    /// Records what an attempt printed, left and used, if anything.
    mutating func commitOutput(of id: OperationID, attempt: UInt32, _ result: AttemptResult) {
        guard result.hasOutput else { return }
        let output = AttemptOutput(
            attempt: attempt,
            standardOutput: result.standardOutput,
            standardError: result.standardError,
            result: result.result,
            usage: result.usage
        )
        emit(.commit(.output(id, output)))
    }
}

extension WorkerState {
    /// Removes an attempt from the counts of unstarted attempts.
    fileprivate mutating func countUnsent(isPrefetched: Bool, isRecalled: Bool) {
        if isPrefetched { prefetchedCount -= 1 }
        if isRecalled { recalledCount -= 1 }
        invariant(prefetchedCount >= 0, "A worker was sent fewer than no attempts ahead.")
        invariant(recalledCount >= 0, "Fewer than no attempts are recalled from a worker.")
    }
}
