@_spi(Baton) public import BatonJSON

/// All queues: `queue list`.
@_spi(Baton) public struct QueueListDocument: Document {
    /// The queues, by name.
    public var queues: [QueueSummary]

    /// Lists queues.
    public init(queues: [QueueSummary]) {
        self.queues = queues
    }

    /// Writes the list.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("queues", array: queues) { queue, writer in queue.write(to: &writer) }
        writer.endObject()
    }
}
