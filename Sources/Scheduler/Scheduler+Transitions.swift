import BatonOperations

/// What comes with an event of an operation's life.
struct TransitionContext {
    /// Why it does not succeed.
    var reason: Reason?
    /// What it is skipped for.
    var skippedFor: Ending?
    /// What its attempt left behind.
    var result: AttemptResult?
    /// When its attempt started, by what its worker says; nil for now.
    var startedAt: Timestamp?
    /// When its attempt ended; nil for now.
    var end: End?
    /// When its next attempt may start.
    var retryAt: Timestamp?
    /// The worker that was chosen.
    var worker: Int32 = -1
    /// Whether that worker has no slot for it yet.
    var isAhead = false
    /// Whether it is sent although the worker has as many ahead as it may have.
    var isOvertaking = false
    /// How long it takes, in microseconds, where it is known to be short.
    var expectedTime: Int64?
    /// Its place in the order of starts at the worker.
    var turn: UInt64 = 0
    /// The token of the attempt, where the worker already has one.
    var token: AttemptToken?
    /// Whether the change was told to those who watch, in an earlier life of the coordinator.
    var wasTold = false
    /// Whether its end follows at once: the record that is kept of that says all that one of its start would.
    var endFollows = false

    /// The end of an attempt.
    struct End {
        /// When it was.
        var moment: Timestamp
        /// What those are told who watch: not before what they were told of the start, which is known better by now.
        var told: Timestamp
    }
}

/// A node that one of its conditions has made impossible.
struct Skip {
    /// The node; it may have been finished by other means.
    var node: Slab<OperationNode>.Reference
    /// Why it is skipped.
    var reason: Reason
    /// Its root, or that it is not needed (DE24).
    var ending: Ending
    /// Whether it still counts the condition among those that it waits for.
    var isCounted = false
}

/// Carrying out what ``Lifecycle`` decides.
extension Scheduler {
    /// Takes an operation, or a block, one step along its life.
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

    /// Keeps that a change of a node can be watched.
    ///
    /// - Parameter moment: when it happened; now unless given.
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
        // Nobody knows when one was sent that its worker has from an earlier coordinator.
        let wait = now.rawValue - (nodes[place].readyAt ?? now).rawValue
        nodes[place].sentAfter = circumstances.token == nil ? UInt32(clamping: wait) : 0
        nodes[place].isAhead = circumstances.isAhead
        nodes[place].isLong = circumstances.expectedTime == nil
        // One that its worker already has is withheld no more.
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
    ///
    /// - Parameter circumstances: those in which it was sent; in a new session they are not known any more.
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

    /// Takes a node's attempt away from whoever holds it.
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

    /// What is said of an operation that ended in a way that needs no more words.
    private static func defaultReason(_ outcome: Outcome) -> Reason? {
        outcome == .cancelled ? Reason(.cancelled, "Its cancellation was asked for.") : nil
    }

    /// Tells those that depend on a finished operation, on its array or on its job.
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

    /// Counts finished operations of an array or a job, and tells those that depend on the whole.
    private mutating func count(
        _ node: OperationNode,
        _ settled: SettledDependency,
        into join: inout Join,
        whole: (SettledDependency) -> Subject
    ) {
        let couldSucceed = !join.isRuledOut
        join.count(Int(node.count), settled)
        if couldSucceed && join.isRuledOut {
            // What needs all of them to succeed need not wait for the rest (DE9).
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

    /// Tells all dependents of something finished.
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

    /// Finishes what has become impossible, and what becomes impossible by that: a loop, however long the chain (DE19).
    mutating func finishSkipped() {
        var next = 0
        while next < skips.count {
            let skip = skips[next]
            next += 1
            guard let place = nodes.resolve(skip.node) else { continue }
            advance(place, on: .conditionImpossible, TransitionContext(reason: skip.reason, skippedFor: skip.ending))
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
    /// Counts one less among those that it was sent and has not started.
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
