@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// Crashes of the coordinator, and the end of a history.
extension RandomRun {
    /// The coordinator crashes, loses what it has not committed, and starts again.
    mutating func restart() {
        if trace { print("RESTART") }
        see(.restarted)
        if random.chance(35) { commitSlowly() } else { for _ in 0..<5 { work() } }
        for milestone in unconfirmed { see(isCommitted(milestone) ? .unconfirmedCommitted : .unconfirmedForgotten) }
        unconfirmed = []
        if record.changes.count > committed.record.changes.count { see(.forgotten) }
        (record, model) = committed
        hooksRun = hooksRun.filter { model.places[$0] != nil }
        requests = [:]
        uncommitted = []
        for name in workers.keys { workers[name]?.disconnect() }
        workers = workers.filter { !$0.value.isLeaving }
        if random.chance(30) { now = now + .milliseconds(random.number(1...20_000)) }
        scheduler = record.scheduler(configuration: configuration, epoch: scheduler.epoch + 1, at: now)
        model.deferRequest = []
        model.postponed = []
        model.isRecordWritable = true
        model.done = [:]
        model.now = now
        // Jobs that survive the crash are on disk.
        model.uncommittedJobs = [:]
        model.isReconciling = false
        for index in model.ops.indices {
            model.ops[index].worker = model.ops[index].token.flatMap { _ in
                record.operation(model.ops[index].id)?.worker
            }
            model.ops[index].isPrefetched = false
            model.ops[index].isRecalled = false
            model.ops[index].isWithheld = false
            (model.ops[index].isRecordedFirst, model.ops[index].isUnsent) = (false, false)
            model.ops[index].progress = 0
        }
        compared = compared.filter { $0 < model.ops.count && model.ops[$0].outcome != nil }
        let holders = record.operations.values.filter { $0.token != nil && $0.state != .finished }.compactMap(\.worker)
        var processes = record.sessions.mapValues { Int32(truncatingIfNeeded: $0.life.rawValue) }
        for name in holders where processes[name] == nil { processes[name] = 0 }
        model.restart(processes)
        model.jobsMissingAttempts = record.jobsMissingAttempts
        // The model forgets the attempts that an earlier coordinator passed over, as the record names them for whole
        // jobs alone.
        for index in model.ops.indices where record.jobsMissingAttempts.contains(model.ops[index].id.job) {
            guard model.ops[index].outcome == nil, model.ops[index].token == nil else { continue }
            model.ops[index].attempts = Int(record.operation(model.ops[index].id)?.attempt ?? 0)
        }
        awaited = record.workers
        model.isReconciling = scheduler.reconciliation.isOpen
        // Without workers to wait for, the window is over before the first comparison.
        if !model.isReconciling { endWindow() }
        // The state is the committed state.
        take(scheduler.takeInitialEffects(), of: nil)
        expect(scheduler.counts.total == model.ops.count, "the restart changed the number of operations")
        for queue in queues where model.queues[queue] != nil {
            let expected = model.ops.filter { $0.queue == queue && $0.outcome == nil }.map(\.id)
            let found = scheduler.operations(inQueue: queue, limit: .max)
            expect(found == expected, "queue \(queue) has the order \(found), should be \(expected)")
            let isSuspended = scheduler.queue(queue)?.settings.isSuspended
            expect(
                isSuspended == model.queues[queue]?.settings.isSuspended,
                "queue \(queue) has forgotten its suspension"
            )
        }
        reconcilesUntil = now + configuration.reconcileWindow
        committed = (record, model)
        for name in workers.keys.sorted() where random.chance(70) { connect(name) }
    }

    /// Ends the reconcile window of the model.
    mutating func endWindow() {
        model.endWindow { [scheduler, record] in scheduler.record(of: $0)?.attempt ?? record.operation($0)?.attempt }
    }

    /// Whether a change that the coordinator was not told of is really on disk.
    private func isCommitted(_ milestone: Milestone) -> Bool {
        switch milestone {
        case .job(let number): committed.record.jobs[number] != nil
        case .hook(let operation): committed.record.hooks.contains { $0.operation == operation }
        case .session(let session):
            model.name(of: session).map { committed.record.workers.contains($0) } ?? false
        case .dispatch(_, let token): committed.record.holder(of: token) != nil
        }
    }

