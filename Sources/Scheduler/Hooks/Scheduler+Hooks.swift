@_spi(Baton) import BatonInvariants
@_spi(Baton) public import BatonOperations

/// Completion hooks: each hook runs on a worker at least once after its operation has finished (CM1, CM9).
extension Scheduler {
    /// Creates the hooks of finished operations, if the operations' template has a hook.
    mutating func addHooks(of node: OperationNode, _ outcome: Outcome, attempt: UInt32, worker: String?) {
        let entry = graph[node.job].entries[Int(node.entry)]
        let template = graph[node.job].templates[Int(entry.template)]
        guard let command = template.onFinish else { return }
        let name = graph[node.job].names[Int(node.entry)]
        let values = entry.array.map { graph[node.job].arrays[$0.offset].values }
        let work = template.work.completionHook(command)
        for index in node.index..<node.index + node.count {
            let hook = CompletionHook(
                operation: OperationID(job: graph[node.job].number, index: index),
                attempt: attempt,
                outcome: outcome,
                worker: worker,
                name: name.isEmpty ? nil : name,
                queue: queues[node.queue].name,
                work: work,
                arrayNumber: values?.number(at: Int(index - entry.first)),
                arrayItem: values?.item(at: Int(index - entry.first))
            )
            _ = hooks.add(hook, isCommitted: false)
            emit(.commit(.hook(hook)))
            emit(.confirm(.hook(hook.operation)))
        }
    }

    /// Creates the hooks of a finished job, if the submission has any.
    mutating func addHooks(ofJob place: JobIndex) {
        guard let commands = graph[place].settings.hooks else { return }
        let made = CompletionHook.hooks(
            commands,
            of: graph[place].number,
            name: graph[place].name,
            queue: graph[place].firstQueue,
            graph[place].counts
        )
        for hook in made {
            _ = hooks.add(hook, isCommitted: false)
            emit(.commit(.hook(hook)))
            emit(.confirm(.hook(hook.operation)))
        }
    }

    /// Sends hooks to workers: preferably to the worker that ran the operation, otherwise to another worker, and to drained
    /// workers only while no worker takes new work.
    mutating func dispatchHooks() {
        guard !reconciliation.isOpen else { return }
        for place in hooks.takeCancelled() {
            endHook(place, HookRecord(worker: nil, startedAt: nil, endedAt: now, reason: Self.hookCancelled))
        }
        guard !hooks.isBlocked else { return }
        while let place = hooks.first {
            guard let worker = worker(for: hooks.entries[place].hook) else {
                hooks.isBlocked = true
                return
            }
            hooks.removeFirst()
            let made = tokens.make()
            let token = tokens.whole(made)
            bind(hook: place, token, to: worker)
            emit(.dispatch(decision(of: hooks.entries[place].hook, token, on: worker)))
        }
    }

    private func worker(for hook: CompletionHook) -> WorkerIndex? {
        func mayTake(_ place: WorkerIndex) -> Bool {
            workers[place].takesHooks && workers[place].hooks.count < HookTable.perWorker
        }
        if let name = hook.worker, let place = workers.index(ofName: name), mayTake(place) { return place }
        if let place = workers.indexes.first(where: mayTake) { return place }
        guard !isAnyWorkerTaking else { return nil }
        return workers.indexes.first { place in
            workers[place].takesLastHooks && workers[place].hooks.count < HookTable.perWorker
        }
    }

    private mutating func bind(hook place: HookIndex, _ token: AttemptToken, to worker: WorkerIndex) {
        invariant(hooks.entries[place].worker == nil, "A completion hook is sent to a second worker.")
        hooks.entries[place].token = token
        hooks.entries[place].worker = worker
        workers.change(worker) { worker in
            let earlier = worker.hooks.updateValue(place, forKey: token)
            invariant(earlier == nil, "A worker gets two completion hooks with one token.")
            worker.beginTrial(token)
        }
    }

