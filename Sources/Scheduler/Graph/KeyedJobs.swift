@_spi(Baton) import BatonOperations

/// An unfinished job whose submission, or an addition to it, has a key.
struct KeyedJob {
    /// The job's number.
    var number: JobNumber
    /// The number of the job's operations.
    var operations: Int
    /// The digest of the submission.
    var digest: UInt64?
    /// Whether the key is that of an addition.
    var isAddition = false

    /// Refuses another submission or addition under the key.
    func refusal(ofKey key: String) -> Refusal {
        isAddition ? .otherAddition(withKey: key, to: number) : .otherSubmission(withKey: key, ofJob: number)
    }
}

/// The keys of the unfinished jobs and of the additions to them.
///
/// Owns which job a key belongs to: that of the last submission with it, or else of the first addition.
struct KeyedJobs: Sendable {
    private var jobs: [String: KeyedJob] = [:]

    /// The unfinished job whose submission, or an addition to it, has a key.
    subscript(key: String) -> KeyedJob? { jobs[key] }

    /// The unfinished jobs whose submissions have keys that begin with a text, by key.
    ///
    /// - Complexity: O(keys).
    func jobs(withPrefix prefix: String) -> [String: JobNumber] {
        jobs.filter { !$0.value.isAddition && $0.key.hasPrefix(prefix) }.mapValues(\.number)
    }

    /// All keys.
    var all: some Collection<String> { jobs.keys }

    /// The number of keys.
    var count: Int { jobs.count }

    /// Notes the key of a job's submission.
    mutating func insert(_ key: String, of job: KeyedJob) { jobs[key] = job }

    /// Notes the key of an addition; a record of earlier versions may have the key several times.
    mutating func insert(_ key: String, ofAdditionTo number: JobNumber) {
        guard jobs[key] == nil else { return }
        jobs[key] = KeyedJob(number: number, operations: 0, isAddition: true)
    }

    /// Removes a key of a job, unless another job has it.
    mutating func remove(_ key: String, of number: JobNumber) {
        if jobs[key]?.number == number { jobs[key] = nil }
    }
}

extension Graph {
    /// Notes the key of an addition to a job.
    mutating func noteKey(ofAddition key: String, to index: JobIndex) {
        keys.insert(key, ofAdditionTo: self[index].number)
    }

    /// Notes the key of a job, if the submission has one.
    mutating func noteKey(of submission: Submission, job index: JobIndex) {
        guard let key = submission.key else { return }
        let job = KeyedJob(
            number: self[index].number,
            operations: self[index].operationCount,
            digest: submission.keyDigest
        )
        keys.insert(key, of: job)
    }
}
