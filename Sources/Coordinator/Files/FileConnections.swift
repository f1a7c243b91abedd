@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The second connections of workers, over which pieces of files move.
///
/// Owns the session of each connection, and the address at which other workers read files of its worker directly. Guarantees that a session
/// has at most one such connection, and that a connection belongs to one session.
struct FileConnections {
    private var peers: [SessionID: RoutingID] = [:]
    private var sessions: [RoutingID: SessionID] = [:]
    private var addresses: [SessionID: DataAddress] = [:]
    /// How often one of several workers was chosen that give a file directly.
    private var choices: UInt64 = 0

    /// The number of connections.
    var count: Int { peers.count }

    /// Whether no worker moves files.
    var isEmpty: Bool { peers.isEmpty }

    /// Whether any worker gives files directly.
    var haveAddresses: Bool { !addresses.isEmpty }

    /// Chooses one of several workers that give a file directly, each in its turn: the bytes that are read from each are not known here.
    ///
    /// - Returns: its place.
    mutating func choose(among count: Int) -> Int {
        choices &+= 1
        return Int(choices % UInt64(count))
    }

    /// Where other workers get files of a session's worker directly; nil if it gives them through the coordinator alone.
    func address(of session: SessionID) -> DataAddress? { addresses.isEmpty ? nil : addresses[session] }

    /// Notes where other workers get files of a session's worker directly, until its connection ends.
    mutating func note(_ address: DataAddress, of session: SessionID) {
        if peers[session] != nil { addresses[session] = address }
    }

    /// The connection of a session; nil if it has none.
    subscript(session: SessionID) -> RoutingID? { peers[session] }

    /// The session of a connection; nil if it is no connection for files.
    func session(of peer: RoutingID) -> SessionID? { sessions.isEmpty ? nil : sessions[peer] }

    /// Notes that a connection belongs to a session; neither has another one.
    mutating func open(_ session: SessionID, over peer: RoutingID) {
        peers[session] = peer
        sessions[peer] = session
    }

    /// Forgets a connection that has ended, and returns its session.
    mutating func close(_ peer: RoutingID) -> SessionID? {
        guard !sessions.isEmpty, let session = sessions.removeValue(forKey: peer) else { return nil }
        peers[session] = nil
        addresses[session] = nil
        return session
    }

    /// The connections whose sessions do not meet a condition.
    func peers(unless isCurrent: (SessionID) -> Bool) -> [RoutingID] {
        peers.filter { !isCurrent($0.key) }.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }
}
