@_spi(Baton) package import BatonOperations

/// The jobs that unfinished jobs refer to: each stays in the record as long as a referring job is unfinished.
package struct NeededJobs {
    /// The jobs that each unfinished job refers to, if any.
    private var needs: [JobNumber: Set<JobNumber>] = [:]
    /// How many unfinished jobs refer to each job.
    private var counts: [JobNumber: Int] = [:]

    /// Collects the references of unfinished jobs.
    package init(_ unfinished: [RestoredJob] = []) {
        for job in unfinished { add([job].existingDependencies, to: job.job.number) }
    }

    /// Whether an unfinished job refers to a job.
    package func contains(_ job: JobNumber) -> Bool { counts[job] != nil }

    /// Applies committed changes.
    ///
    /// A removed dependency counts until its job is finished: jobs may be kept longer than necessary, but never too short.
    package mutating func note(_ changes: [RecordChange]) {
        for change in changes {
            switch change {
            case .job(let job): add([RestoredJob(job: job, records: [])].existingDependencies, to: job.number)
            case .addition(let addition): add(addition.existingDependencies, to: addition.job)
            case .dependencies(let operation, let dependencies):
                add(dependencies.compactMap(\.target.address), to: operation.job)
            case .jobFinished(let job, _, _, _, _): remove(job)
            case .jobClosed, .operation, .attempt, .output, .result, .files, .fetch, .commands, .queue, .queueDeleted,
                .hook,
                .hookDone,
                .worker, .drain, .pause, .schedule, .scheduleState, .missingAttempts, .limit, .event, .clock, .totals:
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
