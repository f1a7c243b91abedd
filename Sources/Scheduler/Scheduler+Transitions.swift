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
    /// The token of the attempt, where the worker already has one.
    var token: AttemptToken?
}

/// Carrying out what ``Lifecycle`` decides.
extension Scheduler {
    /// Takes an operation, or a block, one step along its life.
    mutating func advance(_ place: Int32, on event: Lifecycle.Event, _ circumstances: Circumstances = Circumstances()) {
        let node = nodes[place]
        switch Lifecycle.action(in: node.state, isCancelled: node.isCancelled, on: event) {
        case .ignore:
            break
        case .makeReady:
            nodes[place].readyAt = now
            move(place, to: .ready)
            putInLine(place)
            honourClaim(on: place)
        case .start:
            start(place, circumstances)
        case .awaitRetry:
            nodes[place].failures += 1
            leaveWorker(place)
            move(place, to: .pending)
            postpone(place, until: circumstances.retryAt ?? now)
            keepRecord(of: place, circumstances)
        case .returnToReady:
            leaveWorker(place)
            nodes[place].readyAt = now
            move(place, to: .ready)
            putInLine(place)
            keepRecord(of: place, circumstances)
            honourClaim(on: place)
        case .askWorkerToEnd:
            nodes[place].isCancelled = true
            keepRecord(of: place, circumstances)
            if node.worker >= 0, let token = node.token {
                emit(.endAttempts(workers[node.worker].introduction.session, [token]))
            }
        case .finish(let outcome):
            if event == .cancellationRequested { nodes[place].isCancelled = true }
            finish(place, outcome, circumstances)
        }
    }

    /// Moves a node to another unfinished state.
    private mutating func move(_ place: Int32, to state: OperationState) {
        let node = nodes[place]
        count(node, in: node.state, by: -Int(node.count))
        nodes[place].state = state
        count(node, in: state, by: Int(node.count))
        serveQueue(node.queue)
    }

    private mutating func start(_ place: Int32, _ circumstances: Circumstances) {
        let token: AttemptToken
        if let held = circumstances.token {
            token = held
        } else {
            token = AttemptToken(epoch: epoch, serial: nextSerial)
            nextSerial += 1
        }
        nodes[place].attempt += 1
        nodes[place].token = token
        nodes[place].startedAt = now
        bind(place, to: circumstances.worker)
        move(place, to: .executing)
        emit(.keep(.operation(record(of: nodes[place]))))
    }

    /// Lets a worker hold a node's attempt.
    mutating func bind(_ place: Int32, to worker: Int32) {
        guard let token = nodes[place].token else { return }
        nodes[place].worker = worker
        changeWorker(worker) { $0.attempts[token] = place }
    }

    /// Takes a node's attempt away from whoever holds it.
    private mutating func leaveWorker(_ place: Int32) {
        guard let token = nodes[place].token else { return }
        let worker = nodes[place].worker
        if worker >= 0 {
            changeWorker(worker) { $0.attempts[token] = nil }
        } else {
            reconciliation.orphans[token] = nil
        }
        nodes[place].worker = -1
        nodes[place].token = nil
    }

    private mutating func keepRecord(of place: Int32, _ circumstances: Circumstances) {
        var record = record(of: nodes[place])
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

    private mutating func finish(_ place: Int32, _ outcome: Outcome, _ circumstances: Circumstances) {
        var record = record(of: nodes[place])
        record.state = .finished
        record.outcome = outcome
        record.finishedAt = now
        record.notBefore = nil
        record.reason = outcome == .succeeded ? nil : circumstances.reason
        if let result = circumstances.result {
            record.setEnd(result.end)
            record.hasResult = result.result != nil
            keepOutput(of: record, result)
        }
        emit(.keep(.operation(record)))

        leaveWorker(place)
        let node = nodes[place]
        count(node, in: node.state, by: -Int(node.count))
        jobs[node.job].counts[outcome] += Int(node.count)
        totals[outcome] += Int(node.count)
        unregister(place)
        nodes.remove(at: place)
        if node.state == .ready { noteStaleEntry(inLineOf: node.queue) }
        if node.notBefore != nil { noteStaleTimer() }
        if reconciliation.isOpen { dismissClaim(on: record.id) }
        serveQueue(node.queue)
        tellDependents(of: node, outcome, hasResult: record.hasResult)
    }

    /// Tells those that depend on a finished operation, on its array or on its job.
    private mutating func tellDependents(of node: OperationNode, _ outcome: Outcome, hasResult: Bool) {
        var alone = Join(unfinished: 1)
        alone.count(1, outcome: outcome, hasResult: hasResult)
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
                skips.append((edge.dependent, unmet(.success, fate(of: .operation(node, outcome)))))
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
                skips.append((edge.dependent, unmet(edge.condition, fate(of: subject))))
            }
        }
    }

    /// Finishes what has become impossible, and what becomes impossible by that: a loop, however long the chain (DE19).
    mutating func finishSkipped() {
        var next = 0
        while next < skips.count {
            let (reference, reason) = skips[next]
            next += 1
            guard let place = nodes.resolve(reference) else { continue }
            advance(place, on: .conditionImpossible, Circumstances(reason: reason))
        }
        skips.removeAll(keepingCapacity: true)
    }

    /// Lets go of the jobs whose last operation was finished by this event.
    mutating func closeFinishedJobs() {
        for place in finishedJobs {
            emit(.keep(.jobFinished(jobs[place].number, jobs[place].counts, now)))
            if let key = jobs[place].key { keys[key] = nil }
            jobPlaces[jobs[place].number] = nil
            jobs.remove(at: place)
        }
        finishedJobs.removeAll(keepingCapacity: true)
    }
}

extension OperationRecord {
    fileprivate mutating func setEnd(_ end: AttemptEnd) {
        switch end {
        case .exited(let status): exitStatus = status
        case .signalled(let number): signal = number
        case .timedOut, .notStarted, .unusableResult, .interrupted: break
        }
    }
}
