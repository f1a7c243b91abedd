@_spi(Baton) public import BatonOperations

/// A summary of one queue.
@_spi(Baton) public struct QueueSummary: Document {
    /// The queue's name.
    public var queue: String
    /// The maximum number of operations executing at once; nil for no limit.
    public var maxConcurrent: Int?
    /// Whether the queue is suspended and starts no operations (SU1).
    public var suspended: Bool
    /// The queue's class; nil if unset.
    public var qos: QualityOfService?
    /// The number of unfinished operations (QU8).
    public var count: Int
    /// The number of executing operations.
    public var executing: Int
    /// The number of operations for a progress of 1 (PG1); nil if the queue reports no progress.
    public var total: Int?
    /// The number of operations that ran to the end since the queue got a total.
    public var completed: UInt64
    /// The finished part of the total, from 0 to 1 (PG4); nil for a queue without a total.
    public var progress: Double?
    /// How many operations may start in a time (CO10), such as `10/s`; nil for no bound.
    public var rate: String?

    /// Describes a queue.
    public init(
        queue: String,
        maxConcurrent: Int?,
        suspended: Bool,
        qos: QualityOfService?,
        count: Int,
        executing: Int,
        total: Int? = nil,
        completed: UInt64 = 0,
        progress: Double? = nil,
        rate: StartRate? = nil
    ) {
        self.queue = queue
        self.maxConcurrent = maxConcurrent
        self.suspended = suspended
        self.qos = qos
        self.count = count
        self.executing = executing
        self.total = total
        self.completed = completed
        self.progress = progress
        self.rate = rate?.description
    }
}
