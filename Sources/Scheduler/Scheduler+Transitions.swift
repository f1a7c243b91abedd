import BatonOperations

/// The details of a lifecycle event.
struct TransitionContext {
    /// The reason why the operation does not succeed.
    var reason: Reason?
    /// The ending for which the operation is skipped.
    var skippedFor: Ending?
    /// The result of the attempt.
    var result: AttemptResult?
    /// The start of the attempt according to its worker; nil for now.
    var startedAt: Timestamp?
    /// The end of the attempt; nil for now.
    var end: End?
    /// The earliest time at which the next attempt may start.
    var retryAt: Timestamp?
    /// The chosen worker.
    var worker: Int32 = -1
    /// Whether the worker has no slot for the attempt yet.
    var isAhead = false
    /// Whether the attempt is sent beyond the worker's limit of attempts ahead.
    var isOvertaking = false
    /// The expected duration in microseconds, if the operation is known to be short.
    var expectedTime: Int64?
    /// The attempt's position in the order of starts at the worker.
    var turn: UInt64 = 0
    /// The token of the attempt, if the worker already has a token.
    var token: AttemptToken?
    /// Whether watchers were told of the change in an earlier life of the coordinator.
    var wasTold = false
    /// Whether the end follows at once: the record of the end then covers the start.
    var endFollows = false

    /// The end of an attempt.
    struct End {
        /// The time of the end.
        var moment: Timestamp
        /// The time that watchers are told: not before the start that they were told, because the start was corrected since.
        var told: Timestamp
    }
}

/// A node that has become impossible to run because of a condition.
struct Skip {
    /// The node, which may have finished by other means.
    var node: Slab<OperationNode>.Reference
    /// The reason for the skip.
    var reason: Reason
    /// The root cause, or that the node is not needed (DE24).
    var ending: Ending
    /// Whether the node still counts the condition as unmet.
    var isCounted = false
}

/// Carrying out the actions of ``Lifecycle``.
extension Scheduler {
    /// Advances an operation, or a block, by one lifecycle event.
    mutating func advance(
        _ place: Int32,
        on event: Lifecycle.Event,
        _ circumstances: TransitionContext = TransitionContext()
    ) {
        let node = nodes[place]
        let action = Lifecycle.action(
            at: node.stage,
            isCancelled: node.isCancelled,
            isSuspended: queues[Int(node.queue)].settings.isSuspended,
            on: event
        )
        switch action {
        case .ignore:
            break
        case .makeReady:
            nodes[place].readyAt = now
            move(place, to: .ready)
            if !circumstances.wasTold { noteState(of: place) }
            putInLine(place)
        case .makePending:
            move(place, to: .pending)
            if node.hasTurn { noteStaleEntry(of: node) }
            noteState(of: place)
        case .send:
            send(place, circumstances)
        case .takeBack:
            takeBack(place)
        case .start:
            start(place, circumstances)
        case .undoStart:
            nodes[place].attempt -= 1
            nodes[place].startedAt = nil
            leaveWorker(place)
            move(place, to: .ready)
            keepRecord(of: place)
            noteState(of: place)
            giveTurnBack(to: nodes[place].queue)
            putInLine(place)
        case .awaitRetry:
            nodes[place].failures += 1
            leaveWorker(place)
            move(place, to: .pending)
            postpone(place, until: circumstances.retryAt ?? now)
            keepRecord(of: place, circumstances)
            noteState(of: place)
        case .returnToReady:
            leaveWorker(place)
            nodes[place].readyAt = now
            move(place, to: .ready)
            keepRecord(of: place, circumstances)
            if node.state != .ready { noteState(of: place) }
            putInLine(place)
        case .flag:
            nodes[place].isCancelled = true
            queues[Int(node.queue)].flagged.append(nodes.reference(to: place))
            keepRecord(of: place, circumstances)
            noteChange(of: place, .cancelled)
        case .askWorkerToEnd:
            nodes[place].isCancelled = true
            keepRecord(of: place, circumstances)
            noteChange(of: place, .cancelled)
            askWorkerToEnd(place)
        case .finish(let outcome):
            if outcome == .cancelled, !node.isCancelled {
                nodes[place].isCancelled = true
                noteChange(of: place, .cancelled)
            }
            finish(place, outcome, circumstances)
        }
    }

