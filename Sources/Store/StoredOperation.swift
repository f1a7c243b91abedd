public import BatonOperations

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
    /// Its present level.
    public var priority: Priority
    /// Its own class; nil is unset.
    public var qualityOfService: QualityOfService?
    /// Whether it is a barrier of its queue.
    public var isBarrier: Bool
    /// What it does.
    public var work: Work
    /// Whether it runs again where an attempt is lost with its worker.
    public var restart: RestartPolicy
    /// What is run once it is finished; nil for nothing.
    public var onFinish: [String]?
    /// What it depends on, in the order in which that was added.
    public var dependencies: [StoredDependency]
    /// The number of the array's element (`BATON_INDEX`); nil where it is none.
    public var arrayNumber: Int64?
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
        isBarrier: Bool = false,
        work: Work,
        restart: RestartPolicy = .onLoss,
        onFinish: [String]? = nil,
        dependencies: [StoredDependency],
        arrayNumber: Int64? = nil,
        arrayItem: String?,
        submittedAt: Timestamp
    ) {
        self.record = record
        self.name = name
        self.queue = queue
        self.priority = priority
        self.qualityOfService = qualityOfService
        self.isBarrier = isBarrier
        self.work = work
        self.restart = restart
        self.onFinish = onFinish
        self.dependencies = dependencies
        self.arrayNumber = arrayNumber
        self.arrayItem = arrayItem
        self.submittedAt = submittedAt
    }
}
