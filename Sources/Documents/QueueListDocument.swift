/// All queues: `queue list`.
@_spi(Baton) public struct QueueListDocument: Document {
    /// The queues, by name.
    public var queues: [QueueSummary]

    /// Lists queues.
    public init(queues: [QueueSummary]) {
        self.queues = queues
    }
}
