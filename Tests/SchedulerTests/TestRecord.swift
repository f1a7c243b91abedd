import Operations

@testable import Scheduler

/// What a store would keep, in dictionaries.
struct TestRecord {
    var jobs: [JobNumber: JobRecord] = [:]
    var operations: [OperationID: OperationRecord] = [:]
    var finished: [JobNumber: JobCounts] = [:]
    var queues: [String: QueueSettings] = [:]
    /// All changes, in order.
    var changes: [RecordChange] = []

    mutating func keep(_ change: RecordChange) {
        changes.append(change)
        switch change {
        case .job(let job):
            jobs[job.number] = job
        case .operation(let record):
            for offset in 0..<record.count {
                var one = record
                one.id = OperationID(job: record.id.job, index: record.id.index + offset)
                one.count = 1
                operations[one.id] = one
            }
        case .jobFinished(let job, let counts, _):
            finished[job] = counts
        case .queue(let name, let settings):
            queues[name] = settings
        case .output:
            break
        }
    }

    /// What is left where the last changes never reached the disk.
    func withoutLast(_ number: Int) -> TestRecord {
        var result = TestRecord()
        for change in changes.dropLast(number) { result.keep(change) }
        return result
    }

    func operation(_ id: OperationID) -> OperationRecord? { operations[id] }

    func settled(_ address: Address) -> SettledDependency? {
        switch address {
        case .operation(let id):
            guard let record = operations[id], record.state == .finished else { return nil }
            return SettledDependency(
                succeeded: record.outcome == .succeeded,
                failed: record.outcome == .failed,
                hasResult: record.hasResult
            )
        case .job(let number):
            guard let counts = finished[number] else { return nil }
            return SettledDependency(
                succeeded: counts.isAllSuccess,
                failed: counts.failed > 0,
                hasResult: operations.values.contains { $0.id.job == number && $0.hasResult }
            )
        case .named:
            return nil
        }
    }

    /// The unfinished jobs as a store hands them out.
    var unfinished: [RestoredJob] {
        let unfinished = jobs.keys.filter { finished[$0] == nil }.sorted()
        let records = Dictionary(grouping: operations.values, by: \.id.job)
        return unfinished.compactMap { number in
            jobs[number].map { job in
                RestoredJob(job: job, records: (records[number] ?? []).sorted { $0.id < $1.id })
            }
        }
    }

    func scheduler(configuration: Configuration, epoch: UInt32, at now: Timestamp) -> Scheduler {
        let unfinished = self.unfinished
        var settled: [Address: SettledDependency] = [:]
        for dependency in unfinished.flatMap(\.job.submission.entries).flatMap(\.dependencies) {
            if case .existing(let address) = dependency.target, finished[address.job] != nil {
                settled[address] = self.settled(address)
            }
        }
        var counts = JobCounts()
        for job in finished.values { counts += job }
        return Scheduler(
            configuration: configuration,
            epoch: epoch,
            nextJob: JobNumber((jobs.keys.max()?.rawValue ?? 0) + 1),
            queues: queues,
            jobs: unfinished,
            settled: settled,
            finished: counts,
            at: now
        )
    }
}
