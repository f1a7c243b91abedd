@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The attempts that a worker was sent and has not started, in the order of their starts.
///
/// Attempts start in the order of their turns, and among equal turns in the order of their dispatch. Most attempts are sent and
/// started in this order: an insertion at the end and a removal at either end take O(1), amortised, any other change takes O(n).
///
/// Attempts whose files the worker fetches first stand apart: they have no part in the order, take no slot and have no duration,
/// until the worker reports their start (FI4).
struct SentAttempts {
    private struct Entry {
        let token: AttemptToken
        let turn: UInt64
        /// Whether the attempt was sent although the worker had as many attempts ahead as it may have.
        let isOvertaking: Bool
        /// The expected duration, judged by attempts of the same kind, in microseconds.
        let expectedTime: Int64
    }

    /// An attempt whose files the worker fetches first.
    private struct Fetch {
        let turn: UInt64
        /// The bytes of its files that are there, as the worker has told.
        var present: Int64 = 0
    }

    private var entries: [Entry] = []
    /// The attempts for which the worker lacked files at their dispatch.
    private var fetching: [AttemptToken: Fetch] = [:]
    /// The position of the first entry: earlier entries have gone.
    private var head = 0
    /// The number of attempts that were sent although the worker had as many attempts ahead as it may have.
    private(set) var overtakingCount = 0
    /// The expected duration of all attempts together, judged by attempts of the same kinds, in microseconds.
    private(set) var expectedTime: Int64 = 0
    /// The highest turn of all started attempts.
    private(set) var startedTurn: UInt64 = 0

    /// The number of attempts, without those whose files are being fetched.
    @inline(__always) var count: Int { entries.count - head }

    /// The number of attempts whose files are being fetched.
    @inline(__always) var fetchingCount: Int { fetching.count }

    /// The turn of the attempt that starts last; nil if there is no attempt.
    var lastTurn: UInt64? { count > 0 ? entries[entries.count - 1].turn : nil }

    /// Adds an attempt.
    mutating func insert(_ token: AttemptToken, turn: UInt64, isOvertaking: Bool, expectedTime time: Int64) {
        let entry = Entry(token: token, turn: turn, isOvertaking: isOvertaking, expectedTime: time)
        invariant(time >= 0, "An attempt is expected to take less than no time.")
        expectedTime += time
        if isOvertaking { overtakingCount += 1 }
        guard let last = lastTurn, last > turn else {
            entries.append(entry)
            return
        }
        let position = (head..<entries.count).binarySearch { entries[$0].turn > turn }
        invariant(
            position == entries.count || entries[position].turn > turn,
            "An attempt is put before one of an earlier turn."
        )
        entries.insert(entry, at: position)
    }

    /// Adds an attempt whose files the worker fetches first.
    mutating func insertFetching(_ token: AttemptToken, turn: UInt64) {
        invariant(position(of: token) == nil, "An attempt is sent to a slot, and to fetch files.")
        fetching[token] = Fetch(turn: turn)
    }

    /// Whether an attempt was sent to fetch files first.
    func isFetching(_ token: AttemptToken) -> Bool { !fetching.isEmpty && fetching[token] != nil }

    /// The attempts that were sent to fetch files first, in order.
    var fetchingTokens: [AttemptToken] { fetching.isEmpty ? [] : fetching.keys.sorted() }

    /// The bytes that are there of the files of an attempt that was sent to fetch files first, as far as the worker has told.
    func present(of token: AttemptToken) -> Int64 { fetching[token]?.present ?? 0 }

    /// Notes how many bytes are there of the files of an attempt that was sent to fetch files first.
    mutating func notePresent(_ bytes: Int64, of token: AttemptToken) { fetching[token]?.present = bytes }

    /// All attempts, in the order of their starts, then those that were sent to fetch files first.
    var all: [AttemptToken] { suffix(.max) + fetchingTokens }

    /// Removes an attempt, if present.
    ///
    /// - Returns: the turn of the attempt.
    @discardableResult
    mutating func remove(_ token: AttemptToken) -> UInt64? {
        guard let position = position(of: token) else {
            return fetching.isEmpty ? nil : fetching.removeValue(forKey: token)?.turn
        }
        let entry = entries[position]
        expectedTime -= entry.expectedTime
        if entry.isOvertaking { overtakingCount -= 1 }
        invariant(overtakingCount >= 0, "Fewer than no attempts have overtaken others.")
        invariant(expectedTime >= 0, "The attempts sent ahead take less than no time.")
        guard position == head else {
            entries.remove(at: position)
            return entry.turn
        }
        head += 1
        if head == entries.count || head >= 64 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        invariant(count > 0 || expectedTime == 0, "No attempt is sent ahead, and some time is expected.")
        invariant(count > 0 || overtakingCount == 0, "No attempt is sent ahead, and some have overtaken others.")
        return entry.turn
    }

    /// Removes an attempt that has started.
    ///
    /// - Returns: the turn of the attempt; 0 if the attempt was not present.
    mutating func start(_ token: AttemptToken) -> UInt64 {
        let turn = remove(token) ?? 0
        startedTurn = max(startedTurn, turn)
        return turn
    }

    /// The turn of an attempt; nil if the attempt is not present.
    func turn(of token: AttemptToken) -> UInt64? {
        position(of: token).map { entries[$0].turn } ?? fetching[token]?.turn
    }

    /// The last attempts in order, at most a given number.
    func suffix(_ most: Int) -> [AttemptToken] { entries[head...].suffix(most).map(\.token) }

    /// The position of an attempt; nil if the attempt is not present.
    ///
    /// The last attempt is looked at before those between: attempts are recalled last first.
    private func position(of token: AttemptToken) -> Int? {
        guard count > 0 else { return nil }
        if entries[head].token == token { return head }
        if entries[entries.count - 1].token == token { return entries.count - 1 }
        return entries[head...].firstIndex { $0.token == token }
    }
}
