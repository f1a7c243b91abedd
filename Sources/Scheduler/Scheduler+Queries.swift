public import BatonOperations

/// What a client may ask without changing anything.
extension Scheduler {
    /// How many operations of the record are in which state, finished jobs included.
    public var counts: JobCounts { totals }

    /// The number of the newest event; 0 where nothing has happened yet.
    public var newestEvent: UInt64 { nextEvent - 1 }

    /// The counts of an unfinished job; nil where the scheduler does not hold it.
    public func counts(of job: JobNumber) -> JobCounts? {
        jobPlaces[job].map { jobs[$0].counts }
    }

    /// How much of an unfinished job is done, from 0 to 1 (PG6); nil where the scheduler does not hold it.
    public func progress(of job: JobNumber) -> Double? {
        guard let place = jobPlaces[job] else { return nil }
        let done = Double(jobs[place].counts.finished) + Double(jobs[place].partial) / Double(OperationProgress.whole)
        return min(1, done / Double(max(jobs[place].operationCount, 1)))
    }

    /// What an executing operation said of its progress; nil where it said nothing.
    public func progress(of id: OperationID) -> OperationProgress? {
        node(for: id).flatMap { progress[$0] }
    }

    /// The numbers of the unfinished jobs, oldest first.
    public var unfinishedJobs: [JobNumber] { jobPlaces.keys.sorted() }

    /// The address of the operation, or the first of the array, with a name in an unfinished job.
    public func operation(named name: String, in job: JobNumber) -> OperationID? {
        guard let place = jobPlaces[job], let entry = jobs[place].entry(named: name) else { return nil }
        return OperationID(job: job, index: jobs[place].entries[entry].first)
    }

    /// All operations of the entry with a name in an unfinished job: one, or an array's elements.
    public func operations(named name: String, in job: JobNumber) -> Range<UInt32>? {
        guard let place = jobPlaces[job], let entry = jobs[place].entry(named: name) else { return nil }
        let live = jobs[place].entries[entry]
        return live.first..<live.first + live.count
    }

    /// Where an unfinished operation is in its life; nil where the scheduler does not hold it.
    public func record(of id: OperationID) -> OperationRecord? {
        guard let place = node(for: id) else { return nil }
        var record = record(at: place)
        record.id = id
        record.count = 1
        return record
    }

    /// The unfinished operations among some consecutive ones of a job.
    ///
    /// - Complexity: O(limit · log entries).
    public func records(of job: JobNumber, from index: UInt32, limit: Int) -> [UInt32: OperationRecord] {
        guard let place = jobPlaces[job] else { return [:] }
        var result: [UInt32: OperationRecord] = [:]
        let end = jobs[place].operationCount
        guard Int(index) < end, limit > 0 else { return [:] }
        for index in index..<index + UInt32(min(limit, end - Int(index))) {
            result[index] = record(of: OperationID(job: job, index: index))
        }
        return result
    }

    /// One queue; nil where nobody has used it.
    public func queue(_ name: String) -> QueueView? {
        queuePlaces[name].map { view(of: queues[Int($0)]) }
    }

    /// How many queues there are.
    public var queueCount: Int { queues.count }

    /// How many workers there are, those that are lost included.
    public var workerCount: Int { workers.count }

    /// All queues by name.
    public var allQueues: [QueueView] {
        queues.map { view(of: $0) }.sorted { $0.name < $1.name }
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
        guard let queue = queuePlaces[name] else { return [] }
        var result: [OperationID] = []
        for job in jobPlaces.keys.sorted().compactMap({ jobPlaces[$0] }) {
            for place in unfinishedNodes(of: job) where nodes[place].queue == queue {
                let node = nodes[place]
                for offset in 0..<node.count {
                    guard result.count < limit else { return result }
                    result.append(OperationID(job: jobs[job].number, index: node.index + offset))
                }
            }
        }
        return result
    }

    /// All workers by name, those that are lost included.
    public var allWorkers: [WorkerView] {
        // A record of long ago has one without a name, who stands for whoever there was.
        workers.places.filter { !workers[$0].introduction.name.isEmpty }.map { place in
            let worker = workers[place]
            return WorkerView(
                name: worker.introduction.name,
                host: worker.introduction.host,
                processID: worker.introduction.processID,
                condition: worker.condition,
                fault: worker.failing?.reason,
                slots: worker.introduction.slots,
                executing: worker.attempts.count - worker.sent.count,
                types: worker.introduction.types,
                isAbsent: worker.isAbsent
            )
        }.sorted { $0.name < $1.name }
    }

    /// The session of the worker that runs an operation's attempt, with the attempt.
    public func execution(of id: OperationID) -> (session: SessionID, token: AttemptToken)? {
        guard let place = node(for: id), nodes[place].worker >= 0, !workers[nodes[place].worker].isAbsent,
            let token = token(of: nodes[place])
        else { return nil }
        return (workers[nodes[place].worker].introduction.session, token)
    }

    /// Whether a session is the present one of a worker that is not lost.
    public func isCurrent(_ session: SessionID) -> Bool { sessions[session] != nil }

    /// The name of the worker whose present session this is; nil where it is nobody's.
    public func worker(of session: SessionID) -> String? {
        sessions[session].map { workers[$0].introduction.name }
    }

    /// Whether any of some consecutive operations of a job is unfinished.
    ///
    /// - Complexity: O(log entries) for a single operation or an array as a whole, else O(range).
    public func isAnyUnfinished(_ range: Range<UInt32>, in job: JobNumber) -> Bool {
        guard let place = jobPlaces[job], let entry = jobs[place].entry(ofIndex: range.lowerBound) else { return false }
        let live = jobs[place].entries[entry]
        if live.array >= 0, live.first == range.lowerBound, Int(live.count) == range.count {
            return jobs[place].arrays[Int(live.array)].join.unfinished > 0
        }
        return range.contains { node(for: OperationID(job: job, index: $0)) != nil }
    }

    /// The session of a worker that is there; nil where it is not.
    public func session(ofWorker name: String) -> SessionID? {
        guard let place = workerPlaces[name], workers[place].condition != .lost, !workers[place].isAbsent else {
            return nil
        }
        return workers[place].introduction.session
    }
}
