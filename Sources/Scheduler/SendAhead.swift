import BatonOperations

/// How many attempts a worker is sent before it has a slot for them.
public enum SendAhead: Hashable, Sendable {
    /// As many as it ends within a few milliseconds, judged by what it ended last; none where attempts take longer.
    ///
    /// So that short operations flow, and nobody sees another order than that of the queue: what waits at a worker longer
    /// than that is taken back.
    case automatic
    /// Always so many; 0 for none. What its queue's turn puts before them is sent beyond that, at most as many again or as there
    /// are slots. With more than one worker, what was sent to one waits for that one, also where another
    /// operation of the same level that was added later finds a slot elsewhere.
    case atMost(Int)

    /// The time for which a worker is given work ahead, in microseconds: a `Duration` takes long to be reckoned with, and this
    /// is looked at for every operation.
    static let horizon: Int64 = 8_000
    /// The steps in which workers are compared by what they have ahead, in microseconds: where it is less, one worker is sent
    /// attempts of all queues before the next one gets any.
    static let step: Int64 = 64
    /// For how long a worker may start and end nothing before what it has ahead is taken back, in microseconds.
    static let patience: Int64 = 20_000
    /// The most attempts that a worker is sent ahead, however short they are.
    static let limit = 1024

    /// How many attempts a worker may have beyond its slots.
    ///
    /// - Parameters:
    ///   - slots: its slots.
    ///   - mean: how long its last attempts took, in microseconds; nil where it has ended none.
    ///   - isFlowing: whether it has started or ended something a short while ago.
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
