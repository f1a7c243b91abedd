import Operations

/// Clients that watch: each has one question open at a time, and is told at most a page.
///
/// So a client that does not read, or is gone, costs what one page costs.
struct WatchRegistry {
    /// A client's question for what happened after an event.
    struct Watch: Sendable {
        /// Whom to answer.
        var client: ReplyAddress
        /// The number of the last event that it knows.
        var since: UInt64
        /// How many events it wants at most.
        var limit: Int
        /// When to answer at the latest.
        var deadline: Timestamp
    }

    /// The most events of a page.
    static let largestPage = 1000

    /// The number of the newest event that is on disk.
    var newestEvent: UInt64 = 0

    private var watches: [Watch] = []

    /// When the next one has to be answered; nil where nobody watches.
    var nextDeadline: Timestamp? { watches.lazy.map(\.deadline).min() }

    /// Takes a question in.
    mutating func add(_ watch: Watch) { watches.append(watch) }

    /// Takes out those that there is something to tell, and those whose time is up.
    mutating func takeDue(now: Timestamp) -> [Watch] {
        guard !watches.isEmpty else { return [] }
        let newest = newestEvent
        let due = watches.filter { $0.since < newest || $0.deadline <= now }
        if !due.isEmpty { watches.removeAll { $0.since < newest || $0.deadline <= now } }
        return due
    }
}
