/// What keeps a queue from starting anything for a while.
struct QueueGates: OptionSet, Sendable {
    let rawValue: UInt8

    /// The reconcile window: workers may have been sent operations of the queue before the restart without a dispatch in the record.
    static let reconciling = QueueGates(rawValue: 1)
    /// The rate of the queue: the next operation may start later (CO10).
    static let rate = QueueGates(rawValue: 2)
}
