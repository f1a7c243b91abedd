@_spi(Baton) public import BatonOperations

/// The result of an attempt to lead.
@_spi(Baton) public enum ElectionOutcome {
    /// This coordinator leads: the record, the state to go on from, and the moment of lease time from before its last proof.
    case elected(SQLStore, StoredState, provenAt: Timestamp)
    /// Another coordinator leads; nil if the record does not tell which.
    case led(LeaderNotice?)
    /// No coordinator leads, and the last leader had a different key than this coordinator, or only one of the two has a key. Nothing was
    /// changed.
    case barred(last: LeaderNotice)
}

/// Tries repeatedly to lead on a record on a server, and meanwhile tells other coordinators that this coordinator stands by.
///
/// Only the coordinator with the lock of the record may begin the next epoch. No transaction is open between two attempts, so that a
/// coordinator that stands by for days keeps no old rows alive. One thread at a time uses an election.
@_spi(Baton) public final class ServerElection {
    private let server: RecordServer
    private let lease: Duration
    private let row: StandbyRow
    private let web: String?
    private let eventHistory: UInt64
    /// The connection that tries to take the lock; nil after a loss of the connection, and after the election.
    private var connection: ServerConnection?
    /// Whether the record has its tables, as far as is known.
    private var hasTables = false
    /// Whether this election has seen the tables of the record: it then never makes the tables of a new record in their place.
    private var hadTables = false
    /// When to give the next sign of life, and to ask for the leader and the other coordinators that stand by.
    private var due: ContinuousClock.Instant?
    private var notice: LeaderNotice?
    /// The sealed table of keys in the record, as of the last attempt; nil as long as none was read.
    public private(set) var sealedKeys: String?
    /// The version of that table.
    private var keyTable: Int64?

    /// The time between two signs of life.
    private static let signPause = Duration.seconds(5)

    /// Prepares attempts; the first one connects.
    ///
    /// - Parameters:
    ///   - server: the database.
    ///   - lease: how long another coordinator has to wait when this coordinator leads and is silent.
    ///   - address: where this coordinator is found, for people.
    ///   - host: the name of this host, for people.
    ///   - key: the fingerprint of this coordinator's key; nil without one.
    ///   - web: the address of this coordinator's web interface for other hosts; nil if other hosts cannot reach it.
    ///   - eventHistory: how many events are kept at least, from 1.
    public init(
        _ server: RecordServer,
        lease: Duration,
        address: String,
        host: String,
        key: String? = nil,
        web: String? = nil,
        eventHistory: UInt64
    ) {
        self.server = server
        self.lease = lease
        row = StandbyRow(address: address, host: host, key: key)
        self.web = web
        self.eventHistory = eventHistory
    }

    deinit {
        connection?.close()
    }

    /// Tries to lead; in vain as long as another coordinator has the lock of the record.
    ///
    /// A leader that stands still in the middle of a message loses its session once the message is older than the lease. A successful
    /// attempt includes the reading of the record, and proves the lead repeatedly during the reading. A coordinator whose key differs from
    /// the key of the last leader does not lead: workers and commands would not follow the coordinator, and other coordinators would refuse
    /// to stand by.
    ///
    /// - Parameters:
    ///   - incarnation: the incarnation of this coordinator's term.
    ///   - now: the present moment.
    /// - Throws: ``StoreError`` as the opening of a record does; the next attempt connects anew.
    public func attempt(as incarnation: Incarnation, at now: Timestamp) throws(StoreError) -> ElectionOutcome {
        let leader: ServerConnection
        do throws(SQLError) {
            let connection = try connected()
            guard try ServerLock.take(connection, schema: server.schema) else {
                try ServerLock.endStuckHolder(connection, schema: server.schema, lease: lease)
                return .led(try observe(connection))
            }
            leader = connection
            // The last word of the earlier leader.
            if let row = try? leaderRow(connection) {
                try readKeys(row, connection)
                if row.key != self.row.key, let last = try LeaderNotice(row, connection, schema: server.schema) {
                    try ServerLock.release(connection, schema: server.schema)
                    return .barred(last: last)
                }
            } else if hadTables, try !PostgreSQLSchema.hasLeader(connection, schema: server.schema) {
                throw SQLError(.foreign, PostgreSQLSchema.areGone(server.schema))
            }
        } catch {
            disconnect()
            throw StoreError(error, server: server)
        }
        // From now on, the store closes the connection.
        connection = nil
        let wasSigned = due != nil
        forget()
        do throws(StoreError) {
            let store = try open(leader, wasSigned: wasSigned)
            let (state, provenAt) = try store.start(as: incarnation, at: now)
            return .elected(store, state, provenAt: provenAt)
        } catch {
            // The lock ends with the connection.
            leader.close()
            throw error
        }
    }

