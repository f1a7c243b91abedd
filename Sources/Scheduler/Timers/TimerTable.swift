@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The timers by deadline, with stale timers: timers that no operation, worker or request waits for any more.
struct TimerTable: Sendable {
    private var heap = BinaryHeap<Timer>()
    private(set) var staleCount = 0

    /// The deadline of the first timer; nil if no timer is set.
    var nextDeadline: Timestamp? { heap.min?.deadline }

    /// All timers, in no order.
    var all: [Timer] { heap.elements }

    /// The timers that are due, in no order; stale ones too.
    ///
    /// - Complexity: O(due timers).
    func due(at now: Timestamp) -> [Timer] { heap.elements(where: { $0.deadline <= now }) }

    /// Sets a timer.
    mutating func insert(_ timer: Timer) {
        heap.insert(timer)
    }

    /// Removes the first timer if its deadline has come.
    mutating func removeFirst(dueAt now: Timestamp) -> Timer? {
        guard let timer = heap.min, timer.deadline <= now else { return nil }
        heap.removeMin()
        return timer
    }

    /// Counts timers as stale.
    ///
    /// - Returns: whether most timers are stale now, so that they should be removed (``keep(_:)``).
    mutating func noteStale(_ number: Int) -> Bool {
        staleCount += number
        invariant(number >= 0, "Fewer than no timers become stale.")
        invariant(staleCount <= heap.count, "More timers are stale than are set.")
        return staleCount > 64 && staleCount > heap.count / 2
    }

    /// Notes that a stale timer was removed.
    mutating func noteStaleRemoved() {
        staleCount -= 1
        invariant(staleCount >= 0, "Fewer than no timers are stale.")
    }

    /// Replaces the timers by those that are current.
    mutating func keep(_ current: [Timer]) {
        heap = BinaryHeap(current)
        staleCount = 0
    }
}
