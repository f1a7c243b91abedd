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
}
