import Synchronization

/// The open connections of a server, and their counts by address.
final class HTTPConnections: Sendable {
    private struct State {
        var connections: [UInt64: HTTPConnection] = [:]
        var counts: [String: Int] = [:]
        var lastNumber: UInt64 = 0
    }

    private let limits: HTTPLimits
    private let state = Mutex(State())

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// The open connections, in no order.
    var all: [HTTPConnection] { state.withLock { Array($0.connections.values) } }

    /// The connection of a number; nil if it is closed.
    subscript(number: UInt64) -> HTTPConnection? { state.withLock { $0.connections[number] } }

    /// Whether the limits leave room for a connection of a client.
    func hasRoom(for peer: HTTPPeer) -> Bool {
        let most = peer.isLoopback ? limits.mostConnectionsOfLoopback : limits.mostConnectionsOfAddress
        return state.withLock { state in
            state.connections.count < limits.mostConnections && state.counts[peer.address, default: 0] < most
        }
    }

    /// Whether a new connection may be taken; a connection of an unknown sender that waits for its client is closed to make room.
    ///
    /// Otherwise clients without a token could fill all places with silent connections, or with answers that they do not read. The
    /// connection that has waited the longest is closed: a client that has a request to send has sent it by then.
    func makeRoom(for peer: HTTPPeer) -> Bool {
        while !hasRoom(for: peer) {
            let most = peer.isLoopback ? limits.mostConnectionsOfLoopback : limits.mostConnectionsOfAddress
            let candidates = state.withLock { state in
                let isOwn = state.counts[peer.address, default: 0] >= most
                return state.connections.values.filter { !isOwn || $0.peer.address == peer.address }
            }
            let waiting = candidates.compactMap { connection in
                connection.waitsSince.map { (connection: connection, since: $0, number: connection.number) }
            }
            guard let oldest = waiting.min(by: { ($0.since, $0.number) < ($1.since, $1.number) })?.connection else {
                return false
            }
            oldest.end()
            remove(oldest)
        }
        return true
    }

    /// Adds a connection.
    func add(peer: HTTPPeer, isEncrypted: Bool, descriptor: Int32) -> HTTPConnection {
        state.withLock { state in
            state.lastNumber += 1
            let connection = HTTPConnection(
                number: state.lastNumber,
                peer: peer,
                isEncrypted: isEncrypted,
                descriptor: descriptor,
                limits: limits
            )
            state.connections[connection.number] = connection
            state.counts[peer.address, default: 0] += 1
            return connection
        }
    }

    /// Removes a connection that is about to be closed.
    func remove(_ connection: HTTPConnection) {
        state.withLock { state in
            guard state.connections.removeValue(forKey: connection.number) != nil else { return }
            let address = connection.peer.address
            let count = state.counts[address, default: 1] - 1
            state.counts[address] = count > 0 ? count : nil
        }
    }

    /// How long a watcher may sleep: until the next deadline, and never so long that one could begin and pass meanwhile; nil
    /// without connections.
    func timeUntilLook(from now: ContinuousClock.Instant) -> Duration? {
        let all = all
        guard !all.isEmpty else { return nil }
        let next = all.compactMap(\.deadline).min().map { max(.zero, $0 - now) }
        return min(next ?? limits.shortestTime, limits.shortestTime)
    }
}
