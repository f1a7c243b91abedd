import BatonOperations

/// Completion hooks: each hook runs on a worker at least once after its operation has finished (CM1, CM9).
extension Scheduler {
    /// Creates the hooks of finished operations, if the operations' template has a hook.
    mutating func addHooks(of node: OperationNode, _ record: OperationRecord) {
        let entry = jobs[node.job].entries[Int(node.entry)]
        let template = jobs[node.job].templates[Int(entry.template)]
        guard let command = template.onFinish, let outcome = record.outcome else { return }
        let name = jobs[node.job].names[Int(node.entry)]
        let values = entry.array >= 0 ? jobs[node.job].arrays[Int(entry.array)].values : nil
        let work = template.work.completionHook(command)
        for index in node.index..<node.index + node.count {
            let hook = CompletionHook(
                operation: OperationID(job: record.id.job, index: index),
                attempt: record.attempt,
                outcome: outcome,
                worker: record.worker,
                name: name.isEmpty ? nil : name,
                queue: queues[Int(node.queue)].name,
                work: work,
                arrayNumber: values?.number(at: Int(index - entry.first)),
                arrayItem: values?.item(at: Int(index - entry.first))
            )
            _ = hooks.add(hook, isKept: false)
            emit(.keep(.hook(hook)))
            emit(.confirm(.hook(hook.operation)))
        }
    }

    /// Sends hooks to workers: preferably to the worker that ran the operation, otherwise to another worker.
    mutating func dispatchHooks() {
        guard !reconciliation.isOpen, !hooks.isBlocked else { return }
        while let place = hooks.first {
            guard let worker = worker(for: hooks.entries[place].hook) else {
                hooks.isBlocked = true
                return
            }
            hooks.removeFirst()
            let token = AttemptToken(epoch: epoch, serial: nextSerial, of: incarnation)
            nextSerial += 1
            bind(hook: place, token, to: worker)
            emit(.dispatch(assignment(of: hooks.entries[place].hook, token, on: worker)))
        }
    }

    private func worker(for hook: CompletionHook) -> Int32? {
        func mayTake(_ place: Int32) -> Bool {
            workers[place].takesHooks && workers[place].hooks.count < HookTable.perWorker
        }
        if let name = hook.worker, let place = workerPlaces[name], mayTake(place) { return place }
        return workers.places.first(where: mayTake)
    }

    private mutating func bind(hook place: Int32, _ token: AttemptToken, to worker: Int32) {
        hooks.entries[place].token = token
        hooks.entries[place].worker = worker
        changeWorker(worker) { worker in
            worker.hooks[token] = place
            worker.beginTrial(token)
        }
    }

    private func assignment(of hook: CompletionHook, _ token: AttemptToken, on worker: Int32) -> Assignment {
        Assignment(
            session: workers[worker].introduction.session,
            token: token,
            operation: hook.operation,
            work: hook.work,
            hasInputs: false,
            qualityOfService: nil,
            hookOutcome: hook.outcome,
            attempt: hook.attempt,
            turn: 0,
            name: hook.name,
            queue: hook.queue,
            template: nil,
            arrayNumber: hook.arrayNumber,
            arrayItem: hook.arrayItem
        )
    }

    /// Removes a hook that has run, even if the run failed; a hook that its worker interrupted runs again (CM9).
    mutating func hookEnded(_ place: Int32, _ result: AttemptResult) {
        switch result.end {
        case .interrupted, .workerFault: return retakeHook(place)
        default: break
        }
        let entry = hooks.entries[place]
        leaveWorker(entry)
        hooks.remove(place)
        hooks.isBlocked = false
        emit(.keep(.hookDone(entry.hook.operation)))
        if result.end != .exited(0) { emit(.hookFailed(entry.hook.operation, result.end)) }
    }

    /// Takes back a hook from a worker that has not finished the run.
    mutating func retakeHook(_ place: Int32) {
        let entry = hooks.entries[place]
        leaveWorker(entry)
        hooks.putBack(place)
        hooks.isBlocked = false
    }

    private mutating func leaveWorker(_ entry: HookTable.Entry) {
        guard let token = entry.token, entry.worker >= 0 else { return }
        changeWorker(entry.worker) { worker in
            worker.hooks[token] = nil
            worker.endTrial(token)
        }
    }

    /// Lets a returning worker continue with a hook.
    ///
    /// - Parameter earlier: the hooks of the worker's earlier session that the worker has not named yet.
    /// - Returns: whether the worker may continue.
    mutating func takeBackHook(
        _ held: HeldAttempt,
        of worker: Int32,
        from earlier: inout [AttemptToken: Int32]
    ) -> Bool {
        if let place = earlier.removeValue(forKey: held.token) {
            bind(hook: place, held.token, to: worker)
            return true
        }
        guard reconciliation.isOpen, couldMake(held), let place = hooks.places[held.operation],
            hooks.entries[place].token == nil
        else { return false }
        hooks.removeFromLine(place)
        bind(hook: place, held.token, to: worker)
        return true
    }
}
