@_spi(Baton) public import BatonOperations

/// A queue as seen from outside the scheduler.
@_spi(Baton) public struct QueueView: Hashable, Sendable {
    /// The queue's name.
    public var name: String
    /// The queue's settings.
    public var settings: QueueSettings
    /// The number of the queue's pending, ready and executing operations; the outcomes are 0.
    public var counts: JobCounts
    /// How the queue's operations have ended since the start of the coordinator; the states are 0.
    public var ended: JobCounts
    /// The number of operations that ran to their end since the queue got a total, without barriers (PG1).
    public var completed: UInt64
    /// The completed share of the queue's total, from 0 to 1; nil without a total (PG4).
    public var progress: Double?
}
