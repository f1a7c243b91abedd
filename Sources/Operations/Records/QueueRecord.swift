/// The record of a queue.
@_spi(Baton) public struct QueueRecord: Hashable, Sendable {
    /// The settings.
    public var settings: QueueSettings
    /// How many operations of the queue ran to their end since its total was set (PG1).
    public var completed: UInt64

    /// Describes a queue.
    public init(settings: QueueSettings = QueueSettings(), completed: UInt64 = 0) {
        self.settings = settings
        self.completed = completed
    }
}
