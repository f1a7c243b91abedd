@_spi(Baton) public import BatonOperations

/// One queue with its operations: `queue show`.
@_spi(Baton) public struct QueueDocument: Document {
    /// The queue itself.
    @Inlined public var summary: QueueSummary
    /// The waiting and executing operations in the order of addition (QU7).
    public var operations: [OperationID]
    /// The number of further operations behind those, which are not listed.
    public var more: Int

    /// Describes a queue and its operations, the first ones or all.
    public init(summary: QueueSummary, operations: [OperationID]) {
        self.summary = summary
        self.operations = operations
        more = max(0, summary.count - operations.count)
    }
}
