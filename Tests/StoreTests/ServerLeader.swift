@_spi(Baton) import BatonOperations
import BatonTestServers
import Synchronization
import Testing

@_spi(Baton) @testable import BatonStore

/// The connections of a leader to a record in a schema of its own, below the store.
final class ServerLeader {
    let schema: TemporarySchema
    let session: ServerSession
    let statements: Statements
    /// The relay in between; nil for none.
    let relay: CommitRelay?

    /// The number that ``add(_:)`` raises: a row that nothing else here touches.
    private static let row = "removed_operations"

    /// Leads, and begins an epoch.
    init(
        _ schema: TemporarySchema? = nil,
        lease: Duration = .seconds(10),
        throughRelay hasRelay: Bool = false,
        address: String = "tcp://first:1"
    ) throws {
        let schema = try schema ?? TemporarySchema()
        self.schema = schema
        var server = schema.server
        if hasRelay {
            let port = try #require(server.ports.first)
            let relay = try CommitRelay(target: port)
            self.relay = relay
            server = try #require(PostgreSQLServer.record(server, throughPort: relay.port))
        } else {
            relay = nil
        }
        session = try ServerSession(server, lease: lease)
        try session.lead(address: address, host: "host")
        statements = try Statements(session)
        try session.transaction { () throws(SQLError) in }
    }

    deinit {
        session.close()
        relay?.shutDown()
    }

    /// A connection of somebody else to the server.
    func other() throws -> ServerConnection { try ServerConnection(schema.server, for: .reading) }

    /// Raises a number, as a part of a transaction.
    func add(_ count: Int64) throws(SQLError) {
        statements.record.addToMeta.bind(.key, text: Self.row)
        statements.record.addToMeta.bind(.count, count)
        try statements.record.addToMeta.run()
    }

    /// The number as the leader sees it.
    func sum() throws(SQLError) -> Int64? {
        statements.record.meta.bind(.key, text: Self.row)
        return try statements.record.meta.first { row throws(SQLError) in try row.number(0) }
    }

    /// The number as everybody sees it.
    func committedSum() throws -> Int64? {
        let other = try other()
        defer { other.close() }
        return try other.number("SELECT value FROM meta WHERE key = '\(Self.row)'")
    }

    /// Proves the lead over a connection that may have been lost, whose session may still have the lock for a moment.
    func proveAgain() throws(SQLError) {
        for _ in 0..<1000 {
            do throws(SQLError) {
                return try session.prove()
            } catch {
                guard error.code == .unreachable else { throw error }
            }
        }
        throw SQLError(.unreachable, "the lock did not become free")
    }

    /// Ends the sessions of the leader at the server, as an administrator does.
    func endSessions() throws {
        let other = try other()
        defer { other.close() }
        for connection in [session.writer, session.reader] {
            try other.execute("SELECT pg_terminate_backend(\(connection.open().processID), 5000)")
        }
    }
}

/// What was called from wherever it happened, in order.
final class Calls<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}
