@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// Documents from the state of the record and the scheduler.

extension OperationDocument {
    /// Describes an operation, by the scheduler if the scheduler knows the operation, or else by the record.
    ///
    /// - Parameters:
    ///   - progress: the operation's progress report while the operation is executing.
    ///   - stop: the signal that keeps the executing operation's process stopped.
    ///   - paused: the pause of the executing operation.
    ///   - attempts: the earlier attempts in the record, which may be ahead of the scheduler's state; nil lists none.
    ///   - lostOutputs: the attempts in the record whose output was lost.
    ///   - usages: what attempts used, by their numbers.
    ///   - files: how many files workers keep of the operation.
    ///   - copies: the fewest workers that keep one of them, if that is known.
    ///   - hook: the run of the completion hook.
    init(
        _ stored: StoredOperation,
        live: OperationRecord?,
        progress: OperationProgress? = nil,
        stop: StopDocument? = nil,
        paused: PauseDocument? = nil,
        attempts: [AttemptRecord]? = nil,
        lostOutputs: [UInt32] = [],
        usages: [UInt32: AttemptUsage] = [:],
        files: FilesSize? = nil,
        copies: Int? = nil,
        hook: HookDocument? = nil
    ) {
        let record = live ?? stored.record
        self.init(
            record: record,
            entry: stored.entry,
            queue: stored.queue,
            template: stored.template,
            item: stored.arrayItem,
            index: stored.arrayNumber,
            dependencies: stored.dependencies.map { DependencyDocument($0) },
            submittedAt: stored.submittedAt,
            progress: progress,
            stop: stop,
            paused: paused,
            attempts: attempts?.filter { record.isAfter($0) },
            lostOutputs: lostOutputs.filter { record.isAfter(attempt: $0) },
            usages: usages,
            files: files.map { FileTotals(count: $0.count, bytes: $0.bytes, copies: copies) },
            hook: hook
        )
    }
}

extension OperationRecord {
    /// Whether an attempt that did not end the operation had ended at the moment of the record.
    ///
    /// An attempt whose files were lost is none of these if they came back before anything ran again.
    func isAfter(_ earlier: AttemptRecord) -> Bool {
        if earlier.attempt == attempt, outcome == .succeeded, earlier.reason.code == .files { return false }
        return isAfter(attempt: earlier.attempt)
    }

    /// Whether an attempt that did not end the operation had ended at the moment of the record.
    func isAfter(attempt earlier: UInt32) -> Bool {
        earlier < attempt || earlier == attempt && state != .executing
    }
}

extension DependencyDocument {
    /// Describes a dependency; a dependency on an array is written as the range of elements, `12/3-7`.
    fileprivate init(_ stored: StoredDependency) {
        var target = stored.target.description
        if case .operation(let first) = stored.target, stored.count > 1 {
            target += "-\(first.index + stored.count - 1)"
        }
        self.init(operation: target, condition: stored.condition)
    }
}

extension JobListDocument.Job {
    /// Describes a job, with the scheduler's counts if the scheduler knows the job, or else with the record's counts.
    ///
    /// - Parameters:
    ///   - isOpen: whether the job takes further operations.
    ///   - command: the command of a job without a name.
    init(_ summary: JobSummary, live: JobCounts?, isOpen: Bool, command: [String]? = nil) {
        let counts = live ?? summary.counts ?? JobCounts()
        self.init(
            job: summary.number,
            name: summary.name,
            queue: summary.queue,
            state: counts.state(isOpen: isOpen),
            open: isOpen,
            counts: counts,
            submittedAt: summary.submittedAt,
            by: summary.submittedBy,
            finishedAt: live == nil ? summary.finishedAt : nil,
            command: command,
            retryOf: summary.retryOf,
            tags: summary.settings.tags
        )
    }
}

extension QueueSummary {
    /// Describes a queue.
    init(_ view: QueueView) {
        self.init(
            queue: view.name,
            maxConcurrent: view.settings.maxConcurrent,
            suspended: view.settings.isSuspended,
            qos: view.settings.qualityOfService,
            count: view.counts.unfinished,
            executing: view.counts.executing,
            total: view.settings.total,
            completed: view.completed,
            progress: view.progress,
            rate: view.settings.startRate
        )
    }
}

extension WorkersDocument.Worker {
    /// Describes a worker.
    ///
    /// - Parameter time: the present moment.
    init(_ view: WorkerView, at time: ShownTime) {
        let state = WorkersDocument.State(of: view)
        let isKnown = !view.isAbsent && view.condition != .left
        self.init(
            worker: view.name,
            state: state,
            reason: state == .failing ? view.fault : nil,
            draining: view.isDraining,
            drainedAt: (view.drain?.since).map(time.past),
            drainedBy: view.drain?.by,
            endsAt: view.endsAt.map(time.future),
            slots: view.slots,
            executing: view.executing,
            host: view.host,
            cpus: isKnown ? Double(view.offer.cpus) / 1000 : nil,
            memory: isKnown ? view.offer.memory : nil,
            memoryControl: view.offer.memoryControl?.rawValue,
            labels: view.offer.labels,
            resources: view.offer.resources,
            used: isKnown ? WorkersDocument.Used(view.used) : nil,
            types: view.types,
            roundTripSeconds: view.roundTrip.map { Double($0.microseconds) / 1_000_000 },
            silentSeconds: view.silence(at: time.now),
            processID: view.processID,
            absent: view.isAbsent,
            keeper: view.isKeeper ? true : nil,
            lostAt: view.lostAt.map(time.future)
        )
    }
}

