import Operations

@testable import Scheduler

/// What happens to the model's operations.
extension Model {
    // MARK: Attempts

    /// The worker whose present session this is.
    func name(of session: SessionID) -> String? {
        workers.first { $0.value.session == session && !$0.value.isLost }?.key
    }

    /// The operation that has an attempt at a worker's present session.
    func holder(of token: AttemptToken, in session: SessionID) -> Int? {
        guard let name = name(of: session) else { return nil }
        return ops.indices.first { ops[$0].token == token && ops[$0].worker == name }
    }

    mutating func start(_ index: Int) {
        guard !ops[index].isStarted else { return }
        ops[index].isStarted = true
        ops[index].attempts += 1
        ops[index].isAhead = false
        ops[index].isRecalled = false
    }

    mutating func takeBack(_ index: Int) {
        guard !ops[index].isStarted else { return }
        release(index)
        if ops[index].isCancelled, !(queues[ops[index].queue]?.isSuspended ?? false) { finish(index, .cancelled) }
    }

    /// An attempt came to its end; says when its retry is due at the earliest and latest.
    mutating func end(_ index: Int, _ end: AttemptEnd, hasResult: Bool) -> ClosedRange<Duration>? {
        start(index)
        release(index)
        if case .exited(0) = end {
            finish(index, .succeeded, ran: true)
        } else if ops[index].isCancelled {
            if case .interrupted = end { ops[index].losses += 1 }
            finish(index, .cancelled, ran: true)
        } else if case .interrupted = end {
            ops[index].losses += 1
            return nil
        } else if ops[index].failures < ops[index].retries {
            let wait = ops[index].retryDelay * Double(1 << ops[index].failures)
            ops[index].failures += 1
            return wait * 0.7499...wait * 1.2501
        } else {
            finish(index, .failed, ran: true)
        }
        ops[index].hasResult = hasResult
        return nil
    }

    /// A worker lost an attempt, or gave it back in good order.
    mutating func lose(_ index: Int, isGivenBack: Bool = false) {
        let wasStarted = ops[index].isStarted
        if !wasStarted {
            if isGivenBack { return takeBack(index) }
            ops[index].attempts += 1
        }
        release(index)
        ops[index].losses += 1
        if ops[index].isCancelled {
            if wasStarted || !(queues[ops[index].queue]?.isSuspended ?? false) {
                finish(index, .cancelled, ran: wasStarted)
            }
        } else if !isGivenBack && ops[index].losses > Int(configuration.maximumLosses) {
            finish(index, .failed, ran: wasStarted)
        }
    }

    private mutating func release(_ index: Int) {
        ops[index].token = nil
        ops[index].worker = nil
        ops[index].isStarted = false
        ops[index].isAhead = false
        ops[index].isRecalled = false
        ops[index].progress = 0
    }

    private mutating func finish(_ index: Int, _ outcome: Outcome, ran: Bool = false) {
        ops[index].outcome = outcome
        let queue = ops[index].queue
        if ran, !ops[index].isBarrier, queues[queue]?.total != nil { queues[queue]?.completed += 1 }
    }

    // MARK: Workers

    mutating func hear(_ session: SessionID) {
        if let name = name(of: session) { workers[name]?.lastHeard = now }
    }

    /// A worker says hello.
    ///
    /// - Parameter isFollowing: what has become of attempts is known already.
    mutating func join(_ introduction: WorkerIntroduction, isFollowing: Bool) {
        let name = introduction.name
        let earlier = isFollowing ? [] : held(by: name)
        let isSameProcess = workers[name]?.processID == introduction.processID
        workers[name] = Worker(
            session: introduction.session,
            slots: introduction.slots,
            processID: introduction.processID,
            lastHeard: now
        )
        for index in earlier {
            let held = introduction.attempts.first { $0.token == ops[index].token && !$0.isHook }
            if let held {
                if held.phase != .waiting { start(index) }
            } else if isSameProcess && !ops[index].isStarted {
                takeBack(index)
            } else {
                lose(index)
            }
        }
    }

