/// The row of the table `leader`: who leads, and how many commits there were.
///
/// Each commit of a leader raises the number of commits. The number fences off an earlier leader without trust in locks. The number tells
/// whether a commit without an answer took place. The number also shows that the record went back, which happens when a replica without the
/// last commits takes the place of the server.
struct LeaderRow: Hashable {
    /// The epoch of the last leader.
    var epoch: Int64
    /// How many commits there were.
    var commits: Int64
    /// The identity of the record.
    var record: String
    /// The timeline of the server when the epoch began; each promotion of a replica begins another one.
    var timeline: Int64
    /// The identity of the server's data.
    var system: String
    /// The address of the leader; nil before the first one.
    var address: String?
    /// The host of the leader; nil before the first one.
    var host: String?
    /// The version of the tables.
    var version: Int64
    /// When the leader took the lead, in microseconds by its own clock; nil before the first one.
    var since: Int64?
    /// The fingerprint of the leader's key; nil for a leader without keys, and before the first leader.
    var key: String?
    /// The address of the leader's web interface for other hosts; nil if other hosts cannot reach it, and before the first leader.
    var web: String?
    /// The version of the table of keys in the record; nil without one.
    var keyTable: Int64?

    /// Stands in the row in place of an address while a program copies the record: the program has the lock of the record, but does not
    /// lead.
    static let addressOfCopies = "baton store copy"

    /// Whether a program that copies the record has written the row, and not a coordinator.
    var isOfCopy: Bool { address == Self.addressOfCopies }

    /// Who has written the row, in words; nil before the first leader.
    var writer: String? {
        guard let address else { return nil }
        let host = host ?? "another host"
        return isOfCopy ? "the program \"\(address)\" on \(host)" : "the coordinator at \(address) on \(host)"
    }

    /// Reads the row; nil if there is none.
    init?(_ connection: ServerConnection) throws(SQLError) {
        let rows = try Self.rows(connection)
        func text(_ column: Int32) -> String? {
            rows.isNull(0, column) ? nil : rows.withBytes(0, column) { String(decoding: $0, as: UTF8.self) }
        }
        guard rows.count == 1, let epoch = rows.number(0, 0), let commits = rows.number(0, 1), let record = text(2),
            let timeline = rows.number(0, 3), let system = text(4), let version = rows.number(0, 7)
        else { return nil }
        self.epoch = epoch
        self.commits = commits
        self.record = record
        self.timeline = timeline
        self.system = system
        address = text(5)
        host = text(6)
        self.version = version
        since = rows.isNull(0, 8) ? nil : rows.number(0, 8)
        key = text(9)
        web = text(10)
        keyTable = rows.isNull(0, 11) ? nil : rows.number(0, 11)
    }

    /// Asks for the row, also in a record of an earlier build, which has no web interfaces and no table of keys up to its next leader.
    private static func rows(_ connection: ServerConnection) throws(SQLError) -> ServerResult {
        let columns = "epoch, commits, record, timeline, system, address, host, version, since, key"
        do throws(SQLError) {
            return try connection.rows("SELECT \(columns), web, (SELECT k.version FROM key_table k) FROM leader")
        } catch {
            guard error.code == .statement else { throw error }
            return try connection.rows("SELECT \(columns), NULL::text, NULL::bigint FROM leader")
        }
    }

    /// Counts a commit, the first statement of each transaction of a leader.
    ///
    /// It fails if another epoch has begun: a plain UPDATE of no row would not.
    static let fence = """
        WITH f AS (UPDATE leader SET commits = commits + 1 WHERE epoch = $1 RETURNING commits)
        SELECT 1 / count(*), max(commits) FROM f
        """

    /// Begins an epoch, as ``fence`` fails if another one has begun meanwhile.
    ///
    /// The parameters are the present epoch, the step to the next, the timeline, the identity of the data, the address, the host, the
    /// fingerprint of the key, the time of day, and the address of the web interface.
    static let raise = """
        WITH f AS (
            UPDATE leader SET commits = commits + 1, epoch = epoch + $2, timeline = $3, system = $4, address = $5, host = $6, key = $7,
                since = $8, web = $9
            WHERE epoch = $1 RETURNING commits
        )
        SELECT 1 / count(*), max(commits) FROM f
        """

    /// The timeline of a server, and the identity of its data.
    struct Origin: Hashable {
        var timeline: Int64
        var system: String

        /// Asks a server, which any role may.
        init(_ connection: ServerConnection) throws(SQLError) {
            let rows = try connection.rows(
                """
                SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), system_identifier::text FROM pg_control_system()
                """
            )
            let digits = rows.withBytes(0, 0) { String(decoding: $0, as: UTF8.self) }
            guard rows.count == 1, let timeline = Int64(digits, radix: 16) else {
                throw SQLError(.unsuitable, "the server does not tell its timeline")
            }
            self.timeline = timeline
            system = rows.withBytes(0, 1) { String(decoding: $0, as: UTF8.self) }
        }
    }
}