    /// Checks that the coordinator waits for the workers of before a restart until all have come back or the time is
    /// up, and no longer.
    mutating func checkWindow() {
        guard model.isFollowing else { return }
        let hasClaims = !scheduler.reconciliation.earlyClaims.isEmpty
        if model.isReconciling {
            expect(!awaited.isEmpty || hasClaims, "workers are waited for that are all there")
        } else if awaited.isEmpty {
            see(.windowEndedEarly)
        } else {
            let hasNothing = scheduler.counts.unfinished == 0 && record.hooks.isEmpty
            expect(now >= reconcilesUntil || hasNothing, "\(awaited) are not waited for")
            see(.windowEndedInTime)
            awaited = []
        }
    }

    /// Crashes the coordinator, and lets all workers come back in time with their attempts.
    ///
    /// No attempt that a worker runs or has run is repeated.
    mutating func restartOrderly() {
        // The last changes are on their way to the disk.
        for _ in 0..<random.number(0...30) { work() }
        for name in workers.keys { workers[name]?.isStopped = false }
        restart()
        for name in workers.keys.sorted() where workers[name]?.session == nil { connect(name) }
        var claimed: [OperationID: Set<AttemptToken>] = [:]
        for worker in workers.values {
            for attempt in worker.running + worker.finished.map(\.attempt) where attempt.hookOutcome == nil {
                claimed[attempt.operation, default: []].insert(attempt.token)
            }
        }
        deliverAll()
        while scheduler.reconciliation.isOpen {
            pass(.seconds(1), heard: 100)
            deliverAll()
        }
        for op in model.ops {
            guard let tokens = claimed[op.id], let place = scheduler.graph.node(for: op.id) else { continue }
            let node = scheduler.graph[place]
            // An operation cannot go on if the end of its dependency was neither committed nor claimed by a worker.
            guard node.state != .pending, scheduler.isFirst(node), node.attempt > 0 || node.token != nil else {
                continue
            }
            see(.reranNothing)
            let isKnown = node.token.map { tokens.contains(AttemptToken($0, of: .unknown)) } ?? false
            let hasEnded = op.losses + op.uncountedLosses + op.failures > 0
            expect(isKnown || hasEnded, "\(op.id) runs again, though a worker has it")
        }
    }

