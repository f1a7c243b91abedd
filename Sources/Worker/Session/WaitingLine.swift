import BatonOperations

/// Attempts that may start, in their order: by their turns, and among equals as they arrived at the worker.
struct WaitingLine: Sendable {
    /// Where an attempt stands.
    struct Place: Comparable, Sendable {
        /// Its turn, as the coordinator has given it.
        var turn: UInt64
        /// A number that is higher with each attempt that arrives.
        var arrival: UInt64

        static func < (left: Place, right: Place) -> Bool {
            (left.turn, left.arrival) < (right.turn, right.arrival)
        }
    }

    private struct Entry: Sendable {
        let place: Place
        let token: AttemptToken
    }

    private var entries: [Entry] = []
    /// Those before it have been taken.
    private var head = 0

    var isEmpty: Bool { head == entries.count }

    /// Puts an attempt in its place.
    ///
    /// - Returns: whether that is before others.
    /// - Complexity: O(1) for the one that comes last, else O(n); there are hardly more than a few for each slot.
    @discardableResult
    mutating func insert(_ token: AttemptToken, at place: Place) -> Bool {
        let index = index(of: place)
        entries.insert(Entry(place: place, token: token), at: index)
        return index < entries.count - 1
    }

    /// Takes an attempt out, if it is there.
    ///
    /// - Complexity: O(1) for the one that comes last, else O(n).
    mutating func remove(at place: Place) {
        let index = index(of: place)
        if index < entries.count, entries[index].place == place { entries.remove(at: index) }
    }

    /// Takes the first.
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

    /// Where the attempt of a place is, or belongs.
    private func index(of place: Place) -> Int {
        var lower = head
        var upper = entries.count
        // Most are asked for at the end: what has just arrived, or what was sent ahead last and is taken back first.
        if upper > lower, entries[upper - 1].place < place { return upper }
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].place < place { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
