import Operations

/// Attempts that may start, in the order in which they arrived at the worker.
struct WaitingLine: Sendable {
    private struct Entry: Sendable {
        let arrival: UInt64
        let token: AttemptToken
    }

    private var entries: [Entry] = []
    /// Those before it have been taken.
    private var head = 0

    var isEmpty: Bool { head == entries.count }

    /// Puts an attempt behind all that arrived before it.
    ///
    /// - Parameter arrival: a number that is higher with each attempt that arrives.
    /// - Complexity: O(1) for the one that arrived last, else O(n); there are hardly more than a few for each slot.
    mutating func insert(_ token: AttemptToken, arrival: UInt64) {
        entries.insert(Entry(arrival: arrival, token: token), at: index(of: arrival))
    }

    /// Takes an attempt out, if it is there.
    ///
    /// - Complexity: O(1) for the one that arrived last, else O(n).
    mutating func remove(arrival: UInt64) {
        let index = index(of: arrival)
        if index < entries.count, entries[index].arrival == arrival { entries.remove(at: index) }
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

    /// Where the attempt with this number is, or belongs.
    private func index(of arrival: UInt64) -> Int {
        var lower = head
        var upper = entries.count
        // Most are asked for at the end: what has just arrived, or what was sent ahead last and is taken back first.
        if upper > lower, entries[upper - 1].arrival < arrival { return upper }
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].arrival < arrival { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