    /// Moves a node to another unfinished state.
    private mutating func move(_ place: Int32, to state: OperationState) {
        let node = nodes[place]
        guard node.state != state else { return }
        count(node, in: node.state, by: -Int(node.count))
        nodes[place].state = state
        count(node, in: state, by: Int(node.count))
        serveQueue(node.queue)
    }

    /// Records a change of a node for clients that watch.
    ///
    /// - Parameter moment: the time of the change; now unless given.
    mutating func noteChange(
        of place: Int32,
        _ change: ClusterEvent.OperationChange,
        at moment: Timestamp? = nil
    ) {
        let node = nodes[place]
        note(.operations(id(of: node), count: node.count, change), at: moment)
    }

    private mutating func noteState(of place: Int32, at moment: Timestamp? = nil) {
        let node = nodes[place]
        let worker = node.worker >= 0 ? workers[node.worker].introduction.name : nil
        noteChange(of: place, .state(node.state, outcome: nil, attempt: node.attempt, worker: worker), at: moment)
    }

    // MARK: - Workers

    private mutating func send(_ place: Int32, _ circumstances: TransitionContext) {
        if let held = circumstances.token {
            nodes[place].token = held.inRecord
        } else {
            nodes[place].token = RecordToken(epoch: epoch, serial: nextSerial)
            nextSerial += 1
        }
        // The time of dispatch is unknown if the worker has the attempt from an earlier coordinator.
        let wait = now.rawValue - (nodes[place].readyAt ?? now).rawValue
        nodes[place].sentAfter = circumstances.token == nil ? UInt32(clamping: wait) : 0
        nodes[place].isAhead = circumstances.isAhead
        nodes[place].isLong = circumstances.expectedTime == nil
        // An attempt that its worker already holds is not withheld.
        nodes[place].isWithheld = circumstances.token == nil && mustBeKept(place)
        linkSent(place)
        bind(place, to: circumstances.worker, circumstances)
        emit(.keep(.operation(record(at: place))))
    }

    private mutating func start(_ place: Int32, _ circumstances: TransitionContext) {
        let node = nodes[place]
        guard let token = token(of: node) else { return }
        unlinkSent(place)
        let worker = nodes[place].worker
        if worker >= 0 {
            let (isAhead, isRecalled, moment) = (nodes[place].isAhead, nodes[place].isRecalled, now)
            var turn: UInt64 = 0
            changeWorker(worker) { worker in
                turn = worker.sent.start(token)
                worker.countUnsent(isAhead: isAhead, isRecalled: isRecalled)
                worker.lastActive = moment
            }
            startedTurn = max(startedTurn, turn)
        }
        nodes[place].isAhead = false
        nodes[place].isWithheld = false
        nodes[place].isRecalled = false
        nodes[place].repeatsNumber = false
        nodes[place].attempt += 1
        let start = max(nodes[place].sentAt, min(now, circumstances.startedAt ?? now))
        nodes[place].startedAt = start
        move(place, to: .executing)
        if !circumstances.endFollows { keepRecord(of: place) }
        noteState(of: place, at: start)
        resolve(token)
    }

    /// Returns a dispatched, unstarted node to the ready queue.
    private mutating func takeBack(_ place: Int32) {
        leaveWorker(place)
        // Another worker may have been sent the operation since, without a trace in the record.
        if nodes[place].attempt == 0, jobs[nodes[place].job].mayMissAttempts { nodes[place].attempt = 1 }
        emit(.keep(.operation(record(at: place))))
        giveTurnBack(to: nodes[place].queue)
        putInLine(place)
        if nodes[place].isCancelled { queues[Int(nodes[place].queue)].flagged.append(nodes.reference(to: place)) }
    }

