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
    /// The limits of the next attempts of operations whose earlier attempts ran out of theirs, by index.
    public var limits: [UInt32: AttemptLimits] = [:]
    /// The files that workers keep of its finished operations, in the order of their indices.
    public var files: [FileSource] = []
    /// What was added to the job after its submission, in the order of the indices; the operations are part of the submission.
    public var additions: [AddedPart]
    /// Whether operations without an attempt in the record may have had a first attempt.
    public var mayMissAttempts: Bool

    /// Describes a job.
    public init(
        job: JobRecord,
        records: [OperationRecord],
        dependencies: [UInt32: [Dependency]] = [:],
        commands: [UInt32: [[String]]] = [:],
        additions: [AddedPart] = [],
        mayMissAttempts: Bool = false
    ) {
        self.job = job
        self.records = records
        self.dependencies = dependencies
        self.commands = commands
        self.additions = additions
        self.mayMissAttempts = mayMissAttempts
    }
}
