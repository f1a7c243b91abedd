/// What has happened in a cluster since its record was made, as far as the record knows.
///
/// A record from before version 22 knew no totals: they count from the first start of a later version. The number of submitted
/// operations of a queue is no part of the totals: it is the number of the queue's ended and unfinished operations.
@_spi(Baton) public struct ClusterTotals: Hashable, Sendable {
    /// The starts and ends of attempts.
    public var attempts = AttemptTotals()
    /// How many jobs have finished with each outcome.
    public var jobs = EndCounts()
    /// How many operations of each queue have ended with each outcome; a queue without an entry has no end.
    ///
    /// A deleted queue has no entry, and a queue of the same name that is made later begins at 0.
    public var queues: [String: EndCounts] = [:]

    /// Makes totals of nothing.
    public init() {}

    /// Takes over later totals, in which queues without a further end may be missing.
    public mutating func update(to later: ClusterTotals) {
        (attempts, jobs) = (later.attempts, later.jobs)
        queues.merge(later.queues) { _, later in later }
    }
}
