public import Operations

/// A queue as others see it.
public struct QueueView: Hashable, Sendable {
    /// The queue's name.
    public var name: String
    /// Its limit and class.
    public var settings: QueueSettings
    /// How many of its operations are pending, ready and executing; the outcomes are 0.
    public var counts: JobCounts
}
