public import Operations

/// A record that lasts as long as the object: for tests, and for work that nobody wants kept.
///
/// It may be opened again after it was closed, and then stands for a coordinator that was restarted.
public final class InMemoryStore: Store {
    /// A job and all that is known of it.
    struct StoredJob {
        var job: JobRecord
        var firsts: [UInt32]
        var records = RecordMap()
        var outputs: [UInt32: [AttemptOutput]] = [:]
        var finishedAt: Timestamp?
        var counts: JobCounts?
    }

    private var epoch: UInt32 = 0
    private var queues: [String: QueueSettings] = [:]
    private var jobs: [JobNumber: StoredJob] = [:]
    private var numbersByKey: [String: JobNumber] = [:]

    /// Makes an empty record.
    public init() {}

    /// Raises the epoch and lists what is unfinished.
    public func open() throws(StoreError) -> StoredState {
        epoch += 1
        let numbers = jobs.keys.sorted()
        var state = StoredState(epoch: epoch, nextJob: JobNumber((numbers.last?.rawValue ?? 0) + 1), queues: queues)
        for number in numbers {
            guard let job = jobs[number] else { continue }
            if let counts = job.counts {
                state.finished += counts
            } else {
                state.jobs.append(RestoredJob(job: job.job, records: job.records.records))
            }
        }
        for address in state.jobs.existingDependencies { state.settled[address] = try settled(address) }
        return state
    }

    /// Takes the changes over.
    public func commit(_ changes: [RecordChange]) throws(StoreError) {
        for change in changes {
            switch change {
            case .job(let job):
                var firsts: [UInt32] = []
                var next: UInt32 = 0
                for entry in job.submission.entries {
                    firsts.append(next)
                    next += UInt32(entry.count)
                }
                jobs[job.number] = StoredJob(job: job, firsts: firsts)
                if let key = job.submission.key { numbersByKey[key] = job.number }
            case .operation(let record):
                jobs[record.id.job]?.records.set(record)
            case .output(let operation, let output):
                guard !output.isEmpty else { continue }
                jobs[operation.job]?.outputs[operation.index, default: []].removeAll { $0.attempt == output.attempt }
                jobs[operation.job]?.outputs[operation.index, default: []].append(output)
            case .jobFinished(let number, let counts, let time):
                guard jobs[number]?.finishedAt == nil else { continue }
                jobs[number]?.finishedAt = time
                jobs[number]?.counts = counts
            case .queue(let name, let settings):
                queues[name] = settings
            }
        }
    }

    /// Looks a job up by its key.
    public func job(withKey key: String) throws(StoreError) -> JobSummary? {
        numbersByKey[key].flatMap { jobs[$0]?.summary }
    }

    /// Looks a job up by its number.
    public func job(_ number: JobNumber) throws(StoreError) -> JobSummary? {
        jobs[number]?.summary
    }

