/// A job as the record has it: an unfinished one for a restarted coordinator, or any one that is to be retried.
public struct RestoredJob: Hashable, Sendable {
    /// The job itself.
    public var job: JobRecord
    /// What is known of those of its operations that anything happened to, in the order of their indices.
    public var records: [OperationRecord]
    /// The dependencies of those of its operations whose dependencies were changed after the submission, by index.
    public var dependencies: [UInt32: [Dependency]]
    /// The programs of those of its operations to which some were added after the submission, by index.
    public var commands: [UInt32: [[String]]]
    /// Whether first attempts may have been made of those of its operations that have none in the record.
    public var mayMissAttempts: Bool

    /// Describes a job.
    public init(
        job: JobRecord,
        records: [OperationRecord],
        dependencies: [UInt32: [Dependency]] = [:],
        commands: [UInt32: [[String]]] = [:],
        mayMissAttempts: Bool = false
    ) {
        self.job = job
        self.records = records
        self.dependencies = dependencies
        self.commands = commands
        self.mayMissAttempts = mayMissAttempts
    }
}
