@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A request of a client, from the call to the reply.
struct OutstandingRequest: Sendable {
    let number: UInt64
    /// The encoded message, for a coordinator that has been restarted.
    let bytes: [UInt8]
    /// Whether a repeated request has the same effect as a single request.
    let isRepeatable: Bool
    /// How long the caller waits; nil for as long as it takes.
    let timeout: Duration?
    let completion: @Sendable (Result<Reply, ClientError>) -> Void
}

/// The requests of one client without replies: what a connection does for a client, without a connection.
///
/// Owns the requests.
struct ClientLine {
    /// The connection to the coordinator.
    private(set) var peer: RoutingID
    private var pending: [UInt64: OutstandingRequest] = [:]
    /// When the requests with a time limit are given up.
    private var deadlines: [UInt64: Timestamp] = [:]

    init(peer: RoutingID) {
        self.peer = peer
    }

    /// When the first time limit is over; nil for never.
    var nextDeadline: Timestamp? { deadlines.isEmpty ? nil : deadlines.values.min() }

    /// Adds a request.
    mutating func add(_ request: OutstandingRequest, at now: Timestamp) {
        pending[request.number] = request
        if let timeout = request.timeout { deadlines[request.number] = now + timeout.roundedUp }
    }

    /// Removes a request; nil if it has been answered already.
    mutating func remove(_ number: UInt64) -> OutstandingRequest? {
        if !deadlines.isEmpty { deadlines[number] = nil }
        return pending.removeValue(forKey: number)
    }

    /// Removes all requests, oldest first.
    mutating func removeAll() -> [OutstandingRequest] {
        pending.keys.sorted().compactMap { remove($0) }
    }

    /// Removes the requests whose time limits are over.
    mutating func removeLate(at now: Timestamp) -> [OutstandingRequest] {
        deadlines.filter { $0.value <= now }.keys.sorted().compactMap { remove($0) }
    }

    /// Continues on a connection to another coordinator.
    ///
    /// - Returns: the requests that must not be sent again, now removed, and the messages of all others, oldest first.
    mutating func reconnect(to peer: RoutingID) -> (uncertain: [OutstandingRequest], repeated: [[UInt8]]) {
        self.peer = peer
        let uncertain = pending.values.filter { !$0.isRepeatable }.map(\.number).sorted().compactMap { remove($0) }
        return (uncertain, pending.keys.sorted().compactMap { pending[$0]?.bytes })
    }
}
