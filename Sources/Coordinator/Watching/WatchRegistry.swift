@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The clients that watch events.
///
/// Owns the number of the newest event on disk, the latest events while anybody watches, the open watches, and the clients whose
/// page is being read from the record. Guarantees:
///
/// - A client has a single open question at a time, answered with at most a page; a client that does not read, or has gone,
///   therefore costs no more than a page.
/// - No client gets an event before the event is on disk.
/// - An event that no open watch has selected costs the same for any number of watches.
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
        /// The events that the client has selected; nil for all events.
        var filter: EventFilter?
        /// The number of the last event looked at; none after ``since`` up to it is selected.
        var examined: UInt64

        /// Begins a watch.
        init(
            client: ReplyAddress,
            since: UInt64,
            limit: Int,
            deadline: Timestamp,
            filter: EventFilter? = nil
        ) {
            self.client = client
            self.since = since
            self.limit = limit
            self.deadline = deadline
            self.filter = filter
            examined = since
        }
    }

    /// A watch to answer or to continue now.
    enum Due: Hashable {
        /// The watch has events; ``WatchRegistry/page(for:)`` returns them.
        case page(Watch)
        /// The events after ``Watch/examined`` have to be read from the record; then call ``WatchRegistry/pageRead(for:)``.
        case read(Watch)
        /// The deadline has passed without events.
        case over(Watch)

        fileprivate var deadline: Timestamp {
            switch self {
            case .page(let watch), .read(let watch), .over(let watch): watch.deadline
            }
        }
    }

    private struct Open {
        var watch: Watch
        /// What the watch waits for.
        var state: State
    }

    private enum State {
        /// A selected event.
        case parked
        /// The commit of the first selected event, which has this number.
        case hit(UInt64)
        /// Any commit after ``Watch/examined``, since the events that follow are not all among the latest ones here.
        case behind
    }

    /// The most events in a page.
    static let largestPage = 1000
    /// How long after the last watch the latest events and the selections are kept.
    private static let memory = Duration.seconds(60)

    /// The number of the newest event on disk.
    private(set) var newestEvent: UInt64 = 0

    /// Whether events have to be noted: whether anybody has watched of late.
    ///
    /// This is a value of its own, and ``recent`` is no optional: a comparison of ``recent`` with nil retains its array until the
    /// caller has noted its events, and each event that is noted meanwhile copies the whole array (Swift 6.3.1 with -O, shown by
    /// findings/swift-nil-comparison-copies-an-array.sh).
    private(set) var wantsEvents = false
    /// The latest events; without meaning unless ``wantsEvents``.
    private var recent = RecentEvents(after: 0)
    private var index = WatcherIndex()
    private var watches: [RoutingID: Open] = [:]
    /// The parked watches of all events.
    private var unfiltered: Set<RoutingID> = []
    /// The watches that are not parked.
    private var awaiting: Set<RoutingID> = []
    /// The clients whose page is being read from the record; further questions of these clients wait.
    private var reading: Set<RoutingID> = []
    /// No deadline is earlier, but there may be no such deadline any more.
    private var earliestDeadline: Timestamp?
    /// When each client with a selection has last watched.
    private var lastWatched: [RoutingID: Timestamp] = [:]
    /// When anybody has last watched.
    private var lastUse: Timestamp?

    /// Whether any client waits for the commit of an event.
    ///
    /// A client that is behind reads what is on disk already: an earlier commit would bring it nothing, and cost all others.
    var isAnybodyAwaiting: Bool {
        awaiting.contains { peer in
            if case .hit(let number)? = watches[peer]?.state { number > newestEvent } else { false }
        }
    }

    /// When a watch may be over at the earliest; nil if no watch is open.
    var nextDeadline: Timestamp? { watches.isEmpty ? nil : earliestDeadline }

    // MARK: - Events

    /// Takes an event on its way to the disk.
    mutating func note(_ event: ClusterEvent, in queue: String?) {
        guard wantsEvents else { return }
        recent.append(event, in: queue)
        if !unfiltered.isEmpty {
            for peer in unfiltered { watches[peer]?.state = .hit(event.sequence) }
            awaiting.formUnion(unfiltered)
            unfiltered = []
        }
        for peer in index.watchers(of: event, in: queue) {
            guard case .parked? = watches[peer]?.state,
                let first = watches[peer]?.watch.filter?.parts(of: event, in: queue).first
            else { continue }
            watches[peer]?.state = .hit(first.sequence)
            awaiting.insert(peer)
        }
    }

    /// Notes the number of the newest event on disk.
    mutating func noteNewest(_ event: UInt64) {
        invariant(event >= newestEvent, "The newest event on disk is \(event), and was \(newestEvent).")
        newestEvent = event
    }

    // MARK: - Watches

    /// Returns the filter for a client's selection.
    mutating func filter(for selection: EventSelection, of client: RoutingID) -> EventFilter {
        index.set(selection, of: client)
    }

    /// Adds a client's watch.
    ///
    /// - Parameters:
    ///   - watch: the watch.
    ///   - emitted: the number of the newest event, on disk or on its way there.
    ///   - now: the present moment.
    /// - Returns: the client's previous watch, replaced by the new watch and to be answered with an empty page.
    mutating func add(_ watch: Watch, emitted: UInt64, now: Timestamp) -> Watch? {
        let peer = watch.client.peer
        let previous = take(peer)
        lastUse = now
        lastWatched[peer] = watch.filter == nil ? nil : now
        if !wantsEvents {
            recent = RecentEvents(after: emitted)
            wantsEvents = true
        }
        let state = state(of: watch)
        watches[peer] = Open(watch: watch, state: state)
        switch state {
        case .parked: if watch.filter == nil { unfiltered.insert(peer) }
        case .hit, .behind: awaiting.insert(peer)
        }
        invariant(awaiting.count + unfiltered.count <= watches.count, "A client waits for events and does not watch.")
        earliestDeadline = min(earliestDeadline ?? watch.deadline, watch.deadline)
        return previous
    }

    private func state(of watch: Watch) -> State {
        guard watch.examined >= recent.base else { return .behind }
        for entry in recent.after(watch.examined) {
            if let first = Self.parts(of: entry, for: watch).first { return .hit(first.sequence) }
        }
        return .parked
    }

    /// Removes and returns the watches that have events or must read on, and those with a passed deadline, in the order of their
    /// deadlines.
    ///
    /// - Complexity: O(watches that wait for a commit), and O(watches) after a deadline.
    mutating func takeDue(now: Timestamp) -> [Due] {
        guard !watches.isEmpty else { return [] }
        var due: [Due] = []
        for peer in awaiting where !reading.contains(peer) {
            guard let open = watches[peer] else { continue }
            switch open.state {
            case .hit(let number) where number <= newestEvent:
                var watch = open.watch
                watch.examined = max(watch.examined, number - 1)
                // So many events may have come since that the first of them is no longer here.
                due.append(wantsEvents && watch.examined >= recent.base ? .page(watch) : .read(watch))
            case .behind where open.watch.examined < newestEvent: due.append(.read(open.watch))
            case .hit, .behind, .parked: break
            }
        }
        for case .page(let watch) in due { _ = take(watch.client.peer) }
        for case .read(let watch) in due {
            _ = take(watch.client.peer)
            let isNew = reading.insert(watch.client.peer).inserted
            invariant(isNew, "Two pages are read for a client at a time.")
        }
        if let earliest = earliestDeadline, earliest <= now {
            for (peer, open) in watches where open.watch.deadline <= now && !reading.contains(peer) {
                var watch = open.watch
                switch open.state {
                case .behind: break
                // No event up to the newest on disk is selected.
                case .parked, .hit: watch.examined = max(watch.examined, newestEvent)
                }
                due.append(.over(watch))
            }
            for case .over(let watch) in due { _ = take(watch.client.peer) }
            earliestDeadline = nil
            for (peer, open) in watches where !reading.contains(peer) {
                earliestDeadline = min(earliestDeadline ?? open.watch.deadline, open.watch.deadline)
            }
        }
        return due.sorted { $0.deadline < $1.deadline }
    }

    private mutating func take(_ peer: RoutingID) -> Watch? {
        unfiltered.remove(peer)
        awaiting.remove(peer)
        return watches.removeValue(forKey: peer)?.watch
    }

    /// Returns the events of a watch that is due with a page.
    func page(for watch: Watch) -> ExaminedEvents {
        var page = ExaminedEvents(last: watch.examined)
        invariant(wantsEvents, "A page is made of events that are not kept.")
        for entry in recent.after(watch.examined) {
            guard page.count < watch.limit else { return page }
            guard entry.event.sequence <= newestEvent else { break }
            page.take(Self.parts(of: entry, for: watch), of: entry.event)
        }
        return page
    }

    private static func parts(of entry: RecentEvents.Entry, for watch: Watch) -> [ClusterEvent] {
        guard let rest = entry.event.after(watch.examined) else { return [] }
        return watch.filter?.parts(of: rest, in: entry.queue) ?? [rest]
    }

    /// Notes that events were read for a client, or that the reading failed.
    mutating func pageRead(for client: ReplyAddress) {
        let known = reading.remove(client.peer)
        invariant(known != nil, "A page of events was read that no client has asked for.")
        // The client's next watch had no deadline meanwhile.
        if let deadline = watches[client.peer]?.watch.deadline {
            earliestDeadline = min(earliestDeadline ?? deadline, deadline)
        }
    }

    /// Whether a client has asked again since its watch was taken.
    func isReplaced(_ watch: Watch) -> Bool { watches[watch.client.peer] != nil }

    /// Forgets the selections of clients that have stopped watching, and the latest events if nobody watches any more.
    mutating func forgetIdle(now: Timestamp) {
        for (peer, time) in lastWatched
        where time + Self.memory < now && watches[peer] == nil && !reading.contains(peer) {
            lastWatched[peer] = nil
        }
        index.keepOnly { lastWatched[$0] != nil }
        guard let last = lastUse, last + Self.memory < now, watches.isEmpty, reading.isEmpty else { return }
        lastUse = nil
        wantsEvents = false
        recent = RecentEvents(after: 0)
    }
}
