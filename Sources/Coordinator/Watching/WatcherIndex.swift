@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The clients that watch selections, by the selected operations, jobs and queues.
///
/// Owns the filters of the clients. Guarantees that an event costs the same whatever the number of clients with other selections
/// is; only an event about several neighbouring operations looks at all clients that have selected single operations.
///
/// A client keeps its place from one watch to the next: clients mostly repeat their selection.
struct WatcherIndex {
    /// The clients with the same selected member, mostly one.
    private enum Watchers {
        case one(RoutingID)
        case several(Set<RoutingID>)

        /// Adds a client.
        mutating func insert(_ client: RoutingID) {
            switch self {
            case .one(let other): if other != client { self = .several([other, client]) }
            case .several(var all):
                self = .several([])
                all.insert(client)
                self = .several(all)
            }
        }

        /// Removes a client.
        ///
        /// - Returns: whether another client is left.
        mutating func remove(_ client: RoutingID) -> Bool {
            switch self {
            case .one(let other): return other != client
            case .several(var all):
                self = .several([])
                all.remove(client)
                self = .several(all)
                return !all.isEmpty
            }
        }

        func add(to found: inout [RoutingID]) {
            switch self {
            case .one(let client): found.append(client)
            case .several(let all): found += all
            }
        }
    }

    private var filters: [RoutingID: EventFilter] = [:]
    private var operations: [OperationID: Watchers] = [:]
    private var jobs: [JobNumber: Watchers] = [:]
    private var queues: [String: Watchers] = [:]
    /// The clients that have selected single operations.
    private var withOperations: Set<RoutingID> = []

    /// Sets a client's selection.
    ///
    /// - Returns: the filter for the selection.
    /// - Complexity: O(members of the selection), to compare them with the client's last selection or to replace it.
    mutating func set(_ selection: EventSelection, of client: RoutingID) -> EventFilter {
        if let known = filters[client], known.selection == selection { return known }
        remove(client)
        let filter = EventFilter(selection)
        filters[client] = filter
        for id in selection.operations { Self.insert(client, at: id, into: &operations) }
        for job in selection.jobs { Self.insert(client, at: job, into: &jobs) }
        for queue in selection.queues { Self.insert(client, at: queue, into: &queues) }
        if filter.hasOperations { withOperations.insert(client) }
        return filter
    }

    /// Removes a client's selection.
    mutating func remove(_ client: RoutingID) {
        guard let selection = filters.removeValue(forKey: client)?.selection else { return }
        for id in selection.operations { Self.remove(client, at: id, from: &operations) }
        for job in selection.jobs { Self.remove(client, at: job, from: &jobs) }
        for queue in selection.queues { Self.remove(client, at: queue, from: &queues) }
        withOperations.remove(client)
    }

    /// Keeps only the clients that satisfy a condition.
    mutating func keepOnly(_ isKept: (RoutingID) -> Bool) {
        for client in filters.keys.filter({ !isKept($0) }) { remove(client) }
    }

    /// Returns the clients that have selected an event or a part of it, some perhaps more than once.
    func watchers(of event: ClusterEvent, in queue: String?) -> [RoutingID] {
        var found: [RoutingID] = []
        switch event.subject {
        case .operations(let first, let count, _):
            if count == 1 {
                if !operations.isEmpty { operations[first]?.add(to: &found) }
            } else {
                found += withOperations.filter { filters[$0]?.parts(of: event, in: nil).isEmpty == false }
            }
            if !jobs.isEmpty { jobs[first.job]?.add(to: &found) }
            if let queue, !queues.isEmpty { queues[queue]?.add(to: &found) }
        case .jobSubmitted(let job, _), .operationsAdded(let job, _, _), .jobClosed(let job), .jobFinished(let job, _):
            jobs[job]?.add(to: &found)
        case .queue(let name, _), .queueDeleted(let name): queues[name]?.add(to: &found)
        case .worker, .workerRequest, .schedule, .limit, .clockStepped, .recordIncomplete: break
        }
        return found
    }

    private static func insert<Key>(_ client: RoutingID, at key: Key, into watchers: inout [Key: Watchers]) {
        watchers[key, default: .one(client)].insert(client)
    }

    private static func remove<Key>(_ client: RoutingID, at key: Key, from watchers: inout [Key: Watchers]) {
        if watchers[key]?.remove(client) == false { watchers[key] = nil }
    }
}
