@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// One queue with its operations: `queue show`.
@_spi(Baton) public struct QueueDocument: Document {
    /// The queue itself.
    public var summary: QueueSummary
    /// The waiting and executing operations in the order of addition (QU7).
    public var operations: [OperationID]
    /// The number of further operations behind those, which are not listed.
    @LaterKey public var more: Int

    private enum CodingKeys: CodingKey {
        case operations, more
    }

    /// Describes a queue and its operations, the first ones or all.
    public init(summary: QueueSummary, operations: [OperationID]) {
        self.summary = summary
        self.operations = operations
        more = max(0, summary.count - operations.count)
    }

    /// Reads a queue; settings and operations are members of the same object.
    public init(from decoder: any Decoder) throws {
        summary = try QueueSummary(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        operations = try container.decode([OperationID].self, forKey: .operations)
        _more = try container.decode(LaterKey<Int>.self, forKey: .more)
    }

    /// Writes the queue.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        summary.writeMembers(to: &writer)
        writer.member("operations", array: operations) { operation, writer in writer.value(operation.description) }
        writer.member("more", more)
        writer.endObject()
    }
}
