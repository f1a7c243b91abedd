import BatonOperations
import BatonZeroMQ

/// Clients that watch: each has one question open at a time, and is told at most a page.
///
/// So a client that does not read, or is gone, costs what one page costs.
struct WatchRegistry {
    /// A client's question for what happened after an event.
    struct Watch: Hashable, Sendable {
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

    private var watches: [RoutingID: Watch] = [:]
    /// Those whose page is being read from the record; what they ask meanwhile waits for that.
    private var reading: Set<RoutingID> = []

    /// Whether anybody waits for events, or for a page of them.
    var isAnybodyWatching: Bool { !watches.isEmpty || !reading.isEmpty }

    /// When the next one has to be answered; nil where nobody watches, or only those whose page is being read.
    var nextDeadline: Timestamp? {
        watches.lazy.filter { !reading.contains($0.key) }.map(\.value.deadline).min()
    }

    /// Takes a question in.
    ///
    /// - Returns: an older one of the same client, whose place it takes and which is to be answered with nothing.
    mutating func add(_ watch: Watch) -> Watch? { watches.updateValue(watch, forKey: watch.client.peer) }

    /// Takes out those that there is something to tell, and those whose time is up, in the order of their deadlines.
    ///
    /// There is something to tell where ``Watch/since`` is older than ``newestEvent``; call ``pageRead(for:)`` once it is
    /// read.
    mutating func takeDue(now: Timestamp) -> [Watch] {
        guard !watches.isEmpty else { return [] }
        var due: [Watch] = []
        for (peer, watch) in watches where !reading.contains(peer) {
            guard watch.since < newestEvent || watch.deadline <= now else { continue }
            due.append(watch)
        }
        for watch in due {
            watches[watch.client.peer] = nil
            if watch.since < newestEvent { reading.insert(watch.client.peer) }
        }
        return due.sorted { $0.deadline < $1.deadline }
    }

    /// Notes that a client's page was read, or could not be.
    mutating func pageRead(for client: ReplyAddress) { reading.remove(client.peer) }
}