    private func decision(of hook: CompletionHook, _ token: AttemptToken, on worker: WorkerIndex) -> Dispatch {
        let assignment = Assignment(
            token: token,
            operation: hook.operation,
            attempt: hook.attempt,
            hookOutcome: hook.outcome,
            name: hook.name,
            arrayNumber: hook.arrayNumber,
            arrayItem: hook.arrayItem
        )
        return Dispatch(
            session: workers[worker].introduction.session,
            assignment: assignment,
            work: hook.work,
            queue: hook.queue
        )
    }

    /// Removes a hook that has run, even if the run failed; a hook that its worker interrupted runs again (CM9).
    mutating func hookEnded(_ place: HookIndex, _ end: ReportedEnd) {
        let (entry, result) = (hooks.entries[place], end.result)
        switch result.end {
        case .interrupted, .stopped, .workerFault, .noRoom, .lostInputs: return requeueHook(place)
        default: break
        }
        var record = HookRecord(
            worker: entry.worker.map { workers[$0].introduction.name },
            // A worker may report any time, and the record refuses impossible ones.
            startedAt: max(Timestamp(rawValue: 0), end.startedAt),
            endedAt: max(Timestamp(rawValue: 0), end.endedAt),
            reason: Self.reason(for: result.end, entry.hook.work)
        )
        if case .cancelled = result.end { record.reason = Self.hookCancelled }
        (record.exitStatus, record.signal) = (result.end.exitStatus, result.end.signal)
        record.standardError = HookRecord.lastLines(of: result.standardError)
        endHook(place, record)
    }

    private static let hookCancelled = Reason(.cancelled, "Its cancellation was asked for.")

    private mutating func endHook(_ place: HookIndex, _ record: HookRecord) {
        let entry = hooks.entries[place]
        leaveWorker(entry)
        hooks.remove(place)
        hooks.isBlocked = false
        emit(.commit(.hookDone(entry.hook.operation, record)))
        // A hook that was cancelled before it ran has not failed.
        if record.reason != nil, record.worker != nil { emit(.hookFailed(entry.hook.operation, record)) }
    }

    /// Ends the hooks of a selection that was finished before, executing or waiting; the hooks of unfinished operations have yet to
    /// come, and run (CA7).
    ///
    /// - Parameter waiting: the hooks that no worker has, by job; gathered when they are first needed, for the whole request.
    /// - Returns: notes about the hooks; none if there was nothing to end.
    mutating func cancelHooks(
        of selection: OperationSelection,
        _ waiting: inout [JobNumber: [HookIndex]]?
    ) -> [String] {
        guard !hooks.places.isEmpty, nodes(in: selection).isEmpty else { return [] }
        let job: JobNumber
        let selected: (OperationID) -> Bool
        switch selection {
        case .operation(let id):
            job = id.job
            selected = { $0 == id }
        case .operations(let number, let range):
            job = number
            selected = { $0.job == number && range.contains($0.index) }
        case .job(let number) where graph.job(number) == nil:
            job = number
            selected = { $0.job == number }
        case .job, .queue: return []
        }
        var notes: [String] = []
        for worker in workers.indexes {
            let chosen = workers[worker].hooks.filter { selected(hooks.entries[$0.value].hook.operation) }
            guard !chosen.isEmpty else { continue }
            for place in chosen.values {
                let operation = hooks.entries[place].hook.operation
                notes.append("The completion hook of \(operation.hookSubject) is asked to end.")
                cancelHook(place)
            }
            emit(.endAttempts(workers[worker].introduction.session, chosen.keys.sorted()))
        }
        return notes.sorted() + cancelWaitingHooks(of: job, selected, &waiting)
    }

