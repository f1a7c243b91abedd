@_spi(Baton) public import BatonOperations

/// Who leads on a record on a server, and who stands by.
@_spi(Baton) public struct LeaderNotice: Hashable, Sendable {
    /// The epoch of the leader.
    public var epoch: UInt32
    /// The address of the leader, for people.
    public var address: String
    /// The name of the leader's host, for people.
    public var host: String
    /// When the leader took the lead, by its own clock.
    public var since: Timestamp
    /// The identity of the record.
    public var record: String
    /// The fingerprint of the leader's key; nil for a coordinator without keys.
    public var key: String?
    /// The address of the leader's web interface for other hosts; nil if other hosts cannot reach it.
    public var web: String?
    /// The role of the leader at the server; nil if the asking connection has the same role, and if no coordinator leads at present.
    ///
    /// Only the role of the leader can end the session of a leader that stands still.
    public var otherRole: String?
    /// How the server copies what it has committed; nil if it does not say.
    public var replication: Replication?
    /// The coordinators that stand by, in the order of their addresses.
    public var standbys: [StandbyNotice]

    /// Describes a leader.
    public init(
        epoch: UInt32,
        address: String,
        host: String,
        since: Timestamp,
        record: String,
        key: String? = nil,
        web: String? = nil,
        otherRole: String? = nil,
        replication: Replication? = nil,
        standbys: [StandbyNotice] = []
    ) {
        self.epoch = epoch
        self.address = address
        self.host = host
        self.since = since
        self.record = record
        self.key = key
        self.web = web
        self.otherRole = otherRole
        self.replication = replication
        self.standbys = standbys
    }

    /// Describes the leader of a row; nil before the first leader, and after a copy of the record.
    init?(_ row: LeaderRow, _ connection: ServerConnection, schema: String) throws(SQLError) {
        guard !row.isOfCopy, let address = row.address, let epoch = UInt32(exactly: row.epoch) else { return nil }
        self.init(
            epoch: epoch,
            address: address,
            host: row.host ?? "",
            since: Timestamp(rawValue: row.since ?? 0),
            record: row.record,
            key: row.key,
            web: row.web,
            otherRole: try ServerLock.otherRole(connection, schema: schema),
            replication: Replication(answer: try connection.number(Replication.question)),
            standbys: try StandbyRow.all(connection)
        )
    }
}

/// A coordinator that stands by.
@_spi(Baton) public struct StandbyNotice: Hashable, Sendable {
    /// The address of the coordinator, for people.
    public var address: String
    /// The name of its host, for people.
    public var host: String
    /// When it began to stand by, by the server's clock.
    public var since: Timestamp
    /// The fingerprint of its key; nil for a coordinator without keys.
    public var key: String?

    /// Describes a coordinator.
    public init(address: String, host: String, since: Timestamp, key: String? = nil) {
        self.address = address
        self.host = host
        self.since = since
        self.key = key
    }
}

@_spi(Baton) extension SQLStore {
    /// Who leads on the record, and who stands by; nil for a record in a file, and if the server does not say.
    public func leader() -> LeaderNotice? {
        guard case .server(let session) = engine, let row = try? LeaderRow(session.current) else { return nil }
        return try? LeaderNotice(row, session.current, schema: session.server.schema)
    }
}
