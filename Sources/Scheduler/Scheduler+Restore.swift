public import Operations

extension Scheduler {
    /// Goes on from a record: every unfinished operation is where it was.
    ///
    /// What was executing still is, until the reconcile window is over: its worker may come back and say so. Until then
    /// nothing is dispatched, because the last dispatches before a crash may be missing in the record.
    ///
    /// - Parameters:
    ///   - configuration: the limits by which workers are judged.
    ///   - epoch: the number of this start; larger than that of any token in the record.
    ///   - nextJob: the number of the next job.
    ///   - queues: all queues with their settings.
    ///   - restoredJobs: the unfinished jobs, oldest first.
    ///   - settled: what has become of those dependencies that lie in finished jobs.
    ///   - finished: how the operations of all finished jobs ended.
    ///   - now: the time of the start.
    public init(
        configuration: Configuration = Configuration(),
        epoch: UInt32,
        nextJob: JobNumber,
        queues: [String: QueueSettings],
        jobs restoredJobs: [RestoredJob],
        settled: [Address: SettledDependency],
        finished: JobCounts,
        at now: Timestamp
    ) {
        self.init(configuration: configuration, epoch: epoch)
        self.now = now
        self.nextJob = nextJob
        self.totals = finished
        for (name, settings) in queues.sorted(by: { $0.key < $1.key }) { _ = takeIn(queue: name, settings: settings) }

        var settled = settled
        var waiting: [(node: Int32, delay: Timestamp?)] = []
        for restored in restoredJobs {
            waiting += restore(restored)
            for record in restored.records where record.state == .finished && record.count == 1 {
                settled[.operation(record.id)] = SettledDependency(
                    succeeded: record.outcome == .succeeded,
                    failed: record.outcome == .failed,
                    hasResult: record.hasResult
                )
            }
        }
        for (node, time) in waiting {
            if let time, time > now { postpone(node, until: time) }
            connect(node, settled: settled)
        }
        for (node, _) in waiting where nodes[node].waiting == 0 { advance(node, on: .conditionsMet) }
        finishSkipped()
        closeFinishedJobs()
        if !restoredJobs.isEmpty {
            isReconciling = true
            timers.insert(Timer(deadline: now + configuration.reconcileWindow, purpose: .reconcileWindow))
        }
    }

    /// What follows at once from a restored record; to be carried out before the first event.
    public mutating func takeInitialEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// Makes the nodes of a job's unfinished operations.
    ///
    /// - Returns: those that are pending, with the time before which they may not start.
    private mutating func restore(_ restored: RestoredJob) -> [(node: Int32, delay: Timestamp?)] {
        let submission = restored.job.submission
        let job = takeIn(restored.job)
        if let key = submission.key { keys[key] = (restored.job.number, jobs[job].operationCount) }
        let queues = submission.queueNames.map { queue(named: $0) }
        var waiting: [(node: Int32, delay: Timestamp?)] = []
        var records = restored.records[...]
        for (position, entry) in submission.entries.enumerated() {
            let live = jobs[job].entries[position]
            var index = live.first
            let end = live.first + live.count
            let delay = entry.delay.map { restored.job.submittedAt + $0 }
            func fresh(count: UInt32) -> OperationNode {
                OperationNode(
                    job: job,
                    entry: Int32(position),
                    index: index,
                    count: count,
                    queue: queues[entry.queue],
                    sequence: nextSequence,
                    priority: entry.priority
                )
            }
            while index < end {
                guard let record = records.first, record.id.index < end else {
                    waiting.append((addNode(fresh(count: end - index)), delay))
                    break
                }
                if index < record.id.index {
                    waiting.append((addNode(fresh(count: record.id.index - index)), delay))
                    index = record.id.index
                    continue
                }
                records.removeFirst()
                var node = fresh(count: record.count)
                index += record.count
                node.attempt = record.attempt
                node.losses = record.losses
                node.isCancelled = record.isCancelled
                switch record.state {
                case .finished:
                    // It keeps its age, so that the others' order stays the same.
                    nextSequence += UInt64(record.count)
                    settle(record, in: job, entry: position)
                case .executing:
                    node.state = .executing
                    node.failures = record.attempt - min(record.attempt, record.losses + 1)
                    node.token = record.token
                    node.startedAt = record.startedAt
                    node.readyAt = record.readyAt
                    let place = addNode(node)
                    if let token = record.token { orphans[token] = place }
                case .pending, .ready:
                    node.failures = record.attempt - min(record.attempt, record.losses)
                    waiting.append((addNode(node), record.notBefore ?? delay))
                }
            }
        }
        return waiting
    }

    /// Counts what was finished before the restart.
    private mutating func settle(_ record: OperationRecord, in job: Int32, entry: Int) {
        guard let outcome = record.outcome else { return }
        let count = Int(record.count)
        jobs[job].counts[outcome] += count
        totals[outcome] += count
        jobs[job].join.count(count, outcome: outcome, hasResult: record.hasResult)
        let array = Int(jobs[job].entries[entry].array)
        if array >= 0 { jobs[job].arrays[array].join.count(count, outcome: outcome, hasResult: record.hasResult) }
    }
}
