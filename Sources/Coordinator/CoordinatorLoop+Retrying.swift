import Operations
import Store
import Wire
import ZeroMQ

/// Submitting again what failed or was skipped in a job.
extension CoordinatorLoop {
    func retry(_ job: JobNumber, key: String, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(refusal, to: client) }
        lookUp(for: client) { store throws(StoreError) in
            guard let restored = try store.restoredJob(job) else { return .failure(.noSuch(.job(job))) }
            let submission = Submission.retrying(
                restored.job,
                fates: restored.fates,
                dependencies: restored.dependencies
            )
            guard var submission else {
                let sentence = "Nothing in job \(job) has failed or was skipped, so there is nothing to submit again."
                return .failure(Refusal(.invalid, sentence))
            }
            submission.key = key
            return .success(.retry(submission, from: client))
        }
    }
}

extension RestoredJob {
    /// What has become of the job's operations, by index.
    fileprivate var fates: [OperationFate] {
        var fates = [OperationFate](repeating: OperationFate(), count: job.submission.operationCount)
        for record in records {
            let first = Int(record.id.index)
            for index in first..<min(first + Int(record.count), fates.count) { fates[index] = OperationFate(record) }
        }
        return fates
    }
}
