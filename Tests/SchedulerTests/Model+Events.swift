@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Events of the model's operations.
extension Model {
    // MARK: Attempts

    /// The worker with the present session.
    func name(of session: SessionID) -> String? {
        workers.first { $0.value.session == session && !$0.value.isLost }?.key
    }

    /// The operation with an attempt at a worker's present session.
    func holder(of token: AttemptToken, in session: SessionID) -> Int? {
        guard let name = name(of: session) else { return nil }
        return ops.indices.first { ops[$0].token == token && ops[$0].worker == name }
    }

    mutating func start(_ index: Int) {
        guard !ops[index].isStarted else { return }
        ops[index].isStarted = true
        ops[index].attempts += 1
        ops[index].isPrefetched = false
        ops[index].isRecalled = false
        if let token = ops[index].token { resolve(token) }
    }

    mutating func takeBack(_ index: Int) {
        guard !ops[index].isStarted else { return }
        release(index)
        if ops[index].isCancelled, !isSuspended(ops[index].queue) {
            finish(index, .cancelled)
        } else if ops[index].attempts == 0, !ops[index].isUnsent, jobsMissingAttempts.contains(ops[index].id.job) {
            ops[index].attempts = 1
        }
    }

    /// Ends an attempt; returns the earliest and latest time of the retry.
    mutating func end(_ index: Int, _ end: AttemptEnd, hasResult: Bool) -> ClosedRange<Duration>? {
        start(index)
        release(index)
        if case .exited(0) = end {
            finish(index, .succeeded, ran: true)
            ops[index].hasResult = hasResult
        } else if case .cancelled = end {
            ops[index].isCancelled = true
            finish(index, .cancelled, ran: true)
            ops[index].hasResult = hasResult && ops[index].keepsResult
        } else if ops[index].isCancelled {
            let isLast = ops[index].failures >= ops[index].retries || !ops[index].isRetried(end)
            let isForGood = end != .interrupted && end != .stopped && isLast
            if case .interrupted = end { ops[index].losses += 1 }
            if case .stopped = end { ops[index].uncountedLosses += 1 }
            finish(index, isForGood ? .failed : .cancelled, ran: true)
            ops[index].hasResult = isForGood && hasResult && ops[index].keepsResult
        } else if end == .interrupted || end == .stopped {
            if end == .stopped { ops[index].uncountedLosses += 1 } else { ops[index].losses += 1 }
            guard ops[index].runsAtMostOnce else { return nil }
            finish(index, .failed, ran: true)
        } else if ops[index].failures < ops[index].retries, ops[index].isRetried(end) {
            if case .timedOut = end { ops[index].timeouts += 1 }
            let wait = ops[index].retryDelay * Double(1 << ops[index].failures)
            ops[index].failures += 1
            return wait * 0.7499...wait * 1.2501
        } else {
            finish(index, .failed, ran: true)
            ops[index].hasResult = hasResult && ops[index].keepsResult
        }
        return nil
    }

    /// Handles the loss or the return of an attempt by its worker.
    mutating func lose(_ index: Int, isGivenBack: Bool = false, isCounted: Bool = true) {
        let wasStarted = ops[index].isStarted
        // A withheld attempt never reached its worker.
        if ops[index].isWithheld { return takeBack(index) }
        if !wasStarted {
            if isGivenBack { return takeBack(index) }
            ops[index].attempts += 1
        }
        release(index)
        if isCounted { ops[index].losses += 1 } else { ops[index].uncountedLosses += 1 }
        if ops[index].isCancelled {
            if wasStarted || !isSuspended(ops[index].queue) {
                finish(index, .cancelled, ran: wasStarted)
            }
        } else if ops[index].runsAtMostOnce
            || isCounted && !isGivenBack && ops[index].losses > Int(configuration.maximumLosses)
        {
            finish(index, .failed, ran: wasStarted)
        }
    }

    private mutating func release(_ index: Int) {
        if let token = ops[index].token { resolve(token) }
        ops[index].token = nil
        ops[index].worker = nil
        ops[index].isStarted = false
        ops[index].isPaused = false
        ops[index].isPrefetched = false
        ops[index].isRecalled = false
        ops[index].isWithheld = false
        ops[index].progress = 0
    }

    mutating func finish(_ index: Int, _ outcome: Outcome, ran: Bool = false) {
        ops[index].outcome = outcome
        let queue = ops[index].queue
        if ran, !ops[index].isBarrier, queues[queue]?.settings.total != nil { queues[queue]?.completed += 1 }
    }

    // MARK: The disk

    /// Whether an attempt of an operation may be sent only after it is on disk.
    func mustBeCommitted(_ op: Op) -> Bool {
        op.runsAtMostOnce || op.attempts > 0 || op.isRecordedFirst || uncommittedJobs[op.id.job, default: 0] > 0
    }

    /// Whether an attempt of an operation may wait for the disk: the model does not know which end has let it start.
    func mayBeCommittedFirst(_ op: Op) -> Bool {
        mustBeCommitted(op) || op.hasDelay
            || op.groups.contains { endings($0).contains { $0 != .succeeded } }
    }

    /// Records that a change is on disk.
    ///
    /// - Returns: the attempt to send now, if any.
    mutating func noteCommitted(_ milestone: Milestone) -> AttemptToken? {
        switch milestone {
        case .job(let number):
            uncommittedJobs[number, default: 0] = max(0, uncommittedJobs[number, default: 0] - 1)
        case .hook:
            break
        case .session(let session):
            if let name = name(of: session) { workers[name]?.isCommitted = true }
        case .dispatch(let session, let token):
            guard let index = holder(of: token, in: session), ops[index].isWithheld else { return nil }
            if !ops[index].isRecalled {
                ops[index].isWithheld = false
                return token
            }
            takeBack(index)
        }
        return nil
    }

