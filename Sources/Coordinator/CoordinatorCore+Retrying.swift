import Operations
import Store
import Wire
import ZeroMQ

/// Submitting again what failed or was skipped in a job.
extension CoordinatorCore {
    func retry(_ job: JobNumber, key: String, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        lookUp(for: client) { store throws(StoreError) in
            guard let restored = try store.restoredJob(job) else { return .failure(.noSuch(.job(job))) }
            guard var submission = Submission.retrying(restored) else {
                let sentence = "Nothing in job \(job) has failed or was skipped, so there is nothing to submit again."
                return .failure(Refusal(.invalid, sentence))
            }
            for needed in submission.jobsBefore where try store.job(needed) == nil {
                let sentence =
                    "Job \(job) cannot be submitted again as it was: it depends on job \(needed), which was removed some time "
                    + "after it had finished. Submit it anew, with what it needs."
                return .failure(Refusal(.unknownDependency, sentence))
            }
            submission.key = key
            return .success(.retry(submission, from: client))
        }
    }
}

extension Submission {
    /// The jobs that its operations depend on, in the order of their numbers.
    fileprivate var jobsBefore: [JobNumber] {
        var jobs: Set<JobNumber> = []
        for case .existing(let address) in entries.lazy.flatMap(\.dependencies).map(\.target) {
            jobs.insert(address.job)
        }
        return jobs.sorted()
    }
}
