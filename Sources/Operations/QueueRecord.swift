/// What is kept of a queue.
public struct QueueRecord: Hashable, Sendable {
    /// What was set.
    public var settings: QueueSettings
    /// How many of its operations ran to their end since it got a total (PG1).
    public var completed: UInt64

    /// Describes a queue.
    public init(settings: QueueSettings = QueueSettings(), completed: UInt64 = 0) {
        self.settings = settings
        self.completed = completed
    }
}