    // MARK: Workers

    mutating func noteSignOfLife(_ session: SessionID) {
        guard let name = name(of: session) else { return }
        workers[name]?.lastHeard = now
        guard workers[name]?.isSuspect == true else { return }
        workers[name]?.isSuspect = false
        workers[name]?.judgedAt = now + configuration.suspectAfter
    }

    /// Handles bytes of a worker that arrived at a time.
    mutating func noteBytes(_ session: SessionID, at time: Timestamp) {
        guard let name = name(of: session), let worker = workers[name], worker.lastHeard < time else { return }
        workers[name]?.lastHeard = time
        guard worker.isSuspect, now < time + configuration.suspectAfter else { return }
        workers[name]?.isSuspect = false
        workers[name]?.judgedAt = time + configuration.suspectAfter
    }

    /// Handles a worker's hello.
    mutating func join(_ introduction: WorkerIntroduction) {
        let name = introduction.name
        let earlier = isFollowing ? [] : attempts(of: name)
        let old = workers[name]
        let isSameProcess = old?.processID == introduction.processID
        let isWatched = old.map { !$0.isSuspect && !$0.isLost } ?? false
        workers[name] = Worker(
            session: introduction.session,
            slots: introduction.slots,
            types: introduction.types,
            processID: introduction.processID,
            lastHeard: now,
            judgedAt: isWatched ? old?.judgedAt ?? now : now + configuration.suspectAfter
        )
        for index in earlier {
            let claimed = introduction.attempts.first { $0.token == ops[index].token && !$0.isHook }
            if let claimed {
                if claimed.phase != .waiting { start(index) }
            } else if isSameProcess && !ops[index].isStarted {
                takeBack(index)
            } else {
                lose(index)
            }
        }
    }

    /// Restarts the coordinator, before any worker has come back.
    ///
    /// - Parameter processes: the process IDs of the workers, by name.
    mutating func restart(_ processes: [String: Int32]) {
        workers = [:]
        gatedQueues = Set(ops.lazy.filter { $0.outcome == nil && !($0.token != nil && $0.isStarted) }.map(\.queue))
        for (name, process) in processes {
            workers[name] = Worker(
                session: SessionID(rawValue: 0),
                slots: 0,
                types: [],
                processID: process,
                lastHeard: now,
                judgedAt: now + configuration.lostAfter,
                isSuspect: true,
                isAbsent: true
            )
        }
    }

    /// Ends the reconcile window.
    ///
    /// The coordinator no longer waits for workers without known attempts. The record may lack first attempts of
    /// operations without a known dispatch (D3).
    ///
    /// - Parameter attempt: the number of an operation's last attempt; the scheduler decides which operations were not sent.
    mutating func endWindow(_ attempt: (OperationID) -> UInt32?) {
        for index in ops.indices where jobsMissingAttempts.contains(ops[index].id.job) && ops[index].outcome == nil {
            guard ops[index].attempts == 0, ops[index].token == nil else { continue }
            ops[index].isUnsent = attempt(ops[index].id) == 0
            if !ops[index].isUnsent { ops[index].attempts = 1 }
        }
        for (name, worker) in workers where worker.isAbsent && attempts(of: name).isEmpty { workers[name] = nil }
    }

    mutating func leave(_ session: SessionID) {
        guard let name = name(of: session) else { return }
        if !isFollowing { for index in attempts(of: name) { lose(index, isGivenBack: true, isCounted: false) } }
        workers[name] = nil
    }

    /// Removes a worker that may no longer work; no loss counts.
    mutating func expel(_ name: String) {
        guard workers[name] != nil else { return }
        if !isFollowing { for index in attempts(of: name) { lose(index, isCounted: false) } }
        workers[name] = nil
    }

    /// Handles all deadlines up to now, in the order of their times.
    mutating func pass() {
        var losses: [(time: Timestamp, name: String)] = []
        if configuration.forgetLostAfter != nil {
            for (name, worker) in workers where worker.isLost && now >= worker.judgedAt { workers[name] = nil }
        }
        for (name, worker) in workers where !worker.isLost && now >= worker.judgedAt {
            if now >= worker.lastHeard + configuration.lostAfter {
                losses.append((worker.judgedAt, name))
            } else if now >= worker.lastHeard + configuration.suspectAfter {
                workers[name]?.isSuspect = true
                workers[name]?.judgedAt = worker.lastHeard + configuration.lostAfter
                forgetPrefetched(of: name)
            } else {
                workers[name]?.judgedAt = worker.lastHeard + configuration.suspectAfter
            }
        }
        losses.sort { ($0.time, $0.name) < ($1.time, $1.name) }
        for request in deferRequest where request.deadline <= now {
            while let loss = losses.first, loss.time < request.deadline {
                losses.removeFirst()
                loseAll(of: loss.name)
            }
            expire(request.id)
        }
        for loss in losses { loseAll(of: loss.name) }
    }

    /// Loses a worker that was silent for too long.
    private mutating func loseAll(of name: String) {
        workers[name]?.isLost = true
        if let time = configuration.forgetLostAfter { workers[name]?.judgedAt = now + time }
        if !isFollowing { for index in attempts(of: name) { lose(index) } }
    }

    /// Forgets the operations sent ahead to a silent worker, so that no operation waits for them.
    private mutating func forgetPrefetched(of name: String) {
        for index in attempts(of: name) { ops[index].isPrefetched = false }
    }
}
