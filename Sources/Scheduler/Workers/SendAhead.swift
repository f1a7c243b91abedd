@_spi(Baton) import BatonOperations

/// How many attempts a worker is sent before it has free slots.
@_spi(Baton) public enum SendAhead: Hashable, Sendable {
    /// As many attempts as the worker ends within some 30 milliseconds and its round trip, judged by its last attempts; none if
    /// attempts take longer.
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

    /// The duration of the work that each slot of a near worker is sent ahead, in microseconds; see ``Distance`` for others.
    ///
    /// Not a `Duration`, whose arithmetic is slow: the scheduler reads the horizon for every operation.
    static let horizon: Int64 = 32_000
    /// The number of steps by which workers are compared by the duration of their work ahead.
    ///
    /// Workers with a difference of less than a step count as equal: one worker is sent attempts of all queues before the next
    /// worker gets any.
    static let steps: Int64 = 125
    /// How long a near worker may start and end nothing before the attempts ahead are recalled, in microseconds.
    static let patience: Int64 = 80_000
    /// The most attempts that ``automatic`` sends ahead to a near worker, however short the attempts are.
    static let limit = 1024
    /// The most bytes that the attempts ahead at a far worker are expected to leave, unless there is one for each slot.
    ///
    /// What attempts leave waits in the worker's memory for the way back.
    static let mostBytes = 32 << 20

    /// The room of a worker for attempts ahead.
    struct Room: Equatable {
        /// How many attempts the worker may have beyond the slots.
        var attempts = 0
        /// The expected duration of all unstarted attempts that the worker may have, in microseconds.
        var time = SendAhead.horizon
        /// Whether the room may be used for attempts that are too long to be sent ahead to a near worker.
        var isForLongAttempts = false
    }

    /// How much a worker may be sent ahead.
    ///
    /// - Parameters:
    ///   - slots: the number of the worker's slots.
    ///   - mean: the mean duration of the worker's last attempts, in microseconds; nil if no attempt has ended.
    ///   - meanBytes: the mean number of bytes that the worker's last attempts left, if the worker is far away.
    ///   - distance: how far away the worker is.
    ///   - isFlowing: whether the worker has started or ended an attempt a short while ago.
    func room(slots: Int, mean: Int64?, meanBytes: Int, distance: Distance, isFlowing: Bool) -> Room {
        var room = Room(time: Int64(slots) * distance.horizon)
        switch self {
        case .atMost(let limit):
            room.attempts = max(limit, 0)
        case .automatic:
            guard isFlowing, let mean, mean <= distance.longestAttempt else { return room }
            let known = max(mean, 1)
            if distance.isNear {
                room.attempts = min(distance.mostAttempts, slots * Int(distance.horizon / known))
            } else {
                // Rounded up, so that each slot finds an attempt however long attempts take.
                let most = min(distance.mostAttempts, max(slots, Self.mostBytes / max(meanBytes, 1)))
                room.attempts = min(most, slots * Int((distance.horizon + known - 1) / known))
                room.time = max(room.time, Int64(slots) * known)
                room.isForLongAttempts = true
            }
        }
        return room
    }
}
