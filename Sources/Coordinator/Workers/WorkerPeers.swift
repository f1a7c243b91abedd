@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The connections of the workers.
///
/// Owns the peer of each worker's session, the version of the protocol that both speak, the TCP connection, and what the worker says of
/// stopped attempts. Guarantees that a session
/// keeps its peer until the session ends or joins again, so that no other connection receives the session's messages.
struct WorkerPeers {
    private var peers: [SessionID: RoutingID] = [:]
    /// The session of the last hello of each connection.
    private var sessions: [RoutingID: SessionID] = [:]
    private var versions: [SessionID: UInt16] = [:]
    /// The sessions whose peer's connection has ended, until they join again.
    private var ended: Set<SessionID> = []
    private var connections: [SessionID: (connection: TCPConnection, since: Timestamp)] = [:]

    private var stops: [SessionID: [(stop: AttemptStop, since: Timestamp)]] = [:]

    /// The peer of a session; nil if the session is unknown.
    subscript(session: SessionID) -> RoutingID? { peers[session] }

    /// The session that a connection has joined last, if it has not ended; nil if there is none.
    func session(joinedOver peer: RoutingID) -> SessionID? { sessions[peer] }

    /// Whether a message to a session may arrive.
    func isReachable(_ session: SessionID) -> Bool { peers[session] != nil && !ended.contains(session) }

    /// The version of the protocol for a session that has joined.
    func protocolVersion(of session: SessionID) -> UInt16 { versions[session] ?? ProtocolVersion.oldest }

    /// The connection of a session that was last heard at this time; nil if the connection is not certain.
    ///
    /// When a hello is read, its connection may have ended, and another one may have the descriptor. But after the hello a worker sends
    /// nothing until its welcome has arrived: the next message of the session shows that its connection was the one with the descriptor.
    func connection(of session: SessionID, heardAt: Timestamp) -> TCPConnection? {
        connections[session].flatMap { $0.since < heardAt ? $0.connection : nil }
    }

    /// Notes the connection whose descriptor a session's hello had.
    mutating func note(_ connection: TCPConnection?, of session: SessionID, at now: Timestamp) {
        connections[session] = connection.map { ($0, now) }
    }

    /// Sets the peer and the version of a session that joins.
    mutating func join(_ session: SessionID, at peer: RoutingID, speaking version: UInt16) {
        if let earlier = peers[session], sessions[earlier] == session { sessions[earlier] = nil }
        peers[session] = peer
        sessions[peer] = session
        versions[session] = version
        ended.remove(session)
    }

    /// What the workers have said last of stopped attempts, some of which may have ended; the earliest stop first.
    var stoppedAttempts: [(stop: AttemptStop, since: Timestamp)] {
        stops.isEmpty ? [] : stops.values.joined().sorted { ($0.since, $0.stop.token) < ($1.since, $1.stop.token) }
    }

    /// Notes all stopped attempts of a session: the last entry of each attempt, if its signal is one.
    mutating func note(_ list: [AttemptStop], in session: SessionID, at now: Timestamp) {
        let usable = list.lazy.filter { Self.signals.contains($0.signal) }.map { ($0.token, $0) }
        let last = Dictionary(usable, uniquingKeysWith: { $1 }).values
        // No process is older, and the difference has to fit.
        stops[session] =
            last.isEmpty ? nil : last.map { ($0, now + .microseconds(-min(max(0, $0.age), Self.longestStop))) }
    }

    /// The numbers of signals, of all systems on which a worker may run.
    private static let signals: ClosedRange<Int32> = 1...64

    /// The longest time for which a process can be stopped, ten years, in microseconds.
    private static let longestStop: Int64 = 315_360_000_000_000

    /// Notes that the connection of a peer has ended.
    mutating func connectionEnded(_ peer: RoutingID) {
        sessions[peer] = nil
        for (session, known) in peers where known == peer { ended.insert(session) }
    }

    /// Notes the sender of a session's message, if the session has no peer yet.
    mutating func hear(_ session: SessionID, from peer: RoutingID) {
        if peers[session] == nil { peers[session] = peer }
    }

    /// Forgets a session that has ended.
    mutating func forget(_ session: SessionID) {
        if let peer = peers.removeValue(forKey: session), sessions[peer] == session { sessions[peer] = nil }
        versions[session] = nil
        ended.remove(session)
        connections[session] = nil
        stops[session] = nil
    }

    /// Forgets all sessions but the current ones.
    mutating func keepOnly(_ isCurrent: (SessionID) -> Bool) {
        peers = peers.filter { isCurrent($0.key) }
        sessions = sessions.filter { isCurrent($0.value) }
        versions = versions.filter { isCurrent($0.key) }
        ended = ended.filter(isCurrent)
        connections = connections.filter { isCurrent($0.key) }
        stops = stops.filter { isCurrent($0.key) }
    }
}
