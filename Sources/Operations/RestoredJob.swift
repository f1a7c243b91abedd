/// A job from the record: an unfinished job for a restarted coordinator, or any job to be retried.
@_spi(Baton) public struct RestoredJob: Hashable, Sendable {
    /// The job itself.
    public var job: JobRecord
    /// The records of the operations with any history, in the order of their indices.
    public var records: [OperationRecord]
    /// The dependencies of the operations whose dependencies changed after the submission, by index.
    public var dependencies: [UInt32: [Dependency]]
    /// The programs of the operations that got further programs after the submission, by index.
    public var commands: [UInt32: [[String]]]
    /// Whether operations without an attempt in the record may have had a first attempt.
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
