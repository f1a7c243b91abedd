import BatonOperations

/// The jobs that unfinished ones refer to, and that stay in the record for as long as those are unfinished.
struct NeededJobs {
    /// What each unfinished job refers to, where that is anything.
    private var needs: [JobNumber: Set<JobNumber>] = [:]
    /// How many unfinished jobs refer to each.
    private var counts: [JobNumber: Int] = [:]

    /// What unfinished jobs refer to.
    init(_ unfinished: [RestoredJob] = []) {
        for job in unfinished { add([job].existingDependencies, to: job.job.number) }
    }

    /// Whether an unfinished job refers to it.
    func contains(_ job: JobNumber) -> Bool { counts[job] != nil }

    /// Follows changes that were kept.
    ///
    /// A dependency that is removed counts until its job is finished: that keeps a job longer, and never one too few.
    mutating func note(_ changes: [RecordChange]) {
        for change in changes {
            switch change {
            case .job(let job): add([RestoredJob(job: job, records: [])].existingDependencies, to: job.number)
            case .dependencies(let operation, let dependencies):
                add(dependencies.compactMap(\.existingTarget), to: operation.job)
            case .jobFinished(let job, _, _, _): remove(job)
            case .operation, .output, .commands, .queue, .hook, .hookDone, .worker, .missingAttempts, .event, .clock:
                break
            }
        }
    }

    private mutating func add(_ addresses: some Sequence<Address>, to job: JobNumber) {
        for address in addresses where needs[job, default: []].insert(address.job).inserted {
            counts[address.job, default: 0] += 1
        }
    }

    private mutating func remove(_ job: JobNumber) {
        for needed in needs.removeValue(forKey: job) ?? [] {
            let left = counts[needed, default: 1] - 1
            counts[needed] = left > 0 ? left : nil
        }
    }
}

extension Dependency {
    /// What it means in a job that was there before; nil for one in the same job.
    var existingTarget: Address? {
        if case .existing(let address) = target { address } else { nil }
    }
}
