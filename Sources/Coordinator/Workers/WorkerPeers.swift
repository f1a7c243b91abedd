@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The connections of the workers.
///
/// Owns the peer of each worker's session. Guarantees that a session keeps its peer until the session ends or joins again, so
/// that no other connection receives the session's messages.
struct WorkerPeers {
    private var peers: [SessionID: RoutingID] = [:]

    /// The peer of a session; nil if the session is unknown.
    subscript(session: SessionID) -> RoutingID? { peers[session] }

    /// Sets the peer of a session that joins.
    mutating func join(_ session: SessionID, at peer: RoutingID) { peers[session] = peer }

    /// Notes the sender of a session's message, if the session has no peer yet.
    mutating func hear(_ session: SessionID, from peer: RoutingID) {
        if peers[session] == nil { peers[session] = peer }
    }

    /// The sessions of a peer.
    ///
    /// - Complexity: O(workers).
    func sessions(at peer: RoutingID) -> [SessionID] { peers.compactMap { $0.value == peer ? $0.key : nil } }

    /// Forgets a session that has ended.
    mutating func forget(_ session: SessionID) { peers[session] = nil }

    /// Forgets all sessions but the current ones.
    mutating func keepOnly(_ isCurrent: (SessionID) -> Bool) { peers = peers.filter { isCurrent($0.key) } }
}
