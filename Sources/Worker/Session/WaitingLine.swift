@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The ready queue of a worker: attempts that may start, ordered by turn and, for equal turns, by arrival at the worker.
struct WaitingLine: Sendable {
    /// An attempt's position in the ready queue.
    struct Place: Comparable, Sendable {
        /// The turn that the coordinator assigned.
        var turn: UInt64
        /// The arrival number, which increases with each attempt.
        var arrival: UInt64

        static func < (left: Place, right: Place) -> Bool {
            (left.turn, left.arrival) < (right.turn, right.arrival)
        }
    }

    /// An attempt with its position.
    struct Entry: Sendable {
        let place: Place
        let token: AttemptToken
    }

    private var entries: [Entry] = []
    /// Entries before this index have been popped.
    private var head = 0

    var isEmpty: Bool { head == entries.count }

    /// The number of attempts.
    var count: Int { entries.count - head }

    /// The first attempt; nil for an empty ready queue.
    var first: Entry? { isEmpty ? nil : entries[head] }

    /// Inserts an attempt at its place.
    ///
    /// - Returns: whether other attempts follow the inserted attempt.
    /// - Complexity: O(1) at the end, else O(n); the ready queue rarely has more than a few attempts per slot.
    @discardableResult
    mutating func insert(_ token: AttemptToken, at place: Place) -> Bool {
        let index = index(of: place)
        invariant(index == entries.count || entries[index].place != place, "Two attempts wait at one place.")
        entries.insert(Entry(place: place, token: token), at: index)
        return index < entries.count - 1
    }

    /// Removes an attempt, if the ready queue contains it.
    ///
    /// - Complexity: O(log n) for the first and the last attempt, else O(n).
    mutating func remove(at place: Place) {
        let index = index(of: place)
        guard index < entries.count, entries[index].place == place else { return }
        if index == head { _ = popFirst() } else { entries.remove(at: index) }
    }

    /// Removes and returns the first attempt; nil for an empty ready queue.
    ///
    /// - Complexity: O(1), amortised.
    mutating func popFirst() -> AttemptToken? {
        guard head < entries.count else { return nil }
        let token = entries[head].token
        head += 1
        if head == entries.count || head >= 64 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return token
    }

    /// The index of the attempt with a place, or the index at which to insert it.
    private func index(of place: Place) -> Int {
        var lower = head
        var upper = entries.count
        // Most new arrivals go to the end.
        if upper > lower, entries[upper - 1].place < place { return upper }
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].place < place { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
