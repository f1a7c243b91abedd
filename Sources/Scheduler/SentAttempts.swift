import Operations

/// The attempts that a worker was sent and has not started, in the order in which they were sent.
///
/// Most are started in that order: what goes first goes in O(1), amortised, anything else in O(n).
struct SentAttempts: Sequence {
    private var tokens: [AttemptToken] = []
    /// Those before it have gone.
    private var head = 0

    /// How many there are.
    var count: Int { tokens.count - head }

    /// Adds the one that was sent last.
    mutating func append(_ token: AttemptToken) {
        tokens.append(token)
    }

    /// Takes one out, if it is there.
    mutating func remove(_ token: AttemptToken) {
        guard let position = tokens[head...].firstIndex(of: token) else { return }
        guard position == head else {
            tokens.remove(at: position)
            return
        }
        head += 1
        if head == tokens.count || head >= 64 && head * 2 >= tokens.count {
            tokens.removeFirst(head)
            head = 0
        }
    }

    /// The last so many, or all, in order.
    func suffix(_ most: Int) -> ArraySlice<AttemptToken> { tokens[head...].suffix(most) }

    func makeIterator() -> IndexingIterator<ArraySlice<AttemptToken>> { tokens[head...].makeIterator() }
}
