@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
import BatonTestServers
import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonStore

/// Coordinators of this process that have the same record on the test server.
final class StandbyScene {
    let record: RecordServer
    /// A connection that nobody else uses.
    let administrator: ServerConnection
    private let directory: URL

    init() throws {
        record = try #require(PostgreSQLServer.record(), "\(PostgreSQLServer.variable) names no server")
        administrator = try ServerConnection(record, for: .reading)
        directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? administrator.execute("DROP SCHEMA IF EXISTS \(record.schema) CASCADE")
        administrator.close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts a coordinator that stands by.
    ///
    /// - Parameters:
    ///   - name: the name of its state directory.
    ///   - server: the record; nil for that of the scene.
    func start(
        _ name: String,
        on server: RecordServer? = nil,
        lease: Duration = .seconds(10),
        standsBy: Bool = true,
        hasKeys: Bool = false
    ) throws -> CoordinatorServer {
        let home = directory.appending(path: name)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        var options = CoordinatorOptions(
            listen: "tcp://127.0.0.1:*",
            store: .server(server ?? record),
            ownFiles: home.path + "/coordinator",
            keys: hasKeys ? KeyDirectory(home: home.path) : nil,
            version: "test",
            logger: Logger(label: name, level: .critical)
        )
        options.standsBy = standsBy
        options.lease = lease
        options.configuration.suspectAfter = Peer.patience
        options.configuration.lostAfter = Peer.patience
        return try CoordinatorServer(options)
    }

    /// The path of a state directory.
    func home(_ name: String) -> String { directory.appending(path: name).path }

    /// Gives a new state directory the keys of another one, if that has any.
    func copyKeys(of name: String, to other: String) throws {
        let (source, target) = (home(name) + "/keys", home(other) + "/keys")
        let files = FileManager.default
        guard files.fileExists(atPath: source) else { return }
        try files.createDirectory(
            atPath: target,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for file in try files.contentsOfDirectory(atPath: source) {
            try files.copyItem(atPath: "\(source)/\(file)", toPath: "\(target)/\(file)")
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(target)/\(file)")
        }
    }

    /// The address of the last leader, as the record tells it.
    func leader() throws -> String? { try administrator.text("SELECT address FROM leader") }

    /// Waits until nobody leads: the server hears of the end of a session after the call that ends it.
    func awaitFreeLock() throws {
        let lock = "(1111577679, hashtext('\(record.schema)'))"
        try administrator.execute("SELECT pg_advisory_lock\(lock)", "SELECT pg_advisory_unlock\(lock)")
    }

    /// Ends the session of a leader as an administrator does, until another coordinator leads.
    ///
    /// A leader that notices the end before anybody else has the lock goes on to lead: its next commit shows that.
    func depose(_ server: CoordinatorServer) throws {
        while try leader() == server.endpoint {
            let commits = try administrator.number("SELECT commits FROM leader") ?? 0
            try administrator.execute(
                """
                SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l
                WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 1111577679
                    AND l.objid = (hashtext('\(record.schema)')::bigint & 4294967295)
                    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            )
            while try leader() == server.endpoint,
                try administrator.number("SELECT commits FROM leader") ?? 0 <= commits
            {}
        }
    }
}

extension CoordinatorServer {
    /// Stops the coordinator, and returns once it has stopped.
    func end() throws {
        stop()
        try run()
    }
}

extension Peer {
    /// What the coordinator answers to a client's hello: that it leads, or that it does not.
    func leadershipAsClient() throws -> Leadership {
        switch try greet() {
        case .leadership(let leadership)?: return leadership
        case .welcome(_, _, _, let rank)?: return Leadership(isLeading: true, rank: rank)
        case let reply: throw Unexpected(answer: "\(String(describing: reply))")
        }
    }

    /// What the coordinator tells a client next.
    func nextLeadershipAsClient() throws -> Leadership {
        guard case .leadership(let leadership)? = try receiveAsClient() else {
            throw Unexpected(answer: "no leadership")
        }
        return leadership
    }

    /// What the coordinator answers to a worker's inquiry.
    func leadershipAsWorker() throws -> Leadership {
        try send(WorkerMessage.inquire(LeaderInquiry(version: "test")).encoded())
        return try nextLeadershipAsWorker()
    }

    /// What the coordinator tells a worker next.
    func nextLeadershipAsWorker() throws -> Leadership {
        guard case .leadership(let leadership)? = try receiveAsWorker() else {
            throw Unexpected(answer: "no leadership")
        }
        return leadership
    }

    /// Inquires as a worker until the coordinator answers that it stands by, and names the leader.
    ///
    /// The end of a term closes the connection.
    func waitForStandby() throws -> Leadership {
        while true {
            try send(WorkerMessage.inquire(LeaderInquiry(version: "test")).encoded())
            while let message = try receiveAsWorker(within: .seconds(1)) {
                if case .leadership(let leadership) = message, !leadership.isLeading, leadership.leader != nil {
                    return leadership
                }
            }
        }
    }
}
