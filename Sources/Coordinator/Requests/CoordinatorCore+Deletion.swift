@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Deletes finished jobs at somebody's request.
extension CoordinatorCore {
    /// Deletes jobs with their operations, output and results; if one job has to stay, nothing is deleted.
    func delete(_ jobs: [JobNumber], for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        let jobs = Set(jobs)
        read { [used = usedJobs] store throws(StoreError) in
            let removal = try store.remove(jobs, except: used)
            return (removal, store.takeRemovedFailures())
        } then: { result in
            .deleted(result, jobs.sorted(), for: client)
        }
    }

    /// Answers, and then removes what is left of the jobs in steps.
    func noteDeletion(
        _ result: Result<(JobRemoval, failures: [Int64: Int]), StoreError>,
        _ jobs: [JobNumber],
        for client: ReplyAddress
    ) {
        switch result {
        case .success((.removed, let failures)):
            recentFailures.forget(failures, at: shownTime)
            apply(.jobsDeleted(jobs))
            send(.changed(ChangeReport(changed: jobs.count)), to: client)
            removal.owe()
            removeFinished()
        case .success((let obstacle, _)): send(.refused(Refusal(obstacle, isOpen: scheduler.isOpen)), to: client)
        case .failure(let error): send(.refused(Refusal(error)), to: client)
        }
    }
}

extension Refusal {
    /// Refuses to delete a job that has to stay.
    fileprivate init(_ obstacle: JobRemoval, isOpen: (JobNumber) -> Bool) {
        switch obstacle {
        case .removed: self.init(.fault, "The job was deleted.")
        case .missing(let job): self = .noSuch(.job(job))
        case .unfinished(let job): self = .unfinished(job, isOpen: isOpen(job))
        case .needed(let job):
            self.init(
                .invalid,
                "Job \(job) is in use: an unfinished job depends on it, or somebody waits for it. Try again when that has ended."
            )
        case .hasHooks(let job):
            self.init(
                .invalid,
                "Job \(job) has a completion hook that has not ended. Try again when it has, or cancel the job to end a hook that is "
                    + "executing."
            )
        }
    }
}
