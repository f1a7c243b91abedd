public import BatonOperations

/// An operation in the record.
public struct StoredOperation: Hashable, Sendable {
    /// The record of the operation.
    ///
    /// An operation without any history has a fresh ``OperationRecord``; a record of several elements is split into one record
    /// for each element.
    public var record: OperationRecord
    /// The name of the entry; nil for none.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// The present priority.
    public var priority: Priority
    /// Its own class; nil is unset.
    public var qualityOfService: QualityOfService?
    /// Whether it is a barrier of its queue.
    public var isBarrier: Bool
    /// The work.
    public var work: Work
    /// Whether the operation runs again after the loss of an attempt with its worker.
    public var restart: RestartPolicy
    /// The program to run once the operation is finished; nil for none.
    public var onFinish: [String]?
    /// The dependencies, in the order of their addition.
    public var dependencies: [StoredDependency]
    /// The number of the array element (`BATON_INDEX`); nil outside arrays.
    public var arrayNumber: Int64?
    /// The item of the array element (`BATON_ITEM`); nil outside arrays.
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