    /// Assigns a node's attempt to a worker.
    ///
    /// - Parameter circumstances: the details of the dispatch; unknown after the worker begins a new session.
    mutating func bind(_ place: Int32, to worker: Int32, _ circumstances: TransitionContext = TransitionContext()) {
        let node = nodes[place]
        guard let token = token(of: node) else { return }
        nodes[place].worker = worker
        changeWorker(worker) { worker in
            worker.attempts[token] = place
            if node.isLong { worker.longCount += 1 }
            guard node.stage == .sent else { return }
            worker.sent.insert(
                token,
                turn: circumstances.turn,
                isOvertaking: circumstances.isOvertaking,
                expectedTime: circumstances.expectedTime ?? 0
            )
            worker.beginTrial(token)
            if node.isAhead { worker.aheadCount += 1 }
            if node.isRecalled { worker.recalledCount += 1 }
        }
    }

    /// Removes a node's attempt from its worker.
    private mutating func leaveWorker(_ place: Int32) {
        let node = nodes[place]
        guard let token = token(of: node) else { return }
        if node.stage == .sent { unlinkSent(place) }
        if node.worker >= 0 {
            changeWorker(node.worker) { worker in
                worker.attempts[token] = nil
                worker.endTrial(token)
                if node.isLong { worker.longCount -= 1 }
                if node.stage == .sent {
                    worker.sent.remove(token)
                    worker.countUnsent(isAhead: node.isAhead, isRecalled: node.isRecalled)
                }
            }
        }
        nodes[place].worker = -1
        nodes[place].token = nil
        nodes[place].isAhead = false
        nodes[place].isLong = false
        nodes[place].isWithheld = false
        nodes[place].isRecalled = false
        forgetProgress(of: place)
        serveQueue(node.queue)
        resolve(token)
    }

    /// Adds a node to the sent nodes of its queue and level.
    mutating func linkSent(_ place: Int32) {
        let (queue, level) = (Int(nodes[place].queue), nodes[place].priority.step)
        let last = queues[queue].sent[level]
        nodes[place].previousSent = last
        nodes[place].nextSent = -1
        if last >= 0 { nodes[last].nextSent = place }
        queues[queue].sent[level] = place
        queues[queue].sentCount += 1
        if nodes[place].isAhead { queues[queue].aheadCounts[level] += 1 }
    }

    private mutating func unlinkSent(_ place: Int32) {
        let node = nodes[place]
        let queue = Int(node.queue)
        if node.previousSent >= 0 { nodes[node.previousSent].nextSent = node.nextSent }
        if node.nextSent >= 0 {
            nodes[node.nextSent].previousSent = node.previousSent
        } else {
            queues[queue].sent[node.priority.step] = node.previousSent
        }
        nodes[place].nextSent = -1
        nodes[place].previousSent = -1
        queues[queue].sentCount -= 1
        if node.isAhead { queues[queue].aheadCounts[node.priority.step] -= 1 }
    }

    // MARK: - The record

    mutating func keepRecord(of place: Int32, _ circumstances: TransitionContext = TransitionContext()) {
        var record = record(at: place)
        record.reason = circumstances.reason
        if let result = circumstances.result {
            record.setEnd(result.end)
            keepOutput(of: record, result)
        }
        emit(.keep(.operation(record)))
    }

    private mutating func keepOutput(of record: OperationRecord, _ result: AttemptResult) {
        let output = AttemptOutput(
            attempt: record.attempt,
            standardOutput: result.standardOutput,
            standardError: result.standardError,
            result: result.result
        )
        guard output.standardOutput.totalLength + output.standardError.totalLength > 0 || output.result != nil else {
            return
        }
        emit(.keep(.output(record.id, output)))
    }

    // MARK: - The end

