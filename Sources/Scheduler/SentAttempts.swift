import BatonOperations

/// The attempts that a worker was sent and has not started, in the order in which it starts them: by their turns, and among
/// equals in the order in which they were sent.
///
/// Most are sent and started in that order: what comes last or goes first does so in O(1), amortised, anything else in O(n).
struct SentAttempts {
    private struct Entry {
        let token: AttemptToken
        let turn: UInt64
        /// Whether it was sent although the worker had as many ahead as it may have.
        let isOvertaking: Bool
        /// How long it takes, judged by others of its kind, in microseconds.
        let expectedTime: Int64
    }

    private var entries: [Entry] = []
    /// Those before it have gone.
    private var head = 0
    /// How many of them were sent although the worker had as many ahead as it may have.
    private(set) var overtakingCount = 0
    /// How long all of them take together, judged by others of their kind, in microseconds.
    private(set) var expectedTime: Int64 = 0
    /// The highest turn of all that have started.
    private(set) var startedTurn: UInt64 = 0

    /// How many there are.
    var count: Int { entries.count - head }

    /// The turn of the one that starts last; nil where there is none.
    var lastTurn: UInt64? { count > 0 ? entries[entries.count - 1].turn : nil }

    /// Adds one that was sent.
    mutating func insert(_ token: AttemptToken, turn: UInt64, isOvertaking: Bool, expectedTime time: Int64) {
        let entry = Entry(token: token, turn: turn, isOvertaking: isOvertaking, expectedTime: time)
        expectedTime += time
        if isOvertaking { overtakingCount += 1 }
        guard let last = lastTurn, last > turn else {
            entries.append(entry)
            return
        }
        var (lower, upper) = (head, entries.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].turn <= turn { lower = middle + 1 } else { upper = middle }
        }
        entries.insert(entry, at: lower)
    }

    /// Takes one out, if it is there.
    ///
    /// - Returns: its turn.
    @discardableResult
    mutating func remove(_ token: AttemptToken) -> UInt64? {
        guard let position = position(of: token) else { return nil }
        let entry = entries[position]
        expectedTime -= entry.expectedTime
        if entry.isOvertaking { overtakingCount -= 1 }
        guard position == head else {
            entries.remove(at: position)
            return entry.turn
        }
        head += 1
        if head == entries.count || head >= 64 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return entry.turn
    }

    /// Takes one out that has started.
    ///
    /// - Returns: its turn; 0 where it was not there.
    mutating func start(_ token: AttemptToken) -> UInt64 {
        let turn = remove(token) ?? 0
        startedTurn = max(startedTurn, turn)
        return turn
    }

    /// The turn of one of them; nil where it is not there.
    func turn(of token: AttemptToken) -> UInt64? { position(of: token).map { entries[$0].turn } }

    /// The last so many, or all, in order.
    func suffix(_ most: Int) -> [AttemptToken] { entries[head...].suffix(most).map(\.token) }

    private func position(of token: AttemptToken) -> Int? { entries[head...].firstIndex { $0.token == token } }
}
