/// A job with what a retry needs to know of its operations (D11).
@_spi(Baton) public struct JobToRetry: Hashable, Sendable {
    /// The job.
    public var job: JobRecord
    /// The fates of the operations.
    public var fates: OperationFates
    /// The dependencies of operations whose dependencies changed after the submission, by index.
    public var dependencies: [UInt32: [Dependency]]
    /// The programs of operations that got further programs after the submission, by index.
    public var commands: [UInt32: [[String]]]

    /// Describes a job.
    public init(
        job: JobRecord,
        fates: OperationFates,
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
        var fates = OperationFates()
        for record in restored.records {
            fates.append(OperationFate(record), of: record.id.index..<record.id.index + record.count)
        }
        self.init(
            job: restored.job,
            fates: fates,
            dependencies: restored.dependencies,
            commands: restored.commands
        )
    }

    /// Whether a retry of a part of the job has any operation.
    ///
    /// - Complexity: O(entries + runs of fates + selected ranges), without a submission.
    public func hasOperations(for selection: RetrySelection) -> Bool {
        let parts = AlikeOperations(of: self, selected: selection.operations)
        return parts.list.contains { $0.isSelected && $0.fate.isRetried(withCancelled: selection.includesCancelled) }
    }
}
