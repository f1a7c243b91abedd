@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords

/// A persistent record on a disk that may be full.
final class SimulatedDisk: ForwardingStore {
    let base: InMemoryStore
    private let faults: Set<Fault>
    /// Whether the disk is full.
    var isFull = false

    init(_ base: InMemoryStore, faults: Set<Fault>) {
        self.base = base
        self.faults = faults
    }

    func open(as incarnation: Incarnation) throws(StoreError) -> StoredState {
        var state = try base.open(as: incarnation)
        if faults.contains(.keepEpoch) { state.epoch = 1 }
        if faults.contains(.trustClock) { state.clock = nil }
        if faults.contains(.forgetQueues) { state.queues = [:] }
        if faults.contains(.forgetDrains) { state.drains = [:] }
        if faults.contains(.forgetWorkers) { state.workers = [:] }
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
        if faults.contains(.tearTransaction), changes.count > 3 {
            // The last changes of a batch are the totals and the record's clock, and the next batch has both again.
            let last = changes.lastIndex {
                switch $0 {
                case .totals, .clock: false
                default: true
                }
            }
            if let last { changes.remove(at: last) }
        }
        if faults.contains(.forgetTotals) {
            changes.removeAll { if case .totals = $0 { true } else { false } }
        }
        if faults.contains(.forgetKeys) {
            changes = changes.map { change in
                guard case .job(var job) = change else { return change }
                job.submission.key = nil
                return .job(job)
            }
        }
        try base.commit(changes)
    }

    func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool {
        if isFull { throw StoreError(.full, "The disk is full.") }
        return try base.removeFinished(beyond: retention, except: pinned, at: now)
    }

    func close() {}
}

extension SimulatedDisk {
    /// All jobs with all their records, oldest first.
    var allJobs: [RestoredJob] {
        var jobs: [RestoredJob] = []
        for summary in (try? base.jobs(before: nil, limit: .max)) ?? [] {
            if let job = try? base.restoredJob(summary.number) { jobs.append(job) }
        }
        return jobs.reversed()
    }

    /// Whether the given attempt is the last known attempt of an operation.
    func knows(_ token: AttemptToken, of operation: OperationID) -> Bool {
        let job = (try? base.restoredJob(operation.job)) ?? nil
        return job?.records.contains { $0.id.index == operation.index && $0.token == token.inRecord } ?? false
    }

    /// Whether no job has an unfinished operation.
    var isEverythingFinished: Bool {
        ((try? base.jobs(before: nil, limit: .max)) ?? []).allSatisfy { $0.finishedAt != nil }
    }
}