extension WorkersDocument.State {
    /// The state of a worker.
    init(of view: WorkerView) {
        self =
            switch view.condition {
            case .alive where view.fault != nil, .draining where view.fault != nil, .failing: .failing
            case .alive: .alive
            case .draining: .draining
            case .suspect: .suspect
            case .lost: .lost
            case .left: .left
            }
    }
}

extension WorkerView {
    /// The time since the last sign of life, in seconds; nil for a worker that has left or has not come back.
    func silence(at now: Timestamp) -> Double? {
        lastHeardAt.map { Double(max(0, (now - $0).microseconds)) / 1e6 }
    }
}

extension WorkersDocument.Used {
    /// Describes what attempts have taken.
    fileprivate init(_ use: ResourceUse) {
        self.init(cpus: Double(use.cpus) / 1000, memory: use.memory, resources: use.resources)
    }
}

extension WaitReason {
    /// Explains an impediment: the obstacle to running an operation.
    ///
    /// - Parameters:
    ///   - time: the present moment.
    ///   - isPlural: whether the sentence is about several operations; only some obstacles are those of several.
    init(_ impediment: Impediment, at time: ShownTime, isPlural: Bool = false) {
        switch impediment {
        case .dependency(let address, let condition, let counts, let reasons):
            let nested = reasons.map { WaitReason($0, at: time) }
            self = .dependency(on: address, condition: condition, counts: counts, waitsFor: nested)
        case .moreDependencies(let count): self = .moreDependencies(count)
        case .openJob(let job): self = .openJob(job)
        case .cancelled(let queue): self = .cancelled(queue: queue)
        case .files(let operation, let name, let files, let loss, let others, let isExecuting, let reasons):
            self = .files(
                of: operation,
                name: name,
                count: files,
                loss: loss,
                others: others,
                isExecuting: isExecuting,
                waitsFor: reasons.map { WaitReason($0, at: time) },
                isPlural: isPlural
            )
        case .fetching(let worker, let files, let bytes, let present):
            self = .fetching(worker: worker, count: files, bytes: bytes, present: present, isPlural: isPlural)
        case .fetches(let operations): self = .fetches(operations: operations)
        case .hold: self = .hold
        case .suspended(let queue): self = .suspended(queue: queue)
        case .barrier(let barrier, let queue, let unfinished, let first):
            self = .barrier(barrier, queue: queue, unfinished: unfinished, first: first)
        case .beforeBarrier(let queue, let unfinished, let first):
            self = .beforeBarrier(queue: queue, unfinished: unfinished, first: first)
        case .besideReruns(let queue, let count, let first):
            self = .besideReruns(queue: queue, count: count, first: first, isPlural: isPlural)
        case .sent(let worker, let isRecalled, let isAway):
            self = .sent(worker: worker, isRecalled: isRecalled, isAway: isAway)
        case .delay(let until, let isRetry):
            self = .delay(until: time.future(until), isRetry: isRetry, now: time.present)
        case .reconciling(let until, let workers):
            self = .reconciling(until: time.future(until), workers: workers, now: time.present)
        case .limit(let queue, let limit, let executing):
            self = .limit(queue: queue, limit: limit, executing: executing)
        case .rate(let queue, let rate, let until):
            self = .rate(queue: queue, rate, until: time.future(until), now: time.present)
        case .keptPlace(let queue, let limit, let executing, let operation, let worker):
            self = .keptPlace(queue: queue, limit: limit, executing: executing, operation: operation, worker: worker)
        case .arrayLimit(let array, let limit, let executing):
            self = .arrayLimit(of: array, limit: limit, executing: executing)
        case .sharedLimit(let name, let needed, let units, let taken, let holders, let holderCount, let first):
            self = .sharedLimit(
                name,
                needed: needed,
                units: units,
                taken: taken,
                holders: holders,
                holderCount: holderCount,
                first: first,
                isPlural: isPlural
            )
        case .noWorker(let type, let silent): self = .noWorker(type: type, silent: silent, isPlural: isPlural)
        case .draining(let workers, let drained, let silent):
            self = .draining(workers: workers, drained: drained, silent: silent, isPlural: isPlural)
        case .timeLimit(let needed, let left, let worker, let others):
            self = .timeLimit(needed: needed, left: left, worker: worker, others: others, isPlural: isPlural)
        case .failing(let worker, let reason, let others):
            self = .failing(worker: worker, reason: reason, others: others)
        case .noRoom(let worker, let reason, let others):
            self = .noRoom(worker: worker, reason: reason, others: others)
        case .largeFiles(let bytes, let limit, let worker, let able):
            self = .largeFiles(bytes: bytes, limit: limit, worker: worker, able: able, isPlural: isPlural)
        case .resources(let lacks, let others, let isPossible, let reserved):
            self = .resources(
                lacks: lacks,
                others: others,
                isPossible: isPossible,
                reserved: reserved,
                isPlural: isPlural
            )
        case .slots(let total, let type): self = .slots(total: total, type: type)
        case .order(let queue, let ahead): self = .order(queue: queue, ahead: ahead)
        }
    }
}