    /// Delivers all messages in both directions, until no message is left.
    mutating func deliverAll() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for name in workers.keys.sorted() where workers[name]?.isStopped == false {
                while workers[name]?.outbox.isEmpty == false {
                    receive(from: name)
                    isQuiet = false
                }
                while workers[name]?.inbox.isEmpty == false {
                    deliver(to: name)
                    isQuiet = false
                }
            }
        }
    }

    /// Takes over the fate of attempts from the scheduler: during the reconcile window, attempts depend on the workers
    /// that they find.
    mutating func follow(_ effects: [Effect], in scheduler: Scheduler, _ record: TestRecord) {
        var sentNow: Set<OperationID> = []
        for effect in effects {
            if case .dispatch(let assignment) = effect, assignment.hookOutcome == nil {
                // A withheld attempt has its worker already.
                let place = model.places[assignment.operation]
                if place.map({ model.ops[$0].token }) != assignment.token { sentNow.insert(assignment.operation) }
            } else if case .confirm(.dispatch(_, let token)) = effect, let id = record.holder(of: token) {
                sentNow.insert(id)
            }
        }
        for index in model.ops.indices where model.ops[index].outcome == nil {
            let id = model.ops[index].id
            let before = model.ops[index]
            guard let place = scheduler.graph.node(for: id), let live = scheduler.record(of: id) else {
                follow(index, to: record.operation(id))
                continue
            }
            let isSent = !sentNow.contains(id) && live.token != nil
            if !isSent || live.token != before.token?.inRecord { model.ops[index].isWithheld = false }
            model.ops[index].token = isSent ? live.token.map { AttemptToken($0, of: .unknown) } : nil
            model.ops[index].isStarted = live.state == .executing
            // A pause ends with its attempt.
            if live.state != .executing || live.token != before.token?.inRecord { model.ops[index].isPaused = false }
            model.ops[index].worker = isSent ? live.worker : nil
            model.ops[index].isPrefetched = isSent && scheduler.graph[place].isPrefetched
            model.ops[index].isRecalled = scheduler.graph[place].isRecalled
            model.ops[index].attempts = Int(live.attempt)
            model.ops[index].losses = Int(live.losses)
            model.ops[index].failures = Int(scheduler.graph[place].failures)
            model.ops[index].timeouts = (record.attempts[id] ?? []).count { $0.reason.code == .timeout }
            model.ops[index].notBefore = live.notBefore
            model.ops[index].progress = scheduler.progress(of: id)?.millionths ?? 0
            expect(Int(live.attempt) >= before.attempts, "\(id) has forgotten attempts")
            if Int(live.losses) > before.losses { see(before.isStarted ? .lostExecuting : .lostUnstarted) }
            if let token = live.token, isSent, token != before.token?.inRecord {
                let isHeld = attempts.contains { $0.token.inRecord == token && $0.operation == id }
                expect(isHeld, "\(id) was adopted as \(token), which it never was")
                see(live.state == .executing ? .adopted : .adoptedUnstarted)
            }
        }
        for queue in model.queues.keys { model.queues[queue]?.completed = Int(scheduler.queue(queue)?.completed ?? 0) }
        model.noticeKnownAttempts()
    }

    private mutating func follow(_ index: Int, to record: OperationRecord?) {
        guard let record, let outcome = record.outcome else {
            return expect(false, "\(model.ops[index].id) is gone without an end")
        }
        model.ops[index].outcome = outcome
        model.ops[index].skippedFor = record.skippedFor
        model.ops[index].isCancelled = record.isCancelled
        model.ops[index].attempts = Int(record.attempt)
        model.ops[index].losses = Int(record.losses)
        model.ops[index].hasResult = record.hasResult
        model.ops[index].token = nil
        model.ops[index].worker = nil
        model.ops[index].isStarted = false
        model.ops[index].isPaused = false
        if outcome == .cancelled { expect(record.isCancelled, "\(record.id) was cancelled by nobody") }
    }

    /// Lets all operations come to their ends.
    mutating func complete() {
        for name in workers.keys { workers[name]?.isStopped = false }
        isThorough = false
        apply(.recordWritable(true))
        begin("last", slots: 3, types: Self.types)
        var rounds = 0
        repeat {
            rounds += 1
            for name in workers.keys.sorted() where workers[name]?.session == nil { connect(name) }
            deliverAll()
            commit()
            confirm(unconfirmed.count)
            deliverAll()
            for queue in queues where !isOpen(queue) {
                ask(.setQueue(QueueChange(name: queue, maxConcurrent: .unlimited, isSuspended: false), request: nextID))
            }
            for job in model.jobs.keys.sorted() where model.ops.contains(where: { $0.id.job == job && $0.isHeld }) {
                ask(.release([.job(job)], request: nextID))
            }
            if !model.openJobs.isEmpty { ask(.close(model.openJobs.sorted(), request: nextID)) }
            for _ in 0..<8 { finishSomething(isGood: true) }
            pass(.seconds(1), heard: 100)
        } while rounds < 400
            && (scheduler.counts.unfinished > 0 || !record.hooks.isEmpty || !requests.isEmpty
                || !model.openJobs.isEmpty)
        expectEverythingEnded()
    }

    private func isOpen(_ queue: String) -> Bool {
        model.queues[queue].map { $0.settings.maxConcurrent == nil && !$0.settings.isSuspended } ?? true
    }

    private var nextID: RequestID { RequestID(rawValue: nextRequest) }

    private mutating func ask(_ event: Event) {
        requests[nextID] = Request(event: event)
        nextRequest += 1
        apply(event)
    }

    private func expectEverythingEnded() {
        expect(scheduler.counts.unfinished == 0, "\(scheduler.counts) at the end")
        expect(requests.isEmpty, "\(requests.count) requests were never answered")
        expect(record.hooks.isEmpty, "\(record.hooks.count) hooks were not run")
        for op in model.ops where op.runsAtMostOnce {
            let times = starts.values.count { $0 == op.id }
            expect(times <= 1 + op.retries, "\(op.id) was started \(times) times in fact")
        }
        for op in model.ops where op.hasHook {
            let isOver = hooksRun.contains(op.id) || record.cancelledHooks.contains(op.id)
            expect(isOver, "the hook of \(op.id) was never run")
        }
        expect(
            scheduler.graph.nodeCount == 0 && scheduler.graph.edgeCount == 0 && scheduler.graph.jobCount == 0
                && scheduler.graph.keys.count == 0 && scheduler.requests.isEmpty && scheduler.requests.awaited.isEmpty
                && scheduler.graph.failureConditions.isEmpty && scheduler.graph.progress.isEmpty
                && scheduler.hooks.entries.count == 0
                && scheduler.queues.indexes.map { scheduler.queues[$0] }.allSatisfy {
                    !$0.line.hasCurrentEntries && $0.specialLines.isEmpty && $0.segments.count == 1
                },
            "something is left over"
        )
    }
}