    private mutating func finish(_ place: Int32, _ outcome: Outcome, _ circumstances: TransitionContext) {
        var record = record(at: place)
        record.state = .finished
        record.outcome = outcome
        record.finishedAt = circumstances.end?.moment ?? now
        record.notBefore = nil
        record.isHeld = false
        if outcome == .skipped { record.skippedFor = circumstances.skippedFor ?? .notNeeded }
        record.reason = outcome == .succeeded ? nil : circumstances.reason ?? Self.defaultReason(outcome)
        if let result = circumstances.result {
            record.setEnd(result.end)
            record.hasResult = result.result != nil
            keepOutput(of: record, result)
        }
        emit(.keep(.operation(record)))
        let change = ClusterEvent.OperationChange.state(
            .finished,
            outcome: outcome,
            attempt: record.attempt,
            worker: record.worker
        )
        noteChange(of: place, change, at: circumstances.end?.told)

        let hadTurn = nodes[place].hasTurn
        leaveWorker(place)
        let node = nodes[place]
        count(node, in: node.state, by: -Int(node.count))
        let settled = record.settled ?? SettledDependency(.succeeded)
        jobs[node.job].counts.add(Int(node.count), ended: outcome, settled.ending)
        totals.add(Int(node.count), ended: outcome, settled.ending)
        queues[Int(node.queue)].ended.add(Int(node.count), ended: outcome, settled.ending)
        if node.state == .executing { countCompletion(of: node) }
        addHooks(of: node, record)
        unregister(place)
        if !failureConditions.isEmpty { failureConditions[place] = nil }
        nodes.remove(at: place)
        if hadTurn { noteStaleEntry(of: node) }
        if node.notBefore != nil { noteStaleTimer() }
        if reconciliation.isOpen { dismissClaim(on: record.id) }
        leaveSegment(node)
        serveQueue(node.queue)
        tellDependents(of: node, settled)
    }

    /// The reason for an outcome that needs no further explanation.
    private static func defaultReason(_ outcome: Outcome) -> Reason? {
        outcome == .cancelled ? Reason(.cancelled, "Its cancellation was asked for.") : nil
    }

    /// Notifies the dependents of a finished operation, of its array and of its job.
    private mutating func tellDependents(of node: OperationNode, _ settled: SettledDependency) {
        if isAnyRequestWaiting {
            let first = id(of: node)
            tellHeldRequests(of: settled) { address in
                guard case .operation(let id) = address, id.job == first.job else { return false }
                return (first.index..<first.index + node.count).contains(id.index)
            }
        }
        settle(node.dependents, with: settled, subject: .operation(node, settled.ending))
        let entry = Int(node.entry)
        let array = Int(jobs[node.job].entries[entry].array)
        if array >= 0 {
            var join = jobs[node.job].arrays[array].join
            count(node, settled, into: &join, whole: { .array(entry: entry, job: node.job, $0.ending) })
            jobs[node.job].arrays[array].join = join
        }
        var join = jobs[node.job].join
        count(node, settled, into: &join, whole: { .job(node.job, $0.ending) })
        jobs[node.job].join = join
        if join.unfinished == 0 { finishedJobs.append(node.job) }
    }

    /// Counts finished operations of an array or a job, and notifies the dependents of the whole.
    private mutating func count(
        _ node: OperationNode,
        _ settled: SettledDependency,
        into join: inout Join,
        whole: (SettledDependency) -> Subject
    ) {
        let couldSucceed = !join.isRuledOut
        join.count(Int(node.count), settled)
        if couldSucceed && join.isRuledOut {
            // A dependent that needs all operations to succeed need not wait for the rest (DE9).
            let subject = Subject.operation(node, settled.ending)
            for edge in edges.list(from: join.dependents) where edge.condition == .success {
                skips.append(skip(edge.dependent, edge.condition, subject, settled.ending))
            }
        }
        if join.unfinished == 0 {
            settle(join.dependents, with: join.settled, subject: whole(join.settled))
            join.dependents = -1
        }
    }

