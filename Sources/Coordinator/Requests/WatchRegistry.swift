@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The clients that watch events.
///
/// Owns the number of the newest event on disk, the open watches, and the clients whose page is being read from the record.
/// Guarantees that a client has a single open question at a time, answered with at most a page; a client that does not read,
/// or has gone, therefore costs no more than a page.
struct WatchRegistry {
    /// A client's request for the events after an event number.
    struct Watch: Hashable, Sendable {
        /// The client to answer.
        var client: ReplyAddress
        /// The number of the last event that the client knows.
        var since: UInt64
        /// The most events that the client accepts.
        var limit: Int
        /// When to answer at the latest.
        var deadline: Timestamp
    }

    /// The most events in a page.
    static let largestPage = 1000

    /// The number of the newest event on disk.
    private(set) var newestEvent: UInt64 = 0

    private var watches: [RoutingID: Watch] = [:]
    /// The clients whose page is being read from the record; further questions of these clients wait.
    private var reading: Set<RoutingID> = []

    /// Whether any client waits for events or for a page.
    var isAnybodyWatching: Bool { !watches.isEmpty || !reading.isEmpty }

    /// The earliest deadline of a watch, without the clients whose page is being read; nil if no watch is left.
    var nextDeadline: Timestamp? {
        watches.lazy.filter { !reading.contains($0.key) }.map(\.value.deadline).min()
    }

    /// Notes the number of the newest event on disk.
    mutating func noteNewest(_ event: UInt64) { newestEvent = event }

    /// Adds a client's watch.
    ///
    /// - Returns: the client's previous watch, replaced by the new watch and to be answered with an empty page.
    mutating func add(_ watch: Watch) -> Watch? { watches.updateValue(watch, forKey: watch.client.peer) }

    /// Removes and returns the watches with new events or a passed deadline, in the order of their deadlines.
    ///
    /// A watch has new events if ``Watch/since`` is below ``newestEvent``; after the reading of such a watch, call
    /// ``pageRead(for:)``.
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

    /// Notes that a client's page was read, or that the reading failed.
    mutating func pageRead(for client: ReplyAddress) {
        let known = reading.remove(client.peer)
        invariant(known != nil, "A page of events was read that no client has asked for.")
    }
}
