@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// One queue with its operations: `queue show`.
@_spi(Baton) public struct QueueDocument: Document {
    /// The queue itself.
    public var summary: QueueSummary
    /// The waiting and executing operations in the order of addition (QU7).
    public var operations: [OperationID]

    private enum CodingKeys: CodingKey {
        case operations
    }

    /// Describes a queue and its operations.
    public init(summary: QueueSummary, operations: [OperationID]) {
        self.summary = summary
        self.operations = operations
    }

    /// Reads a queue; settings and operations are members of the same object.
    public init(from decoder: any Decoder) throws {
        summary = try QueueSummary(from: decoder)
        operations = try decoder.container(keyedBy: CodingKeys.self).decode([OperationID].self, forKey: .operations)
    }

    /// Writes the queue.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        summary.writeMembers(to: &writer)
        writer.member("operations", array: operations) { operation, writer in writer.value(operation.description) }
        writer.endObject()
    }
}