    /// Who leads at present; nil if nobody does, or the record has no tables yet.
    public func leader() throws(StoreError) -> LeaderNotice? {
        do throws(SQLError) {
            let connection = try connected()
            guard try ServerLock.isTaken(connection, schema: server.schema), let row = try leaderRow(connection) else {
                return nil
            }
            return try LeaderNotice(row, connection, schema: server.schema)
        } catch {
            disconnect()
            throw StoreError(error, server: server)
        }
    }

    /// Stops standing by, and tells other coordinators, if the server can be reached.
    public func close() {
        if let connection, due != nil, !connection.isLost { try? row.remove(connection) }
        disconnect()
    }

    /// Opens the record over a connection that has its lock.
    private func open(_ leader: ServerConnection, wasSigned: Bool) throws(StoreError) -> SQLStore {
        let session: ServerSession
        do throws(SQLError) {
            if wasSigned { try row.remove(leader) }
            session = try ServerSession(server, lease: lease, lockedBy: leader)
            try session.begin(address: row.address, host: row.host, key: row.key, web: web)
        } catch {
            throw StoreError(error, server: server)
        }
        return try SQLStore(session, eventHistory: eventHistory)
    }

    /// Gives a sign of life, and looks who leads, as far as either is due.
    private func observe(_ connection: ServerConnection) throws(SQLError) -> LeaderNotice? {
        // The first leader of a record makes the tables at this moment.
        guard let leader = try leaderRow(connection) else { return nil }
        try readKeys(leader, connection)
        let now = ContinuousClock.now
        if let due, now < due {
            guard leader.epoch != notice.map({ Int64($0.epoch) }) else { return notice }
        } else {
            try row.sign(connection, isFirst: due == nil)
            due = now + Self.signPause
        }
        notice = try LeaderNotice(leader, connection, schema: server.schema)
        return notice
    }

    /// Reads the table of keys again, if it has changed.
    private func readKeys(_ row: LeaderRow, _ connection: ServerConnection) throws(SQLError) {
        guard let version = row.keyTable, version != keyTable else { return }
        sealedKeys = try KeyTableRow.sealed(connection)
        keyTable = version
    }

    /// The row of the last leader; nil as long as the record has no tables.
    private func leaderRow(_ connection: ServerConnection) throws(SQLError) -> LeaderRow? {
        if !hasTables { hasTables = try PostgreSQLSchema.hasLeader(connection, schema: server.schema) }
        guard hasTables else { return nil }
        hadTables = true
        return try LeaderRow(connection)
    }

    private func connected() throws(SQLError) -> ServerConnection {
        if let connection, !connection.isLost { return connection }
        let connection = try ServerConnection(server, for: .leading(lease: lease))
        self.connection = connection
        return connection
    }

    private func disconnect() {
        connection?.close()
        connection = nil
        hasTables = false
        // The server may be a different server by then, whose record went back and used the version a second time.
        keyTable = nil
    }

    /// Forgets what was told of others: after a term of its own, this coordinator begins to stand by anew.
    private func forget() {
        due = nil
        notice = nil
        hasTables = false
        keyTable = nil
    }
}
