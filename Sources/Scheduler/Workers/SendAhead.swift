@_spi(Baton) import BatonOperations

/// How many attempts a worker is sent before it has free slots.
@_spi(Baton) public enum SendAhead: Hashable, Sendable {
    /// As many attempts as the worker ends within a few milliseconds, judged by its last attempts; none if attempts take
    /// longer.
    ///
    /// Thus short operations flow, and the visible order is the order of the queue: an attempt that waits at a worker for
    /// longer is recalled.
    case automatic
    /// Always this many attempts; 0 for none.
    ///
    /// Attempts whose queue's turn comes before the attempts ahead are sent beyond the limit: at most as many again, or as many
    /// as the worker has slots. With more than one worker, an attempt waits for the worker that was sent it, even if a later
    /// operation of the same priority finds a slot elsewhere.
    case atMost(Int)

    /// The duration of the work that a worker is sent ahead, in microseconds.
    ///
    /// Not a `Duration`, whose arithmetic is slow: the scheduler reads the horizon for every operation.
    static let horizon: Int64 = 8_000
    /// The step by which workers are compared by the duration of their work ahead, in microseconds.
    ///
    /// Workers with a difference of less than a step count as equal: one worker is sent attempts of all queues before the next
    /// worker gets any.
    static let step: Int64 = 64
    /// How long a worker may start and end nothing before the attempts ahead are recalled, in microseconds.
    static let patience: Int64 = 20_000
    /// The most attempts that ``automatic`` sends ahead to a worker, however short the attempts are.
    static let limit = 1024

    /// How many attempts a worker may have beyond the slots.
    ///
    /// - Parameters:
    ///   - slots: the number of the worker's slots.
    ///   - mean: the mean duration of the worker's last attempts, in microseconds; nil if no attempt has ended.
    ///   - isFlowing: whether the worker has started or ended an attempt a short while ago.
    func limit(slots: Int, mean: Int64?, isFlowing: Bool) -> Int {
        switch self {
        case .atMost(let limit):
            return max(limit, 0)
        case .automatic:
            guard isFlowing, let mean, mean <= Self.horizon else { return 0 }
            return min(Self.limit, slots * Int(Self.horizon / max(mean, 1)))
        }
    }
}
