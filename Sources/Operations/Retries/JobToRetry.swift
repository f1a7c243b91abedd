/// A job with what a retry needs to know of its operations (D11).
@_spi(Baton) public struct JobToRetry: Hashable, Sendable {
    /// The job.
    public var job: JobRecord
    /// The fates of the operations, by index; operations beyond the end count as unfinished.
    public var fates: [OperationFate]
    /// The dependencies of operations whose dependencies changed after the submission, by index.
    public var dependencies: [UInt32: [Dependency]]
    /// The programs of operations that got further programs after the submission, by index.
    public var commands: [UInt32: [[String]]]

    /// Describes a job.
    public init(
        job: JobRecord,
        fates: [OperationFate],
        dependencies: [UInt32: [Dependency]] = [:],
        commands: [UInt32: [[String]]] = [:]
    ) {
        self.job = job
        self.fates = fates
        self.dependencies = dependencies
        self.commands = commands
    }

    /// Takes what a retry needs from all data of a job.
    public init(_ restored: RestoredJob) {
        var fates = [OperationFate](repeating: OperationFate(), count: restored.job.submission.operationCount)
        for record in restored.records {
            let first = Int(record.id.index)
            for index in first..<first + Int(record.count) where index < fates.count {
                fates[index] = OperationFate(record)
            }
        }
        self.init(
            job: restored.job,
            fates: fates,
            dependencies: restored.dependencies,
            commands: restored.commands
        )
    }
}