    /// Cancels the hooks that no worker has.
    ///
    /// - Returns: a note about them; none without such hooks.
    private mutating func cancelWaitingHooks(
        of job: JobNumber,
        _ selected: (OperationID) -> Bool,
        _ waiting: inout [JobNumber: [HookIndex]]?
    ) -> [String] {
        let gathered: [JobNumber: [HookIndex]]
        if let waiting {
            gathered = waiting
        } else {
            let unsent = hooks.places.values.filter { hooks.entries[$0].token == nil }
            gathered = Dictionary(grouping: unsent) { hooks.entries[$0].hook.operation.job }
            waiting = gathered
        }
        let chosen = gathered[job, default: []].filter { selected(hooks.entries[$0].hook.operation) }
        // In the order of the operations, for the record.
        for place in chosen.sorted(by: { hooks.entries[$0].hook.operation < hooks.entries[$1].hook.operation }) {
            cancelHook(place)
        }
        guard let first = chosen.first else { return [] }
        guard chosen.count > 1 else {
            let subject = hooks.entries[first].hook.operation.hookSubject
            return ["The completion hook of \(subject) waits, and will not run."]
        }
        return ["\(chosen.count) completion hooks of job \(job) wait, and will not run."]
    }

    private mutating func cancelHook(_ place: HookIndex) {
        guard !hooks.entries[place].hook.isCancelled else { return }
        hooks.cancel(place)
        emit(.commit(.hook(hooks.entries[place].hook)))
    }

    /// The workers that run the completion hooks of a job and its operations, with the tokens of the runs.
    ///
    /// - Complexity: O(workers + hooks at workers).
    @_spi(Baton) public func runsOfHooks(of job: JobNumber) -> [OperationID: (worker: String, token: AttemptToken)] {
        guard !hooks.places.isEmpty else { return [:] }
        var result: [OperationID: (worker: String, token: AttemptToken)] = [:]
        for worker in workers.indexes {
            for (token, place) in workers[worker].hooks where hooks.entries[place].hook.operation.job == job {
                result[hooks.entries[place].hook.operation] = (workers[worker].introduction.name, token)
            }
        }
        return result
    }

    /// The worker that runs a completion hook with a token, and the operation whose hook, or whose job's hook, it is; nil
    /// for any other token.
    ///
    /// - Complexity: O(workers).
    @_spi(Baton) public func hookRun(_ token: AttemptToken) -> (operation: OperationID, worker: String)? {
        for worker in workers.indexes {
            guard let place = workers[worker].hooks[token] else { continue }
            return (hooks.entries[place].hook.operation, workers[worker].introduction.name)
        }
        return nil
    }

    /// Takes back a hook from a worker that has not finished the run.
    mutating func requeueHook(_ place: HookIndex) {
        let entry = hooks.entries[place]
        leaveWorker(entry)
        hooks.putBack(place)
        hooks.isBlocked = false
    }

    private mutating func leaveWorker(_ entry: HookTable.Entry) {
        guard let token = entry.token, let worker = entry.worker else { return }
        workers.change(worker) { worker in
            let hook = worker.hooks.removeValue(forKey: token)
            invariant(hook != nil, "A completion hook leaves a worker that does not have it.")
            worker.endTrial(token)
        }
    }

    /// Lets a returning worker continue with a hook.
    ///
    /// - Parameter earlier: the hooks of the worker's earlier session that the worker has not named yet.
    /// - Returns: whether the worker may continue.
    mutating func reclaimHook(
        _ claimed: ClaimedAttempt,
        of worker: WorkerIndex,
        from earlier: inout [AttemptToken: HookIndex]
    ) -> Bool {
        if let place = earlier.removeValue(forKey: claimed.token) {
            bind(hook: place, claimed.token, to: worker)
            return true
        }
        guard reconciliation.isOpen, reconciliation.mayHold(withKey: workers[worker].introduction.keyNumber),
            isOfKnownStart(claimed.token, claimed.operation), let place = hooks.places[claimed.operation],
            hooks.entries[place].token == nil, hooks.entries[place].isCommitted
        else { return false }
        hooks.removeFromLine(place)
        bind(hook: place, claimed.token, to: worker)
        return true
    }
}
