public import BatonOperations

/// A queue as others see it.
public struct QueueView: Hashable, Sendable {
    /// The queue's name.
    public var name: String
    /// Its limit and class.
    public var settings: QueueSettings
    /// How many of its operations are pending, ready and executing; the outcomes are 0.
    public var counts: JobCounts
    /// How its operations have ended since the coordinator was started; the states are 0.
    public var ended: JobCounts
    /// How many ran to their end since it got a total (PG1).
    public var completed: UInt64
    /// How much of the total is done, from 0 to 1; nil where it has none (PG4).
    public var progress: Double?
}
