@_spi(Baton) public import BatonOperations

/// An operation in the record.
@_spi(Baton) public struct StoredOperation: Hashable, Sendable {
    /// The record of the operation.
    ///
    /// An operation without any history has a fresh ``OperationRecord``; a record of several elements is split into one record
    /// for each element.
    public var record: OperationRecord
    /// The entry as submitted, without its dependencies and elements.
    public var entry: Entry
    /// Its queue.
    public var queue: String
    /// The template of the operation; commands that were added after the submission are included.
    public var template: Template
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
        entry: Entry,
        queue: String,
        template: Template,
        dependencies: [StoredDependency],
        arrayNumber: Int64? = nil,
        arrayItem: String?,
        submittedAt: Timestamp
    ) {
        self.record = record
        self.entry = entry
        self.queue = queue
        self.template = template
        self.dependencies = dependencies
        self.arrayNumber = arrayNumber
        self.arrayItem = arrayItem
        self.submittedAt = submittedAt
    }
}
