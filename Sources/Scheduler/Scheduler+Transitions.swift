import Operations

/// What comes with an event of an operation's life.
struct Circumstances {
    /// Why it does not succeed.
    var reason: Reason?
    /// What its attempt left behind.
    var result: AttemptResult?
    /// When its next attempt may start.
    var retryAt: Timestamp?
    /// The worker that was chosen.
    var worker: Int32 = -1
    /// Whether that worker has no slot for it yet.
    var isAhead = false
    /// The token of the attempt, where the worker already has one.
    var token: AttemptToken?
    /// Whether the change was told to those who watch, in an earlier life of the coordinator.
    var wasTold = false
    /// Whether its end follows at once: the record that is kept of that says all that one of its start would.
    var endFollows = false
}

/// A node that one of its conditions has made impossible.
struct Skip {
    /// The node; it may have been finished by other means.
    var node: Slab<OperationNode>.Reference
    /// Why it is skipped.
    var reason: Reason
    /// Whether it still counts the condition among those that it waits for.
    var isCounted = false
}

/// Carrying out what ``Lifecycle`` decides.
extension Scheduler {
    /// Takes an operation, or a block, one step along its life.
    mutating func advance(_ place: Int32, on event: Lifecycle.Event, _ circumstances: Circumstances = Circumstances()) {
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
            if event == .cancellationRequested {
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

    /// Keeps that a change of a node can be watched.
    mutating func noteChange(of place: Int32, _ change: ClusterEvent.OperationChange) {
        let node = nodes[place]
        note(.operations(id(of: node), count: node.count, change))
    }

    private mutating func noteState(of place: Int32) {
        let node = nodes[place]
        let worker = node.worker >= 0 ? workers[node.worker].introduction.name : nil
        noteChange(of: place, .state(node.state, outcome: nil, attempt: node.attempt, worker: worker))
    }

    // MARK: - Workers

    private mutating func send(_ place: Int32, _ circumstances: Circumstances) {
        if let held = circumstances.token {
            nodes[place].token = held
        } else {
            nodes[place].token = AttemptToken(epoch: epoch, serial: nextSerial)
            nextSerial += 1
        }
        nodes[place].isAhead = circumstances.isAhead
        // One that its worker already has is withheld no more.
        nodes[place].isWithheld = circumstances.token == nil && mustBeKept(place)
        linkSent(place)
        bind(place, to: circumstances.worker)
        emit(.keep(.operation(record(at: place))))
    }

    private mutating func start(_ place: Int32, _ circumstances: Circumstances) {
        guard let token = nodes[place].token else { return }
        unlinkSent(place)
        let worker = nodes[place].worker
        if worker >= 0 {
            let (isAhead, isRecalled, moment) = (nodes[place].isAhead, nodes[place].isRecalled, now)
            changeWorker(worker) { worker in
                worker.forgetSent(token, isAhead: isAhead, isRecalled: isRecalled)
                worker.lastActive = moment
            }
        }
        nodes[place].isAhead = false
        nodes[place].isWithheld = false
        nodes[place].isRecalled = false
        nodes[place].attempt += 1
        nodes[place].startedAt = now
        move(place, to: .executing)
        if !circumstances.endFollows { keepRecord(of: place) }
        noteState(of: place)
        become(known: token)
    }

    /// Makes a node that its worker has not started one that nobody has.
    private mutating func takeBack(_ place: Int32) {
        leaveWorker(place)
        // Somebody else may have been sent it since, which the record does not have.
        if nodes[place].attempt == 0, jobs[nodes[place].job].mayMissAttempts { nodes[place].attempt = 1 }
        emit(.keep(.operation(record(at: place))))
        giveTurnBack(to: nodes[place].queue)
        putInLine(place)
        if nodes[place].isCancelled { queues[Int(nodes[place].queue)].flagged.append(nodes.reference(to: place)) }
    }

    /// Lets a worker hold a node's attempt.
    mutating func bind(_ place: Int32, to worker: Int32) {
        let node = nodes[place]
        guard let token = node.token else { return }
        nodes[place].worker = worker
        changeWorker(worker) { worker in
            worker.attempts[token] = place
            guard node.stage == .sent else { return }
            worker.sent.append(token)
            if node.isAhead { worker.aheadCount += 1 }
            if node.isRecalled { worker.recalledCount += 1 }
        }
    }

    /// Takes a node's attempt away from whoever holds it.
    private mutating func leaveWorker(_ place: Int32) {
        let node = nodes[place]
        guard let token = node.token else { return }
        if node.stage == .sent { unlinkSent(place) }
        if node.worker >= 0 {
            changeWorker(node.worker) { worker in
                worker.attempts[token] = nil
                if node.stage == .sent {
                    worker.forgetSent(token, isAhead: node.isAhead, isRecalled: node.isRecalled)
                }
            }
        }
        nodes[place].worker = -1
        nodes[place].token = nil
        nodes[place].isAhead = false
        nodes[place].isWithheld = false
        nodes[place].isRecalled = false
        forgetProgress(of: place)
        serveQueue(node.queue)
        become(known: token)
    }

    /// Puts a node among those of its queue and level that were sent.
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

    mutating func keepRecord(of place: Int32, _ circumstances: Circumstances = Circumstances()) {
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

    private mutating func finish(_ place: Int32, _ outcome: Outcome, _ circumstances: Circumstances) {
        var record = record(at: place)
        record.state = .finished
        record.outcome = outcome
        record.finishedAt = now
        record.notBefore = nil
        record.isHeld = false
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
        noteChange(of: place, change)

        let hadTurn = nodes[place].hasTurn
        leaveWorker(place)
        let node = nodes[place]
        count(node, in: node.state, by: -Int(node.count))
        jobs[node.job].counts[outcome] += Int(node.count)
        totals[outcome] += Int(node.count)
        if node.state == .executing { countCompletion(of: node) }
        addHooks(of: node, record)
        unregister(place)
        nodes.remove(at: place)
        if hadTurn { noteStaleEntry(of: node) }
        if node.notBefore != nil { noteStaleTimer() }
        if reconciliation.isOpen { dismissClaim(on: record.id) }
        leaveSegment(node)
        serveQueue(node.queue)
        tellDependents(of: node, outcome, hasResult: record.hasResult)
    }

    /// What is said of an operation that ended in a way that needs no more words.
    private static func defaultReason(_ outcome: Outcome) -> Reason? {
        outcome == .cancelled ? Reason(.cancelled, "Its cancellation was asked for.") : nil
    }

    /// Tells those that depend on a finished operation, on its array or on its job.
    private mutating func tellDependents(of node: OperationNode, _ outcome: Outcome, hasResult: Bool) {
        var alone = Join(unfinished: 1)
        alone.count(1, outcome: outcome, hasResult: hasResult)
        if isAnyRequestWaiting {
            let first = id(of: node)
            tellHeldRequests(of: alone.settled) { address in
                guard case .operation(let id) = address, id.job == first.job else { return false }
                return (first.index..<first.index + node.count).contains(id.index)
            }
        }
        settle(node.dependents, with: alone.settled, subject: .operation(node, outcome))
        let entry = Int(node.entry)
        let array = Int(jobs[node.job].entries[entry].array)
        if array >= 0 {
            var join = jobs[node.job].arrays[array].join
            count(node, outcome, hasResult, into: &join, whole: { .array(entry: entry, job: node.job, $0) })
            jobs[node.job].arrays[array].join = join
        }
        var join = jobs[node.job].join
        count(node, outcome, hasResult, into: &join, whole: { .job(node.job, $0) })
        jobs[node.job].join = join
        if join.unfinished == 0 { finishedJobs.append(node.job) }
    }

    /// Counts finished operations of an array or a job, and tells those that depend on the whole.
    private mutating func count(
        _ node: OperationNode,
        _ outcome: Outcome,
        _ hasResult: Bool,
        into join: inout Join,
        whole: (SettledDependency) -> Subject
    ) {
        let couldSucceed = join.allSucceeded
        join.count(Int(node.count), outcome: outcome, hasResult: hasResult)
        if couldSucceed && !join.allSucceeded {
            // What needs all of them to succeed need not wait for the rest (DE9).
            for edge in edges.list(from: join.dependents) where edge.condition == .success {
                skips.append(Skip(node: edge.dependent, reason: unmet(.success, fate(of: .operation(node, outcome)))))
            }
        }
        if join.unfinished == 0 {
            settle(join.dependents, with: join.settled, subject: whole(join.settled))
            join.dependents = -1
        }
    }

    /// Tells all dependents of something finished.
    private mutating func settle(_ head: Int32, with outcome: SettledDependency, subject: Subject) {
        var head = head
        while let edge = edges.removeFirst(from: &head) {
            guard let dependent = nodes.resolve(edge.dependent) else { continue }
            if outcome.meets(edge.condition) {
                nodes[dependent].waiting -= 1
                if outcome.hasResult { nodes[dependent].hasInputs = true }
                if nodes[dependent].waiting == 0 { advance(dependent, on: .conditionsMet) }
            } else {
                let reason = unmet(edge.condition, fate(of: subject))
                skips.append(Skip(node: edge.dependent, reason: reason, isCounted: true))
            }
        }
    }

    /// Finishes what has become impossible, and what becomes impossible by that: a loop, however long the chain (DE19).
    mutating func finishSkipped() {
        var next = 0
        while next < skips.count {
            let skip = skips[next]
            next += 1
            guard let place = nodes.resolve(skip.node) else { continue }
            advance(place, on: .conditionImpossible, Circumstances(reason: skip.reason))
            // What was cancelled in a suspended queue stays, and does not mind its conditions any more.
            guard skip.isCounted, nodes.resolve(skip.node) != nil else { continue }
            nodes[place].waiting -= 1
            if nodes[place].waiting == 0 { advance(place, on: .conditionsMet) }
        }
        skips.removeAll(keepingCapacity: true)
    }

    /// Lets go of the jobs whose last operation was finished by this event.
    mutating func closeFinishedJobs() {
        for place in finishedJobs {
            emit(.keep(.jobFinished(jobs[place].number, jobs[place].counts, now)))
            note(.jobFinished(jobs[place].number, jobs[place].counts))
            if isAnyRequestWaiting {
                let number = jobs[place].number
                tellHeldRequests(of: jobs[place].join.settled) { $0 == .job(number) }
            }
            if let key = jobs[place].key { keys[key] = nil }
            jobPlaces[jobs[place].number] = nil
            jobs.remove(at: place)
        }
        finishedJobs.removeAll(keepingCapacity: true)
    }
}

extension WorkerState {
    /// Takes an attempt out of those that it was sent and has not started.
    fileprivate mutating func forgetSent(_ token: AttemptToken, isAhead: Bool, isRecalled: Bool) {
        sent.remove(token)
        if isAhead { aheadCount -= 1 }
        if isRecalled { recalledCount -= 1 }
    }
}

extension OperationRecord {
    fileprivate mutating func setEnd(_ end: AttemptEnd) {
        switch end {
        case .exited(let status): exitStatus = status
        case .signalled(let number): signal = number
        case .timedOut, .notStarted, .unusableResult, .threw, .interrupted: break
        }
    }
}
