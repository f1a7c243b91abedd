/// The lock of the leader of a record on a server.
///
/// It belongs to the session over which the leader commits, and is free once that session is over.
struct ServerLock {
    /// "BATO", the first half of the lock's number.
    private static let space: Int64 = 0x42_41_54_4F

    /// Takes the lock, if it is free; the server never waits, since waiting for days would keep old rows alive.
    ///
    /// - Returns: whether the session of the connection has the lock.
    static func take(_ connection: ServerConnection, schema: String) throws(SQLError) -> Bool {
        try connection.number(
            "SELECT pg_try_advisory_lock(\(space)::integer, hashtext('\(schema)'))"
        ) == 1
    }

    /// Whether a session has the lock.
    static func isTaken(_ connection: ServerConnection, schema: String) throws(SQLError) -> Bool {
        try connection.number("SELECT count(*) FROM pg_locks l WHERE \(condition(schema: schema))") ?? 0 > 0
    }

    /// The role of the session with the lock; nil if the connection has the same role, and if no session has the lock.
    static func otherRole(_ connection: ServerConnection, schema: String) throws(SQLError) -> String? {
        try connection.text(
            """
            SELECT a.usename::text FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE \(condition(schema: schema)) AND a.usename <> current_user
            """
        )
    }

    /// The condition on a row `l` of `pg_locks` that it is the lock of a leader.
    private static func condition(schema: String) -> String {
        """
        l.locktype = 'advisory' AND l.granted AND l.classid = \(space) AND l.objsubid = 2
            AND l.objid = (hashtext('\(schema)')::bigint & 4294967295)
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
    }

    /// Gives the lock back.
    static func release(_ connection: ServerConnection, schema: String) throws(SQLError) {
        try connection.execute("SELECT pg_advisory_unlock(\(space)::integer, hashtext('\(schema)'))")
    }

    /// Ends the session that holds the lock, if it has been in the middle of a message for longer than its lease.
    ///
    /// The server ends silent sessions by itself, except for a session whose client has stopped in the middle of a message. All times are
    /// times of the server.
    static func endStuckHolder(_ connection: ServerConnection, schema: String, lease: Duration) throws(SQLError) {
        let (seconds, attoseconds) = lease.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        try connection.execute(
            """
            SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE \(condition(schema: schema))
                AND a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientRead'
                AND clock_timestamp() - a.state_change > \(milliseconds) * interval '1 millisecond'
            """
        )
    }
}
