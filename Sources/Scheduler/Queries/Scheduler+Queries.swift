@_spi(Baton) public import BatonOperations

/// Queries of clients, which change nothing.
@_spi(Baton) extension Scheduler {
    /// The number of operations of the record in each state, including finished jobs.
    public var counts: JobCounts { graph.totals }

    /// The number of the newest event; 0 before the first event.
    public var newestEvent: UInt64 { recordState.nextEvent - 1 }

    /// The counts of an unfinished job; nil if the scheduler does not know the job.
    public func counts(of job: JobNumber) -> JobCounts? {
        graph.job(job).map { graph[$0].counts }
    }

    /// Who asked for an unfinished job; nil if nobody is known, or if the scheduler does not know the job.
    ///
    /// - Complexity: O(1).
    public func submitter(of job: JobNumber) -> String? {
        graph.job(job).flatMap { graph[$0].submittedBy }
    }

    /// The finished share of an unfinished job, from 0 to 1 (PG6); nil if the scheduler does not know the job.
    public func progress(of job: JobNumber) -> Double? {
        guard let place = graph.job(job) else { return nil }
        let done = Double(graph[place].counts.finished) + Double(graph[place].partial) / Double(OperationProgress.whole)
        return min(1, done / Double(max(graph[place].operationCount, 1)))
    }

    /// When the first attempt of an unfinished job was started; nil before, and if the scheduler does not know the job.
    public func start(of job: JobNumber) -> Timestamp? { graph.job(job).flatMap { graph[$0].startedAt } }

    /// The progress that the executing operations of a job report, as a sum in millionths of an operation.
    public func partial(of job: JobNumber) -> UInt64 {
        UInt64(clamping: graph.job(job).map { graph[$0].partial } ?? 0)
    }

    /// The progress that the executing operations of a queue report, barriers excepted, as a sum in millionths of an operation.
    public func partial(ofQueue name: String) -> UInt64 {
        UInt64(clamping: queues.index(ofName: name).map { queues[$0].partial } ?? 0)
    }

    /// The progress that an executing operation reported; nil without a report.
    public func progress(of id: OperationID) -> OperationProgress? {
        graph.node(for: id).flatMap { graph.progress[$0] }
    }

    /// What the files with the results of elements are called by, for an operation that has not finished or runs again.
    public func inputNaming(of id: OperationID) -> InputNaming {
        (graph.node(for: id) ?? graph.reruns[id]?.place).map { graph.inputNaming(of: graph[$0]) } ?? .number
    }

    /// The token of an operation's executing attempt; nil unless the operation executes.
    public func executingToken(of id: OperationID) -> AttemptToken? {
        guard let place = graph.node(for: id), graph[place].stage == .executing else { return nil }
        return token(of: graph[place])
    }

    /// The numbers of the unfinished jobs, oldest first.
    public var unfinishedJobs: [JobNumber] { graph.jobsByAge.map { graph[$0].number } }

    /// The ID of the operation with a name in an unfinished job; for an array, the ID of the first element.
    public func operation(named name: String, in job: JobNumber) -> OperationID? {
        guard let place = graph.job(job), let entry = graph[place].entry(named: name) else { return nil }
        return OperationID(job: job, index: graph[place].entries[entry].first)
    }

    /// The indices of the operations with a name in an unfinished job: one operation, or an array's elements.
    public func operations(named name: String, in job: JobNumber) -> Range<UInt32>? {
        guard let place = graph.job(job), let entry = graph[place].entry(named: name) else { return nil }
        let live = graph[place].entries[entry]
        return live.first..<live.first + live.count
    }

    /// The current record of an unfinished operation; nil if the scheduler does not know the operation.
    public func record(of id: OperationID) -> OperationRecord? {
        guard let place = graph.node(for: id) else { return nil }
        var record = record(at: place)
        if record.readyAt == nil {
            let node = graph[place]
            record.readyAt = sharedReadyMoment(of: node, at: id.index)
        }
        record.id = id
        record.count = 1
        return record
    }

    /// The records of the unfinished operations among consecutive operations of a job.
    ///
    /// - Complexity: O(limit · log entries).
    public func records(of job: JobNumber, from index: UInt32, limit: Int) -> [UInt32: OperationRecord] {
        guard let place = graph.job(job) else { return [:] }
        var result: [UInt32: OperationRecord] = [:]
        let end = graph[place].operationCount
        guard Int(index) < end, limit > 0 else { return [:] }
        for index in index..<index + UInt32(min(limit, end - Int(index))) {
            result[index] = record(of: OperationID(job: job, index: index))
        }
        return result
    }

