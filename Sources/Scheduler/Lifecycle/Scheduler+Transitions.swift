import BatonInvariants
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
    /// The chosen worker; nil for an event that involves no choice.
    var worker: WorkerIndex?
    /// Whether the worker has no slot for the attempt yet.
    var isPrefetched = false
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
    var node: SlabReference<OperationNode>
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
        _ place: NodeIndex,
        on event: Lifecycle.Event,
        _ circumstances: TransitionContext = TransitionContext()
    ) {
        let node = graph[place]
        let action = Lifecycle.action(
            at: node.stage,
            isCancelled: node.isCancelled,
            isSuspended: queues[node.queue].settings.isSuspended,
            on: event
        )
        switch action {
        case .ignore:
            break
        case .makeReady:
            graph[place].readyAt = now
            move(place, to: .ready)
            if !circumstances.wasTold { noteState(of: place) }
            enqueue(place)
        case .makePending:
            move(place, to: .pending)
            if node.hasTurn { noteStaleEntry(of: node) }
            noteState(of: place)
        case .send:
            send(place, circumstances)
        case .returnUnstarted:
            returnToReadyQueue(place)
        case .start:
            start(place, circumstances)
        case .undoStart:
            graph[place].attempt -= 1
            graph[place].startedAt = nil
            leaveWorker(place)
            move(place, to: .ready)
            keepRecord(of: place)
            noteState(of: place)
            queues.refund(graph[place].queue)
            enqueue(place)
        case .awaitRetry:
            graph[place].failures += 1
            leaveWorker(place)
            move(place, to: .pending)
            postpone(place, until: circumstances.retryAt ?? now)
            keepRecord(of: place, circumstances)
            noteState(of: place)
        case .returnToReady:
            leaveWorker(place)
            graph[place].readyAt = now
            move(place, to: .ready)
            keepRecord(of: place, circumstances)
            if node.state != .ready { noteState(of: place) }
            enqueue(place)
        case .flag:
            graph[place].isCancelled = true
            queues[node.queue].flagged.append(graph.reference(to: place))
            keepRecord(of: place, circumstances)
            noteChange(of: place, .cancelled)
        case .askWorkerToEnd:
            graph[place].isCancelled = true
            keepRecord(of: place, circumstances)
            noteChange(of: place, .cancelled)
            askWorkerToEnd(place)
        case .finish(let outcome):
            if outcome == .cancelled, !node.isCancelled {
                graph[place].isCancelled = true
                noteChange(of: place, .cancelled)
            }
            finish(place, outcome, circumstances)
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
        _ change: ClusterEvent.OperationChange,
        at moment: Timestamp? = nil
    ) {
        let node = graph[place]
        note(.operations(graph.id(of: node), count: node.count, change), at: moment)
    }

    private mutating func noteState(of place: NodeIndex, at moment: Timestamp? = nil) {
        let node = graph[place]
        let worker = node.worker.map { workers[$0].introduction.name }
        noteChange(of: place, .state(node.state, outcome: nil, attempt: node.attempt, worker: worker), at: moment)
    }

    // MARK: - Workers

    private mutating func send(_ place: NodeIndex, _ circumstances: TransitionContext) {
        if let held = circumstances.token {
            graph[place].token = held.inRecord
        } else {
            graph[place].token = tokens.make()
        }
        // The time of dispatch is unknown if the worker has the attempt from an earlier coordinator.
        let wait = now.rawValue - (graph[place].readyAt ?? now).rawValue
        graph[place].sentAfter = circumstances.token == nil ? UInt32(clamping: wait) : 0
        graph[place].isPrefetched = circumstances.isPrefetched
        graph[place].isLong = circumstances.expectedTime == nil
        // An attempt that its worker already holds is not withheld.
        graph[place].isWithheld = circumstances.token == nil && mustBeKept(place)
        linkSent(place)
        if let worker = circumstances.worker { bind(place, to: worker, circumstances) }
        emit(.keep(.operation(record(at: place))))
    }

    private mutating func start(_ place: NodeIndex, _ circumstances: TransitionContext) {
        let node = graph[place]
        guard let token = token(of: node) else { failInvariant("An operation without a token has started.") }
        unlinkSent(place)
        if let worker = graph[place].worker {
            let (isPrefetched, isRecalled, moment) = (graph[place].isPrefetched, graph[place].isRecalled, now)
            var turn: UInt64 = 0
            workers.change(worker) { worker in
                turn = worker.sent.start(token)
                worker.countUnsent(isPrefetched: isPrefetched, isRecalled: isRecalled)
                worker.lastActive = moment
            }
            queues.noteStart(ofTurn: turn)
        }
        graph[place].isPrefetched = false
        graph[place].isWithheld = false
        graph[place].isRecalled = false
        graph[place].repeatsNumber = false
        graph[place].attempt += 1
        let start = max(graph[place].sentAt, min(now, circumstances.startedAt ?? now))
        graph[place].startedAt = start
        move(place, to: .executing)
        if !circumstances.endFollows { keepRecord(of: place) }
        noteState(of: place, at: start)
        resolve(token)
    }

    /// Returns a dispatched, unstarted node to the ready queue.
    private mutating func returnToReadyQueue(_ place: NodeIndex) {
        leaveWorker(place)
        // Another worker may have been sent the operation since, without a trace in the record.
        if graph[place].attempt == 0, graph[graph[place].job].mayMissAttempts { graph[place].attempt = 1 }
        emit(.keep(.operation(record(at: place))))
        queues.refund(graph[place].queue)
        enqueue(place)
        if graph[place].isCancelled { queues[graph[place].queue].flagged.append(graph.reference(to: place)) }
    }

    /// Assigns a node's attempt to a worker.
    ///
    /// - Parameter circumstances: the details of the dispatch; unknown after the worker begins a new session.
    mutating func bind(
        _ place: NodeIndex,
        to worker: WorkerIndex,
        _ circumstances: TransitionContext = TransitionContext()
    ) {
        let node = graph[place]
        guard let token = token(of: node) else { failInvariant("A worker is given an operation without a token.") }
        graph[place].worker = worker
        workers.change(worker) { worker in
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
            if node.isPrefetched { worker.prefetchedCount += 1 }
            if node.isRecalled { worker.recalledCount += 1 }
        }
    }

    /// Removes a node's attempt from its worker.
    private mutating func leaveWorker(_ place: NodeIndex) {
        let node = graph[place]
        guard let token = token(of: node) else { return }
        if node.stage == .sent { unlinkSent(place) }
        if let worker = node.worker {
            workers.change(worker) { worker in
                worker.attempts[token] = nil
                worker.endTrial(token)
                if node.isLong { worker.longCount -= 1 }
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
        queues.serve(node.queue)
        resolve(token)
    }

    /// Adds a node to the sent nodes of its queue and priority.
    mutating func linkSent(_ place: NodeIndex) {
        let (queue, step) = (graph[place].queue, graph[place].priority.step)
        let last = queues[queue].sent[step]
        graph[place].previousSent = last
        graph[place].nextSent = nil
        if let last { graph[last].nextSent = place }
        queues[queue].sent[step] = place
        queues[queue].sentCount += 1
        if graph[place].isPrefetched { queues[queue].prefetchedCounts[step] += 1 }
    }

    private mutating func unlinkSent(_ place: NodeIndex) {
        let node = graph[place]
        if let previous = node.previousSent { graph[previous].nextSent = node.nextSent }
        if let next = node.nextSent {
            graph[next].previousSent = node.previousSent
        } else {
            queues[node.queue].sent[node.priority.step] = node.previousSent
        }
        graph[place].nextSent = nil
        graph[place].previousSent = nil
        queues[node.queue].sentCount -= 1
        invariant(queues[node.queue].sentCount >= 0, "A queue counts fewer than no dispatched operations.")
        if node.isPrefetched { queues[node.queue].prefetchedCounts[node.priority.step] -= 1 }
    }

    // MARK: - The record

    mutating func keepRecord(of place: NodeIndex, _ circumstances: TransitionContext = TransitionContext()) {
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

    private mutating func finish(_ place: NodeIndex, _ outcome: Outcome, _ circumstances: TransitionContext) {
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

        let hadTurn = graph[place].hasTurn
        leaveWorker(place)
        let node = graph[place]
        count(node, in: node.state, by: -Int(node.count))
        let settled = record.settled ?? SettledDependency(.succeeded)
        graph[node.job].counts.add(Int(node.count), ended: outcome, settled.ending)
        graph.totals.add(Int(node.count), ended: outcome, settled.ending)
        queues[node.queue].ended.add(Int(node.count), ended: outcome, settled.ending)
        if node.state == .executing { countCompletion(of: node) }
        addHooks(of: node, record)
        graph.remove(place)
        if hadTurn { noteStaleEntry(of: node) }
        if node.notBefore != nil { noteStaleTimers() }
        if reconciliation.isOpen { dismissClaim(on: record.id) }
        leaveSegment(node)
        queues.serve(node.queue)
        notifyDependents(of: node, settled)
    }

    /// The reason for an outcome that needs no further explanation.
    private static func defaultReason(_ outcome: Outcome) -> Reason? {
        outcome == .cancelled ? Reason(.cancelled, "Its cancellation was asked for.") : nil
    }

    /// Notifies the dependents of a finished operation, of its array and of its job.
    private mutating func notifyDependents(of node: OperationNode, _ settled: SettledDependency) {
        if isAnyRequestWaiting {
            let first = graph.id(of: node)
            informDeferredRequests(of: settled) { address in
                guard case .operation(let id) = address, id.job == first.job else { return false }
                return (first.index..<first.index + node.count).contains(id.index)
            }
        }
        notifyDependents(node.dependents, of: settled, subject: .operation(node, settled.ending))
        let entry = Int(node.entry)
        if let array = graph[node.job].entries[entry].array {
            var join = graph[node.job].arrays[array.offset].join
            count(node, settled, into: &join, whole: { .array(entry: entry, job: node.job, $0.ending) })
            graph[node.job].arrays[array.offset].join = join
        }
        var join = graph[node.job].join
        count(node, settled, into: &join, whole: { .job(node.job, $0.ending) })
        graph[node.job].join = join
        if join.unfinished == 0 { finishedJobs.append(node.job) }
    }

    /// Counts finished operations of an array or a job, and notifies the dependents of the whole.
    private mutating func count(
        _ node: OperationNode,
        _ settled: SettledDependency,
        into join: inout Join,
        whole: (SettledDependency) -> Graph.Subject
    ) {
        let couldSucceed = !join.isRuledOut
        join.count(Int(node.count), settled)
        if couldSucceed && join.isRuledOut {
            // A dependent that needs all operations to succeed need not wait for the rest (DE9).
            let subject = Graph.Subject.operation(node, settled.ending)
            for edge in graph.edges(from: join.dependents) where edge.condition == .success {
                skips.append(skip(edge.dependent, edge.condition, subject, settled.ending))
            }
        }
        if join.unfinished == 0 {
            notifyDependents(join.dependents, of: join.settled, subject: whole(join.settled))
            join.dependents = nil
        }
    }

    /// Notifies all dependents of a finished target.
    private mutating func notifyDependents(
        _ head: EdgeTable.Index?,
        of outcome: SettledDependency,
        subject: Graph.Subject
    ) {
        var head = head
        while let edge = graph.removeFirstEdge(from: &head) {
            guard let dependent = graph.resolve(edge.dependent) else { continue }
            if outcome.hasResult { graph[dependent].hasInputs = true }
            let impossible: Ending? =
                switch edge.condition {
                case .any: nil
                case .success: outcome.ending == .succeeded ? nil : outcome.ending
                case .failure:
                    outcome.ending.isFailure
                        ? nil
                        : graph.ruleOutFailure(of: graph.failureTarget(of: subject), outcome.ending, for: dependent)
                }
            if let impossible {
                skips.append(skip(edge.dependent, edge.condition, subject, impossible, isCounted: true))
            } else {
                graph[dependent].waiting -= 1
                invariant(graph[dependent].waiting >= 0, "An operation waits for fewer than no conditions.")
                if graph[dependent].waiting == 0 { advance(dependent, on: .conditionsMet) }
            }
        }
    }

    private func skip(
        _ node: SlabReference<OperationNode>,
        _ condition: DependencyCondition,
        _ subject: Graph.Subject,
        _ ending: Ending,
        isCounted: Bool = false
    ) -> Skip {
        Skip(
            node: node,
            reason: graph.unmet(condition, graph.fate(of: subject), ending),
            ending: ending,
            isCounted: isCounted
        )
    }

    /// Finishes nodes that became impossible to run, and their dependents, in a loop for chains of any length (DE19).
    mutating func finishSkipped() {
        var next = 0
        while next < skips.count {
            let skip = skips[next]
            next += 1
            guard let place = graph.resolve(skip.node) else { continue }
            advance(place, on: .conditionImpossible, TransitionContext(reason: skip.reason, skippedFor: skip.ending))
            // An operation cancelled in a suspended queue stays, and ignores its conditions.
            guard skip.isCounted, graph.resolve(skip.node) != nil else { continue }
            graph[place].waiting -= 1
            if graph[place].waiting == 0 { advance(place, on: .conditionsMet) }
        }
        skips.removeAll(keepingCapacity: true)
    }

    /// Removes the jobs whose last operation finished during the event.
    mutating func closeFinishedJobs() {
        for place in finishedJobs {
            let root = graph[place].join.settled.ending.root
            emit(.keep(.jobFinished(graph[place].number, graph[place].counts, now, root: root)))
            note(.jobFinished(graph[place].number, graph[place].counts))
            if isAnyRequestWaiting {
                let number = graph[place].number
                informDeferredRequests(of: graph[place].join.settled) { $0 == .job(number) }
                for array in graph[place].arrays where !graph[place].names[array.entry].isEmpty {
                    let name = graph[place].names[array.entry]
                    informDeferredRequests(of: array.join.settled) { $0 == .named(number, name) }
                }
            }
            graph.remove(place)
        }
        finishedJobs.removeAll(keepingCapacity: true)
    }
}

extension WorkerState {
    /// Removes an attempt from the counts of unstarted attempts.
    fileprivate mutating func countUnsent(isPrefetched: Bool, isRecalled: Bool) {
        if isPrefetched { prefetchedCount -= 1 }
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
