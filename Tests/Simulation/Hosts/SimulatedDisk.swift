import Operations
import Store

/// A record that survives its coordinator, on a disk that may be full.
final class SimulatedDisk: Store {
    private let store: InMemoryStore
    private let faults: Set<Fault>
    /// Nothing can be kept.
    var isFull = false

    init(eventHistory: UInt64, faults: Set<Fault>) {
        store = InMemoryStore(eventHistory: eventHistory)
        self.faults = faults
    }

    func open() throws(StoreError) -> StoredState {
        var state = try store.open()
        if faults.contains(.keepEpoch) { state.epoch = 1 }
        if faults.contains(.forgetQueues) { state.queues = [:] }
        if faults.contains(.forgetHolds) {
            for job in state.jobs.indices {
                for record in state.jobs[job].records.indices { state.jobs[job].records[record].isHeld = false }
                for entry in state.jobs[job].job.submission.entries.indices {
                    state.jobs[job].job.submission.entries[entry].isHeld = false
                }
            }
        }
        return state
    }

    func commit(_ changes: [RecordChange]) throws(StoreError) {
        if isFull { throw StoreError(.full, "The disk is full.") }
        var changes = changes
        if faults.contains(.tearTransaction), changes.count > 3 { changes.removeLast() }
        if faults.contains(.forgetKeys) {
            changes = changes.map { change in
                guard case .job(var job) = change else { return change }
                job.submission.key = nil
                return .job(job)
            }
        }
        try store.commit(changes)
    }

    func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool {
        if isFull { throw StoreError(.full, "The disk is full.") }
        return try store.removeFinished(beyond: retention, except: pinned, at: now)
    }

    func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent] {
        try store.events(after: number, limit: limit)
    }

    func counts(ofQueue queue: String, finishedSince time: Timestamp) throws(StoreError) -> JobCounts {
        try store.counts(ofQueue: queue, finishedSince: time)
    }

    func job(withKey key: String) throws(StoreError) -> JobSummary? { try store.job(withKey: key) }

    func job(_ number: JobNumber) throws(StoreError) -> JobSummary? { try store.job(number) }

    func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary] {
        try store.jobs(before: before, limit: limit)
    }

    func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation] {
        try store.operations(of: job, from: index, limit: limit)
    }

    func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>? {
        try store.operations(named: name, in: job)
    }

    func settled(_ address: Address) throws(StoreError) -> SettledDependency? { try store.settled(address) }

    func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput? {
        try store.output(of: operation, attempt: attempt)
    }

    func result(of operation: OperationID) throws(StoreError) -> [UInt8]? { try store.result(of: operation) }

    func dependenciesWithResults(of operation: OperationID) throws(StoreError) -> [ResultSource] {
        try store.dependenciesWithResults(of: operation)
    }

    func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob? { try store.restoredJob(number) }

    func close() {}
}

extension SimulatedDisk {
    /// All jobs with all that is known of them, oldest first.
    var allJobs: [RestoredJob] {
        var jobs: [RestoredJob] = []
        for summary in (try? store.jobs(before: nil, limit: .max)) ?? [] {
            if let job = try? store.restoredJob(summary.number) { jobs.append(job) }
        }
        return jobs.reversed()
    }

    /// Whether no job has an unfinished operation.
    var isEverythingFinished: Bool {
        ((try? store.jobs(before: nil, limit: .max)) ?? []).allSatisfy { $0.finishedAt != nil }
    }
}
