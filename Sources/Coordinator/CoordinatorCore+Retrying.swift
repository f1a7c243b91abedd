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
            submission.key = key
            return .success(.retry(submission, from: client))
        }
    }
}
