import Synchronization

/// The order in which connections try the hosts of a record: the host that answered last comes first.
///
/// A server that hangs accepts connections, and answers none. If each connection tried such a server first, the second connection of a
/// store would take long. The first connection would be silent meanwhile, and its server would end its session.
///
/// The order is the same for all connections of the process.
enum ServerPlaces {
    private static let first = Mutex<[RecordServer: Int]>([:])

    /// The places of the hosts in the order in which they are to be tried; one nil where libpq is to choose.
    static func order(of server: RecordServer) -> [Int?] {
        let count = server.hosts.count
        // libpq handles parameters of the address that concern all hosts together.
        let isChosenByLibrary = ["hostaddr", "target_session_attrs", "load_balance_hosts"].contains {
            server.parameters[$0] != nil
        }
        guard count > 1, !isChosenByLibrary, !server.hosts.contains("") else { return [nil] }
        let first = Self.first.withLock { $0[server] ?? 0 }
        return (0..<count).map { (first + $0) % count }
    }

    /// Notes that a host has answered; it is tried first from now on.
    static func noteAnswer(of place: Int?, _ server: RecordServer) {
        guard let place else { return }
        first.withLock { $0[server] = place }
    }

    /// Notes that a host has fallen silent; the next one is tried first from now on.
    static func noteSilence(of place: Int?, _ server: RecordServer) {
        guard let place else { return }
        first.withLock { first in
            guard first[server] == place else { return }
            first[server] = (place + 1) % server.hosts.count
        }
    }
}
