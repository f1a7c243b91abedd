@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Requests of clients to the model.
extension Model {
    /// Handles a request.
    mutating func take(_ event: Event) {
        // Only after the reconcile window the started operations are known.
        guard !isReconciling else { return postponed.append(event) }
        switch event {
        case .hold(_, let request), .setPriority(_, _, let request), .depend(_, _, _, let request),
            .addCommand(_, _, let request):
            carryOutOrPutOff(event, request)
        case .cancel(let selections, let request):
            note(request, changed: cancel(selections))
        case .release(let selections, let request):
            note(request, changed: release(selections))
        case .pause(let selections, let request):
            note(request, changed: pause(selections))
        case .resume(let selections, let request):
            note(request, changed: resume(selections))
        case .undepend(let id, let targets, let request):
            note(request, changed: undepend(id, targets))
        case .reportProgress(let id, let attempt, let progress, let request):
            note(request, changed: reportProgress(id, attempt: attempt, progress))
        case .setQueue(let change, let request):
            note(request, changed: setQueue(change))
        case .deleteQueue(let name, let request):
            done[request] = deleteQueue(name)
        default:
            break
        }
    }

    private mutating func note(_ request: RequestID, changed: Int) {
        done[request] = Done(time: now, changed: changed)
    }

    /// The operations that selections name, each once, in the order of the selections.
    func meant(by selections: [OperationSelection]) -> [Int] {
        var seen: Set<Int> = []
        return selections.flatMap { selection -> [Int] in
            switch selection {
            case .operation(let id): places[id].map { [$0] } ?? []
            case .operations(let job, let range):
                ops.indices.filter { ops[$0].id.job == job && range.contains(ops[$0].id.index) }
            case .job(let job): jobs[job] ?? []
            case .queue(let name): ops.indices.filter { ops[$0].queue == name }
            }
        }.filter { ops[$0].outcome == nil && seen.insert($0).inserted }
    }

    /// Flags the selected operations that were not flagged before.
    ///
    /// - Returns: the number of newly flagged operations.
    mutating func cancel(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { !ops[$0].isCancelled }
        for index in meant {
            ops[index].isCancelled = true
            ops[index].isPaused = false
            if ops[index].token == nil, !isSuspended(ops[index].queue) { finish(index, .cancelled) }
        }
        for case .job(let job) in selections where openJobs.remove(job) != nil {
            let endings = jobs[job, default: []].map { ops[$0].ending }
            if endings.allSatisfy({ $0 == .notNeeded }) { cancelledJobs.insert(job) }
        }
        return meant.count
    }

    /// Closes jobs.
    ///
    /// - Returns: the number of jobs that were open.
    mutating func close(_ jobs: [JobNumber]) -> Int { jobs.count { openJobs.remove($0) != nil } }

    mutating func hold(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { !ops[$0].isHeld && ops[$0].token == nil }
        for index in meant { ops[index].isHeld = true }
        return meant.count
    }

    mutating func release(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { ops[$0].isHeld }
        for index in meant { (ops[index].isHeld, ops[index].isRecordedFirst) = (false, true) }
        return meant.count
    }

    /// Pauses what executes; Swift operations and no-ops have no processes of their own.
    mutating func pause(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter {
            ops[$0].isStarted && ops[$0].runsCommands && !ops[$0].isCancelled && !ops[$0].isPaused
        }
        for index in meant { ops[index].isPaused = true }
        return meant.count
    }

    mutating func resume(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { ops[$0].isPaused }
        for index in meant { ops[index].isPaused = false }
        return meant.count
    }

    mutating func setPriority(_ selections: [OperationSelection], _ priority: Priority) -> Int {
        let meant = meant(by: selections).filter { ops[$0].priority != priority && ops[$0].token == nil }
        for index in meant {
            ops[index].priority = priority
            ops[index].order = nextOrder
            nextOrder += 1
        }
        return meant.count
    }

    /// Whether any of the targets waits for an operation, by dependencies or by barriers.
    func doesWait(_ targets: [Int], for goal: Int) -> Bool {
        var seen = Set(targets)
        var open = targets
        while let index = open.popLast() {
            let op = ops[index]
            if op.outcome != nil { continue }
            if index == goal { return true }
            if op.isStarted || op.isCancelled { continue }
            var next = op.groups.flatMap { self.targets(of: $0) }
            for (other, before) in ops[..<index].enumerated()
            where before.queue == op.queue && (op.isBarrier || before.holdsUpLater) {
                next.append(other)
            }
            for other in next where seen.insert(other).inserted { open.append(other) }
        }
        return false
    }