    /// Notifies all dependents of a finished target.
    private mutating func settle(_ head: Int32, with outcome: SettledDependency, subject: Subject) {
        var head = head
        while let edge = edges.removeFirst(from: &head) {
            guard let dependent = nodes.resolve(edge.dependent) else { continue }
            if outcome.hasResult { nodes[dependent].hasInputs = true }
            let impossible: Ending? =
                switch edge.condition {
                case .any: nil
                case .success: outcome.ending == .succeeded ? nil : outcome.ending
                case .failure:
                    outcome.ending.isFailure
                        ? nil : ruleOutFailure(of: failureTarget(of: subject), outcome.ending, for: dependent)
                }
            if let impossible {
                skips.append(skip(edge.dependent, edge.condition, subject, impossible, isCounted: true))
            } else {
                nodes[dependent].waiting -= 1
                if nodes[dependent].waiting == 0 { advance(dependent, on: .conditionsMet) }
            }
        }
    }

    private func skip(
        _ node: Slab<OperationNode>.Reference,
        _ condition: DependencyCondition,
        _ subject: Subject,
        _ ending: Ending,
        isCounted: Bool = false
    ) -> Skip {
        Skip(node: node, reason: unmet(condition, fate(of: subject), ending), ending: ending, isCounted: isCounted)
    }

    private func failureTarget(of subject: Subject) -> FailureConditions.Target {
        switch subject {
        case .operation(let node, _): .operation(id(of: node))
        case .array(let entry, let job, _): failureTarget(of: .entry(entry), job: job)
        case .job(let job, _): .job(jobs[job].number)
        }
    }

    /// Finishes nodes that became impossible to run, and their dependents, in a loop for chains of any length (DE19).
    mutating func finishSkipped() {
        var next = 0
        while next < skips.count {
            let skip = skips[next]
            next += 1
            guard let place = nodes.resolve(skip.node) else { continue }
            advance(place, on: .conditionImpossible, TransitionContext(reason: skip.reason, skippedFor: skip.ending))
            // An operation cancelled in a suspended queue stays, and ignores its conditions.
            guard skip.isCounted, nodes.resolve(skip.node) != nil else { continue }
            nodes[place].waiting -= 1
            if nodes[place].waiting == 0 { advance(place, on: .conditionsMet) }
        }
        skips.removeAll(keepingCapacity: true)
    }

    /// Removes the jobs whose last operation finished during the event.
    mutating func closeFinishedJobs() {
        for place in finishedJobs {
            let root = jobs[place].join.settled.ending.root
            emit(.keep(.jobFinished(jobs[place].number, jobs[place].counts, now, root: root)))
            note(.jobFinished(jobs[place].number, jobs[place].counts))
            if isAnyRequestWaiting {
                let number = jobs[place].number
                tellHeldRequests(of: jobs[place].join.settled) { $0 == .job(number) }
                for array in jobs[place].arrays where !jobs[place].names[array.entry].isEmpty {
                    let name = jobs[place].names[array.entry]
                    tellHeldRequests(of: array.join.settled) { $0 == .named(number, name) }
                }
            }
            if let key = jobs[place].key { keys[key] = nil }
            jobPlaces[jobs[place].number] = nil
            jobs.remove(at: place)
        }
        finishedJobs.removeAll(keepingCapacity: true)
    }
}

extension WorkerState {
    /// Removes an attempt from the counts of unstarted attempts.
    fileprivate mutating func countUnsent(isAhead: Bool, isRecalled: Bool) {
        if isAhead { aheadCount -= 1 }
        if isRecalled { recalledCount -= 1 }
    }
}

extension OperationRecord {
    fileprivate mutating func setEnd(_ end: AttemptEnd) {
        switch end {
        case .exited(let status): exitStatus = status
        case .signalled(let number): signal = number
        case .cancelled(let status, let number): (exitStatus, signal) = (status, number)
        case .timedOut, .notStarted, .unusableResult, .threw, .workerFault, .interrupted: break
        }
    }
}
