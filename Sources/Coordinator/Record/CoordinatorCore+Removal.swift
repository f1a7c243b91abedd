@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// Removes expired jobs from the record.
extension CoordinatorCore {
    /// Removes some expired jobs from the record; other changes and readings proceed between two such steps.
    ///
    /// A job whose files are kept for a while stays for that time: nobody could name them otherwise.
    func removeFinished() {
        guard removal.isOwed || options.retention != .forever, commits.error == nil, !removal.isUnderWay else { return }
        removal.begin(at: now)
        let used = usedJobs.union(scheduler.jobsWithKeptFiles)
        read { [retention = options.retention, recordTime] store throws(StoreError) in
            let mayBeMore = try store.removeFinished(beyond: retention, except: used, at: recordTime)
            return (mayBeMore, store.takeRemovedFailures())
        } then: { result in
            .removed(result)
        }
    }

    /// Requests further removals until the record has no more jobs to remove.
    func noteRemoval(_ result: Result<(Bool, failures: [Int64: Int]), StoreError>) {
        switch result {
        case .success((let mayBeMore, let failures)):
            removal.end(isDone: !mayBeMore)
            recentFailures.forget(failures, at: shownTime)
            if mayBeMore { removeFinished() }
        case .failure(let error):
            removal.end(isDone: false)
            // The next check tries again. Clients learn of a broken record from failed changes, not from a failed removal.
            logger.warning("finished jobs cannot be removed from the record", metadata: ["error": "\(error)"])
        }
    }

    /// The jobs that a client waits for, whose rows are being stored, or that a pending request is about to use, for example as
    /// dependencies.
    var usedJobs: Set<JobNumber> {
        waits.jobs.union(removal.pinnedJobs).union(removal.arrivingJobs).union(commits.awaitedJobs)
    }
}