    mutating func leave(_ session: SessionID, isFollowing: Bool) {
        guard let name = name(of: session) else { return }
        if !isFollowing { for index in held(by: name) { lose(index, isGivenBack: true) } }
        workers[name] = nil
    }

    mutating func pass(isFollowing: Bool) {
        for name in workers.keys.sorted() {
            guard let worker = workers[name], !worker.isLost, now >= worker.lastHeard + configuration.lostAfter else {
                continue
            }
            workers[name]?.isLost = true
            if !isFollowing { for index in held(by: name) { lose(index) } }
        }
    }

    // MARK: Requests

    /// The operations that selections mean, each once, in the order in which they are named.
    func meant(by selections: [OperationSelection]) -> [Int] {
        var seen: Set<Int> = []
        return selections.flatMap { selection -> [Int] in
            switch selection {
            case .operation(let id): places[id].map { [$0] } ?? []
            case .operations(let job, let range):
                ops.indices.filter { ops[$0].id.job == job && range.contains(ops[$0].id.index) }
            case .job(let job): jobs[job].map { Array($0) } ?? []
            case .queue(let name): ops.indices.filter { ops[$0].queue == name }
            }
        }.filter { ops[$0].outcome == nil && seen.insert($0).inserted }
    }

    mutating func cancel(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections)
        for index in meant where !ops[index].isCancelled {
            ops[index].isCancelled = true
            if ops[index].token == nil, !(queues[ops[index].queue]?.isSuspended ?? false) { finish(index, .cancelled) }
        }
        return meant.count
    }

    mutating func hold(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { !ops[$0].isHeld && ops[$0].token == nil }
        for index in meant { ops[index].isHeld = true }
        return meant.count
    }

    mutating func release(_ selections: [OperationSelection]) -> Int {
        let meant = meant(by: selections).filter { ops[$0].isHeld }
        for index in meant { ops[index].isHeld = false }
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

    /// Whether something waits for an operation, by dependencies or by barriers.
    func doesWait(_ targets: [Int], for goal: Int) -> Bool {
        var seen = Set(targets)
        var open = targets
        while let index = open.popLast() {
            let op = ops[index]
            if op.outcome != nil { continue }
            if index == goal { return true }
            if op.isStarted || op.isCancelled { continue }
            var next = op.groups.flatMap(\.targets)
            for (other, before) in ops[..<index].enumerated()
            where before.queue == op.queue && (op.isBarrier || before.isBarrier) {
                next.append(other)
            }
            for other in next where seen.insert(other).inserted { open.append(other) }
        }
        return false
    }

    mutating func depend(_ index: Int, _ groups: [Group]) {
        ops[index].groups += groups
        if hasInputs(ops[index]) { ops[index].hadInputs = true }
    }

    mutating func undepend(_ id: OperationID, _ targets: [Address]) -> Int {
        guard let index = places[id], ops[index].outcome == nil, !ops[index].isStarted else { return 0 }
        if hasInputs(ops[index]) { ops[index].hadInputs = true }
        let before = ops[index].groups.count
        ops[index].groups.removeAll { group in
            if case .existing(let address) = group.dependency.target { targets.contains(address) } else { false }
        }
        return ops[index].groups.count == before ? 0 : 1
    }

    mutating func setQueue(_ change: QueueChange) {
        var queue = queues[change.name] ?? Queue()
        let wasSuspended = queue.isSuspended
        let hadTotal = queue.total != nil
        switch change.maxConcurrent {
        case .atMost(let limit): queue.limit = limit
        case .unlimited: queue.limit = nil
        case nil: break
        }
        if let total = change.total { queue.total = total > 0 ? total : nil }
        if queue.total == nil || !hadTotal { queue.completed = 0 }
        if let isSuspended = change.isSuspended { queue.isSuspended = isSuspended }
        queues[change.name] = queue
        guard wasSuspended && !queue.isSuspended else { return }
        for index in ops.indices where ops[index].queue == change.name && ops[index].outcome == nil {
            if ops[index].isCancelled && ops[index].token == nil { finish(index, .cancelled) }
        }
    }
}