    mutating func depend(_ id: OperationID, _ dependencies: [Dependency]) -> Int {
        let groups = newGroups(dependencies, of: id)
        if let index = places[id] { depend(index, groups) }
        return groups.isEmpty ? 0 : 1
    }

    mutating func depend(_ index: Int, _ groups: [Group]) {
        ops[index].groups += groups
        if hasInputs(ops[index]) { ops[index].hadInputs = true }
    }

    func closesCycle(_ id: OperationID, _ dependencies: [Dependency]) -> Bool {
        guard let index = places[id] else { return false }
        return newGroups(dependencies, of: id).contains { doesWait(targets(of: $0), for: index) }
    }

    /// Whether an attempt of an operation has started, or may have.
    func hasStarted(_ op: Op) -> Bool {
        op.isStarted || op.failures > 0 || op.losses > 0 || op.attempts > 1
            || op.attempts == 1 && !jobsMissingAttempts.contains(op.id.job)
    }

    /// The given dependencies that an operation does not have yet; none after its start, also between two attempts (DE15).
    private func newGroups(_ dependencies: [Dependency], of id: OperationID) -> [Group] {
        guard let index = places[id], ops[index].outcome == nil, !hasStarted(ops[index]) else { return [] }
        var known = Set(ops[index].groups.map(\.dependency))
        return dependencies.map { group($0, in: id.job) }.filter { known.insert($0.dependency).inserted }
    }

    /// Adds a program if the operation allows it.
    ///
    /// - Returns: whether the program was added.
    mutating func add(_ command: [String], to id: OperationID) -> Bool {
        guard let index = places[id], ops[index].outcome == nil, !hasStarted(ops[index]),
            case .commands(let commands) = ops[index].work
        else { return false }
        ops[index].work = .commands(commands + [command])
        return true
    }

    mutating func undepend(_ id: OperationID, _ targets: [Address]) -> Int {
        guard let index = places[id], ops[index].outcome == nil, !ops[index].isStarted else { return 0 }
        if hasInputs(ops[index]) { ops[index].hadInputs = true }
        let before = ops[index].groups.count
        ops[index].groups.removeAll { group in
            if case .existing(let address) = group.dependency.target { targets.contains(address) } else { false }
        }
        guard ops[index].groups.count < before else { return 0 }
        ops[index].isRecordedFirst = true
        return 1
    }

    mutating func reportProgress(_ id: OperationID, attempt: UInt32, _ progress: OperationProgress) -> Int {
        guard let index = places[id], ops[index].isStarted, ops[index].attempts == Int(attempt) else { return 0 }
        ops[index].progress = progress.millionths
        return 1
    }

    /// Takes the progress that a worker reports of a running attempt.
    mutating func noteProgress(_ progress: OperationProgress, of index: Int) {
        if ops[index].isStarted { ops[index].progress = progress.millionths }
    }

    /// Deletes a queue without unfinished operations.
    private mutating func deleteQueue(_ name: String) -> Done {
        guard queues[name] != nil else { return Done(time: now, isMissing: true) }
        guard !ops.contains(where: { $0.queue == name && $0.outcome == nil }) else {
            return Done(time: now, isTooLate: true)
        }
        queues[name] = nil
        return Done(time: now, changed: 1)
    }

    /// Changes a queue, or creates the queue.
    ///
    /// - Returns: 1 after any difference, else 0.
    @discardableResult
    mutating func setQueue(_ change: QueueChange) -> Int {
        let old = queues[change.name]
        let settings = change.applied(to: old?.settings ?? QueueSettings())
        queues[change.name, default: Queue()].settings = settings
        let completed = old?.completed ?? 0
        let isReached = old?.settings.total.map { completed >= $0 } ?? true
        let startsAnew = settings.total == nil || change.total != nil && isReached
        if startsAnew { queues[change.name]?.completed = 0 }
        if old?.settings.isSuspended == true, !settings.isSuspended {
            for index in ops.indices where ops[index].queue == change.name && ops[index].outcome == nil {
                if ops[index].isCancelled && ops[index].token == nil { finish(index, .cancelled) }
            }
        }
        return old?.settings == settings && !(startsAnew && completed > 0) ? 0 : 1
    }
}

extension Model.Op {
    /// Whether the operation is a barrier that later operations wait for: a cancelled barrier lets them go (BA6).
    var holdsUpLater: Bool { isBarrier && (!isCancelled || isStarted) }
}