    /// Lists a page of jobs.
    public func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary] {
        let numbers = jobs.keys.filter { number in before.map { number < $0 } ?? true }.sorted(by: >)
        return numbers.prefix(max(0, limit)).compactMap { jobs[$0]?.summary }
    }

    /// Lists a page of a job's operations.
    public func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation] {
        guard let stored = jobs[job] else { return [] }
        let end = min(UInt64(stored.job.submission.operationCount), UInt64(index) + UInt64(max(0, limit)))
        guard UInt64(index) < end else { return [] }
        return (index..<UInt32(end)).map { stored.operation(at: $0) }
    }

    /// Looks an operation, or an array, up by its name.
    public func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>? {
        guard let stored = jobs[job],
            let entry = stored.job.submission.entries.firstIndex(where: { $0.name == name })
        else { return nil }
        return stored.firsts[entry]..<stored.firsts[entry] + UInt32(stored.job.submission.entries[entry].count)
    }

    /// Says what has become of something that is finished.
    public func settled(_ address: Address) throws(StoreError) -> SettledDependency? {
        switch address {
        case .job(let number):
            guard let job = jobs[number], let counts = job.counts else { return nil }
            return SettledDependency(
                succeeded: counts.isAllSuccess,
                failed: counts.failed > 0,
                hasResult: job.records.records.contains { $0.hasResult }
            )
        case .operation(let id): return jobs[id.job]?.records.record(at: id.index)?.settled
        case .named(let job, let name):
            return try operations(named: name, in: job).flatMap {
                jobs[job]?.records.record(at: $0.lowerBound)?.settled
            }
        }
    }

    /// Finds what an attempt printed.
    public func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput? {
        let outputs = jobs[operation.job]?.outputs[operation.index] ?? []
        guard let attempt else { return outputs.max { $0.attempt < $1.attempt } }
        return outputs.first { $0.attempt == attempt }
    }

    /// Finds the result that an operation left.
    public func result(of operation: OperationID) throws(StoreError) -> [UInt8]? {
        guard let record = jobs[operation.job]?.records.record(at: operation.index), record.hasResult else {
            return nil
        }
        return try output(of: operation, attempt: record.attempt)?.result
    }

    /// Finds the dependencies that left results.
    public func dependenciesWithResults(of operation: OperationID) throws(StoreError) -> [ResultSource] {
        guard let dependent = jobs[operation.job], dependent.entry(of: operation.index) != nil else { return [] }
        var sources: [ResultSource] = []
        var seen: Set<OperationID> = []
        for dependency in dependent.operation(at: operation.index).dependencies {
            guard let target = jobs[dependency.target.job] else { continue }
            var range: Range<UInt32> = 0..<UInt32(target.job.submission.operationCount)
            switch dependency.target {
            case .job: break
            case .operation(let id): range = id.index..<id.index + dependency.count
            case .named(let job, let name):
                guard let named = try operations(named: name, in: job) else { continue }
                range = named
            }
            for index in range where target.records.record(at: index)?.hasResult == true {
                let id = OperationID(job: target.job.number, index: index)
                guard let element = target.element(at: index), seen.insert(id).inserted else { continue }
                sources.append(ResultSource(operation: id, of: element, seenFrom: operation.job))
            }
        }
        return sources
    }

    /// Keeps everything for the next ``open()``.
    public func close() {}
}

extension InMemoryStore.StoredJob {
    /// The job as a list shows it.
    var summary: JobSummary {
        let submission = job.submission
        return JobSummary(
            number: job.number,
            name: submission.name,
            queue: submission.entries.first.map { submission.queueNames[$0.queue] } ?? Submission.defaultQueue,
            operations: submission.operationCount,
            submittedAt: job.submittedAt,
            finishedAt: finishedAt,
            counts: counts
        )
    }

    /// The entry that an operation comes from.
    func entry(of index: UInt32) -> Int? {
        guard Int(index) < job.submission.operationCount else { return nil }
        return firsts.lastIndex { $0 <= index }
    }

    /// What the name of an operation's result is made of.
    func element(at index: UInt32) -> ResultSource.Element? {
        entry(of: index).map { position in
            let entry = job.submission.entries[position]
            return ResultSource.Element(name: entry.name, position: entry.array.map { _ in index - firsts[position] })
        }
    }

    /// One of its operations; the index must be one.
    func operation(at index: UInt32) -> StoredOperation {
        let position = entry(of: index) ?? 0
        let entry = job.submission.entries[position]
        let template = job.submission.templates[entry.template]
        return StoredOperation(
            record: records.record(at: index) ?? OperationRecord(id: OperationID(job: job.number, index: index)),
            name: entry.name,
            queue: job.submission.queueNames[entry.queue],
            priority: entry.priority,
            qualityOfService: template.qualityOfService,
            work: template.work,
            dependencies: entry.dependencies.map(stored),
            arrayItem: entry.array?.item(at: Int(index - firsts[position])),
            submittedAt: job.submittedAt
        )
    }

    private func stored(_ dependency: Dependency) -> StoredDependency {
        switch dependency.target {
        case .entry(let position):
            StoredDependency(
                target: .operation(OperationID(job: job.number, index: firsts[position])),
                count: UInt32(job.submission.entries[position].count),
                condition: dependency.condition
            )
        case .existing(.job(let number)):
            StoredDependency(target: .job(number), count: 0, condition: dependency.condition)
        case .existing(let address):
            StoredDependency(target: address, count: 1, condition: dependency.condition)
        }
    }
}