    /// The states of the unfinished operations among consecutive operations of a job, in order.
    ///
    /// - Complexity: O(limit) for finished operations and single ones, and O(1) for a block of elements that never started.
    public func histories(of job: JobNumber, from index: UInt32, limit: Int) -> [OperationHistory] {
        guard let place = graph.job(job), Int(index) < graph[place].operationCount, limit > 0 else { return [] }
        let end = index + UInt32(min(limit, graph[place].operationCount - Int(index)))
        var histories: [OperationHistory] = []
        var next = index
        while next < end {
            guard let node = graph.node(for: OperationID(job: job, index: next)) else {
                next += 1
                continue
            }
            let behind = min(end, graph[node].index + graph[node].count)
            var history = OperationHistory(record(at: node))
            (history.first, history.count) = (next, behind - next)
            histories.append(history)
            next = behind
        }
        return histories
    }

    /// The queue with a name; nil if the queue was never used.
    public func queue(_ name: String) -> QueueView? {
        queues.index(ofName: name).map { view(of: queues[$0]) }
    }

    /// The number of queues.
    public var queueCount: Int { queues.count }

    /// The number of workers, including lost workers.
    public var workerCount: Int { workers.count }

    /// The number of workers that are on record as drained.
    public var drainCount: Int { drains.all.count }

    /// All queues by name.
    public var allQueues: [QueueView] {
        queues.indexes.map { view(of: queues[$0]) }.sorted { $0.name < $1.name }
    }

    private func view(of queue: QueueState) -> QueueView {
        QueueView(
            name: queue.name,
            settings: queue.settings,
            counts: queue.counts,
            ended: queue.ended,
            completed: queue.completed,
            progress: queue.progress
        )
    }

    /// The unfinished operations of a queue in the order of their addition (QU7), at most `limit`.
    ///
    /// - Complexity: O(unfinished nodes).
    public func operations(inQueue name: String, limit: Int) -> [OperationID] {
        guard let queue = queues.index(ofName: name) else { return [] }
        var result: [OperationID] = []
        for place in graph.unfinishedNodes(ofQueue: queue) {
            let (first, count) = (graph.id(at: place), graph[place].count)
            for offset in 0..<count {
                guard result.count < limit else { return result }
                result.append(OperationID(job: first.job, index: first.index + offset))
            }
        }
        return result
    }

    /// All workers by name, including lost workers, and workers that have left and are on record as drained.
    public var allWorkers: [WorkerView] {
        // A worker without a name, from an old record, stands for all unnamed workers.
        let known = workers.indexes.filter { !workers[$0].introduction.name.isEmpty }.map { view(of: $0) }
        return (known + drainedWorkersThatLeft).sorted { $0.name < $1.name }
    }

    /// Whether a worker with a name is on the list.
    public func isListed(_ name: String) -> Bool { workers.index(ofName: name) != nil }

    /// A worker that is on the list; nil if there is none with the name.
    ///
    /// - Complexity: O(types of the worker), and O(drained workers) for one that has left.
    public func worker(named name: String) -> WorkerView? {
        guard !name.isEmpty else { return nil }
        return workers.index(ofName: name).map { view(of: $0) } ?? drainedWorkersThatLeft.first { $0.name == name }
    }

    private func view(of place: WorkerIndex) -> WorkerView {
        let worker = workers[place]
        let drain = drains[worker.introduction.id]
        return WorkerView(
            name: worker.introduction.name,
            host: worker.introduction.host,
            processID: worker.introduction.processID,
            condition: worker.condition,
            fault: worker.failing?.reason,
            isDraining: drain != nil || worker.isLeaving,
            drain: drain,
            endsAt: worker.endsAt,
            slots: worker.introduction.slots,
            executing: worker.executingCount,
            offer: worker.introduction.offer,
            used: ledger.use(at: place),
            types: worker.introduction.types.filter { Work.parts(ofNeededType: $0).optionVersion == 1 },
            roundTrip: worker.times.distance.isNear ? nil : .microseconds(worker.times.distance.roundTrip),
            lastHeardAt: worker.isAbsent ? nil : worker.times.lastHeard,
            isAbsent: worker.isAbsent,
            isKeeper: worker.introduction.isKeeper,
            lostAt: worker.condition == .suspect ? worker.times.lastHeard + configuration.lostAfter : nil
        )
    }

