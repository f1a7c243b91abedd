public import Operations

/// An operation as the record has it.
public struct StoredOperation: Hashable, Sendable {
    /// What is known of it.
    ///
    /// For one that nothing happened to yet it is a fresh ``OperationRecord``; a record of several elements is given for each
    /// of them singly.
    public var record: OperationRecord
    /// The name of its entry, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// Its level.
    public var priority: Priority
    /// Its own class; nil is unset.
    public var qualityOfService: QualityOfService?
    /// What it does.
    public var work: Work
    /// The dependencies of its entry, in the order of its submission.
    public var dependencies: [StoredDependency]
    /// The item of the array's element (`BATON_ITEM`); nil where it is none.
    public var arrayItem: String?
    /// When its job was submitted.
    public var submittedAt: Timestamp

    /// Describes an operation.
    public init(
        record: OperationRecord,
        name: String?,
        queue: String,
        priority: Priority,
        qualityOfService: QualityOfService?,
        work: Work,
        dependencies: [StoredDependency],
        arrayItem: String?,
        submittedAt: Timestamp
    ) {
        self.record = record
        self.name = name
        self.queue = queue
        self.priority = priority
        self.qualityOfService = qualityOfService
        self.work = work
        self.dependencies = dependencies
        self.arrayItem = arrayItem
        self.submittedAt = submittedAt
    }
}
