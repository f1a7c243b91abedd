import Synchronization

/// In which order the hosts of a record are tried: the one that answered last comes first.
///
/// A server that hangs takes connections and answers none. If each connection tried it first, a store would lose so much time with its
/// second connection that the server ends the session of the first one, which is silent meanwhile.
///
/// The order is the same for all connections of the process.
enum ServerPlaces {
    private static let first = Mutex<[RecordServer: Int]>([:])

    /// The places of the hosts in the order in which they are to be tried; one nil where libpq is to choose.
    static func order(of server: RecordServer) -> [Int?] {
        let count = server.hosts.count
        // What the address says of all hosts together is for libpq.
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