    /// The operations that a worker executes, in order.
    ///
    /// - Complexity: O(attempts of the worker).
    public func executing(onWorker name: String, limit: Int) -> [OperationRecord] {
        guard let place = workers.index(ofName: name) else { return [] }
        let executing = workers[place].attempts.values.filter { graph[$0].stage == .executing }
        let records = executing.map { place in
            let node = graph[place]
            var record = presentRecord(of: node)
            guard isRerun(node) else { return record }
            // The record tells how the operation ended before.
            record.state = .executing
            record.outcome = nil
            record.startedAt = node.startedAt
            record.finishedAt = nil
            return record
        }
        return Array(records.sorted { $0.id < $1.id }.prefix(limit))
    }

    /// The drained workers that have left, except workers whose names have passed to present workers.
    private var drainedWorkersThatLeft: [WorkerView] {
        let present = Set(workers.indexes.map { workers[$0].introduction.id })
        var left: [String: DrainRecord] = [:]
        for (id, drain) in drains.all where !present.contains(id) && workers.index(ofName: drain.name) == nil {
            if left[drain.name].map({ $0.since < drain.since }) ?? true { left[drain.name] = drain }
        }
        return left.values.map { drain in
            WorkerView(
                name: drain.name,
                host: "",
                processID: 0,
                condition: .left,
                isDraining: true,
                drain: drain,
                slots: 0,
                executing: 0,
                offer: WorkerOffer(),
                used: ResourceUse(),
                types: [],
                isAbsent: false
            )
        }
    }

    /// The session of the worker that holds an operation's attempt, with the attempt.
    public func execution(of id: OperationID) -> (session: SessionID, token: AttemptToken)? {
        guard let place = graph.node(for: id) ?? graph.reruns[id]?.place, let worker = graph[place].worker,
            !workers[worker].isAbsent,
            let token = token(of: graph[place])
        else { return nil }
        return (workers[worker].introduction.session, token)
    }

    /// The operations of a job that are executing, with their attempts, in the order of their indices.
    ///
    /// - Complexity: O(the attempts on all workers).
    public func executions(of job: JobNumber) -> [(operation: UInt32, attempt: UInt32)] {
        guard graph.job(job) != nil else { return [] }
        var executions: [(operation: UInt32, attempt: UInt32)] = []
        for worker in workers.indexes {
            for place in workers[worker].attempts.values where graph[place].stage == .executing {
                let id = graph.id(at: place)
                if id.job == job { executions.append((id.index, graph[place].attempt)) }
            }
        }
        return executions.sorted { $0.operation < $1.operation }
    }

    /// Whether the reconcile window is open.
    public var isReconciling: Bool { reconciliation.isOpen }

    /// Whether a worker of this name may yet tell of attempts from before the start: the reconcile window is open, or the worker has
    /// recorded attempts and has not come back.
    public func awaitsReturn(ofWorker name: String) -> Bool {
        reconciliation.isOpen || workers.index(ofName: name).map { workers[$0].isAbsent } ?? false
    }

    /// Whether a session is the current session of a worker that is not lost.
    public func isCurrent(_ session: SessionID) -> Bool { workers.index(ofSession: session) != nil }

    /// The name of the worker with a current session; nil if the session is not current.
    public func worker(of session: SessionID) -> String? {
        workers.index(ofSession: session).map { workers[$0].introduction.name }
    }

    /// Whether an attempt is the run of a completion hook on the worker with a current session.
    public func isHook(_ token: AttemptToken, of session: SessionID) -> Bool {
        workers.index(ofSession: session).map { workers[$0].hooks[token] != nil } ?? false
    }

    /// Whether any of some consecutive operations of a job is unfinished.
    ///
    /// - Complexity: O(log entries) for a single operation or an array as a whole, else O(range).
    public func isAnyUnfinished(_ range: Range<UInt32>, in job: JobNumber) -> Bool {
        guard let place = graph.job(job), let entry = graph[place].entry(ofIndex: range.lowerBound) else {
            return false
        }
        let live = graph[place].entries[entry]
        if let array = live.array, live.first == range.lowerBound, Int(live.count) == range.count {
            return graph[place].arrays[array.offset].join.unfinished > 0
        }
        return range.contains { graph.node(for: OperationID(job: job, index: $0)) != nil }
    }

    /// The current session of a worker; nil if the worker is unknown, lost or absent.
    public func session(ofWorker name: String) -> SessionID? {
        guard let place = workers.index(ofName: name), workers[place].condition != .lost, !workers[place].isAbsent
        else {
            return nil
        }
        return workers[place].introduction.session
    }

    /// The workers that joined with a key, lost ones included, in the order of their names.
    ///
    /// - Complexity: O(workers).
    public func workers(withKey number: UInt32) -> [String] {
        workers.indexes.lazy.filter { workers[$0].introduction.keyNumber == number }
            .map { workers[$0].introduction.name }.sorted()
    }
}
