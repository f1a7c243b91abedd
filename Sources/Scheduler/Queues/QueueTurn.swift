/// A queue's position in the order of queues: the queue with the lowest pass is next (stride scheduling, QO5).
///
/// A turn is valid as long as the queue has this pass and is in order.
struct QueueTurn: Comparable {
    /// The queue's pass.
    var pass: UInt64
    /// The queue.
    var queue: QueueIndex

    static func < (left: QueueTurn, right: QueueTurn) -> Bool {
        (left.pass, left.queue) < (right.pass, right.queue)
    }
}
