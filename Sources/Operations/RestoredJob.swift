/// An unfinished job as a restarted coordinator finds it.
public struct RestoredJob: Hashable, Sendable {
    /// The job itself.
    public var job: JobRecord
    /// What is known of those of its operations that anything happened to, in the order of their indices.
    public var records: [OperationRecord]

    /// Describes an unfinished job.
    public init(job: JobRecord, records: [OperationRecord]) {
        self.job = job
        self.records = records
    }
}
