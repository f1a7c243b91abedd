/// What has happened in a cluster since its record was made, as far as the record knows.
///
/// The number of submitted operations of a queue is no part of the totals: it is the number of the queue's ended and unfinished
/// operations.
@_spi(Baton) public struct ClusterTotals: Hashable, Sendable {
    /// The starts and ends of attempts.
    public var attempts = AttemptTotals()
    /// How many jobs have finished with each outcome.
    public var jobs = EndCounts()
    /// How many operations of each queue with a label of its own have ended with each outcome.
    ///
    /// An entry begins with the creation of its queue. A later queue of the same name continues the entry of a deleted queue.
    /// There are at most ``mostQueues`` entries.
    public var queues: [String: EndCounts] = [:]
    /// How many operations of all other queues together have ended with each outcome, including those of deleted queues.
    public var others = EndCounts()
    /// The deleted queues whose labels later queues have taken over: their entries in earlier totals go.
    ///
    /// A queue that was made again since has an entry here and one in ``queues``.
    public var dropped: Set<String> = []

    /// The most queues with a label of their own.
    public static let mostQueues = 100
    /// The label of all other queues together; a queue of this name counts there, too.
    public static let otherQueues = "other"

    /// Makes totals of nothing.
    public init() {}

    /// Takes over later totals, in which queues without a further end may be missing.
    public mutating func update(to later: ClusterTotals) {
        (attempts, jobs, others) = (later.attempts, later.jobs, later.others)
        for name in later.dropped { queues[name] = nil }
        queues.merge(later.queues) { _, later in later }
        dropped.formUnion(later.dropped)
    }
}
