/// A line of ready operations that all take the same units of shared limits.
struct LimitLine: Hashable, Sendable {
    /// The queue.
    var queue: QueueIndex
    /// What the operations ask for.
    var requirement: Requirement
}
