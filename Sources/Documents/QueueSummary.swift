public import BatonOperations

/// One queue at a glance.
public struct QueueSummary: Document {
    /// Its name.
    public var queue: String
    /// How many of its operations may execute at once; nil for no limit of its own.
    public var maxConcurrent: Int?
    /// Whether it starts nothing (SU1).
    public var suspended: Bool
    /// Its class; nil where it is unset.
    public var qos: QualityOfService?
    /// How many of its operations are not finished (QU8).
    public var count: Int
    /// How many of them are executing.
    public var executing: Int
    /// How many operations make the whole of its progress (PG1); nil where it reports none.
    public var total: Int?
    /// How many of its operations ran to their end since it got a total.
    public var completed: UInt64
    /// How much of the total is done, from 0 to 1 (PG4); nil where it has none.
    public var progress: Double?

    /// Describes a queue at a glance.
    public init(
        queue: String,
        maxConcurrent: Int?,
        suspended: Bool,
        qos: QualityOfService?,
        count: Int,
        executing: Int,
        total: Int? = nil,
        completed: UInt64 = 0,
        progress: Double? = nil
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
    }

    /// Writes the queue.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes what there is to say of the queue into the object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("queue", queue)
        writer.member("maxConcurrent", maxConcurrent)
        writer.member("suspended", suspended)
        writer.member("qos", description: qos)
        writer.member("count", count)
        writer.member("executing", executing)
        writer.member("total", total)
        writer.member("completed", completed)
        writer.member("progress", progress)
    }
}
