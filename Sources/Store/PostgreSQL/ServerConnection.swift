#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection of a store to its server, which can be made again when it is lost.
///
/// One thread at a time uses it.
final class ServerConnection {
    /// What a connection is for.
    enum Use {
        /// Changes, under the lock of the leader: the server ends a session that is silent for the lease.
        case leading(lease: Duration)
        /// Questions of a store that changes the record over another connection.
        case reading
        /// Questions alone.
        case readingOnly
    }

    private let server: RecordServer
    private let use: Use
    /// The place of the connection among those of its store, from 0.
    let index: Int
    private var pipeline: ServerPipeline?
    /// How often the connection was made.
    private(set) var generation = 0
    /// Cursors that are not needed any more; the next message closes them.
    private var finishedCursors: [String] = []
    /// How often answers were waited for, over earlier connections.
    private var earlierRoundTrips = 0

    /// The oldest version of the server.
    static let oldestServer: Int32 = 140_000

    /// Connects.
    ///
    /// - Throws: `unreachable`, `permission`, `library`, or `unsuitable` for a server that cannot keep a record.
    init(_ server: RecordServer, for use: Use, index: Int = 0) throws(SQLError) {
        self.server = server
        self.use = use
        self.index = index
        try reconnect()
    }

    /// Whether the connection is lost.
    var isLost: Bool { pipeline?.isClosed ?? true }

    /// How often answers were waited for.
    var roundTrips: Int { earlierRoundTrips + (pipeline?.roundTrips ?? 0) }

    /// How long to wait for answers.
    var patience: Duration {
        switch use {
        case .leading(let lease): lease
        case .reading, .readingOnly: Self.patienceOfReading
        }
    }

    private static let patienceOfReading = Duration.seconds(60)

    /// The living connection.
    func open() throws(SQLError) -> ServerPipeline {
        guard let pipeline, !pipeline.isClosed else {
            throw SQLError(.unreachable, "the connection to the server is lost")
        }
        return pipeline
    }

    /// Makes the connection again: to the first of the servers that takes changes.
    func reconnect() throws(SQLError) {
        close()
        let lease: Duration? = if case .leading(let lease) = use { lease } else { nil }
        let pipeline = try ServerPipeline(server, lease: lease, host: Self.hostName)
        generation += 1
        do throws(SQLError) {
            guard pipeline.serverVersion >= Self.oldestServer else {
                throw SQLError(
                    .unsuitable,
                    "the server has version \(pipeline.serverVersion / 10_000), and a record needs 14 or later"
                )
            }
            try check(pipeline)
            for text in settings { try pipeline.send(text) }
            _ = try pipeline.synchronize(patience: Self.patienceOfReading)
            _ = pipeline.takeWarning()
        } catch {
            pipeline.close()
            throw error
        }
        self.pipeline = pipeline
    }

    /// The settings of a session.
    private var settings: [String] {
        var settings = ["SET search_path = \(server.schema)", "SET statement_timeout = 0", "SET lock_timeout = 0"]
        switch use {
        case .leading(let lease):
            let (seconds, attoseconds) = lease.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            // A leader that stands still loses its lock, which the server's own keepalives do not see.
            settings += [
                "SET idle_session_timeout = \(milliseconds)",
                "SET idle_in_transaction_session_timeout = \(milliseconds)",
            ]
        case .reading:
            break
        case .readingOnly:
            settings.append("SET default_transaction_read_only = on")
        }
        return settings
    }

    /// Refuses a server that could lose acknowledged commits, and a pooler that gives one connection several sessions.
    private func check(_ pipeline: ServerPipeline) throws(SQLError) {
        let question = """
            SELECT pg_backend_pid()::bigint, pg_is_in_recovery(), current_setting('synchronous_commit')
            """
        // Two transactions: a pooler may give each transaction a different session.
        var seen: [Int64?] = []
        for _ in 0..<2 {
            try pipeline.send(question, isWanted: true)
            guard let row = try pipeline.synchronize(patience: Self.patienceOfReading).last, row.count == 1 else {
                throw SQLError(.unsuitable, "the server does not tell of itself")
            }
            seen.append(row.number(0, 0))
            guard row.number(0, 1) == 0 else {
                throw SQLError(.unreachable, "the server is a replica, which takes no changes")
            }
            let commit = row.withBytes(0, 2) { String(decoding: $0, as: UTF8.self) }
            guard commit != "off" else {
                throw SQLError(
                    .unsuitable,
                    "synchronous_commit is off, so that the server would acknowledge changes before they are on its disk"
                )
            }
        }
        guard seen.allSatisfy({ $0 == Int64(pipeline.processID) }) else {
            throw SQLError(
                .unsuitable,
                "a pooler stands before the server, and gives sessions, to which locks belong, to anybody"
            )
        }
    }

    /// The name of this host.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs statements without parameters, one after the other, and waits for their end.
    func execute(_ statements: String...) throws(SQLError) { try execute(statements) }

    /// Runs statements without parameters, one after the other, and waits for their end.
    func execute(_ statements: [String]) throws(SQLError) {
        let pipeline = try open()
        for text in statements { try pipeline.send(text) }
        _ = try synchronize()
    }

    /// Runs statements that make tables in a transaction, for as long as a busy server takes: no lease has begun.
    func make(_ statements: [String]) throws(SQLError) {
        do throws(SQLError) {
            let pipeline = try open()
            for text in ["BEGIN"] + statements + ["COMMIT"] { try pipeline.send(text) }
            _ = try pipeline.synchronize(patience: Self.patienceOfReading)
        } catch {
            rollBack()
            throw error
        }
    }

    /// Returns the rows of a question with numbers as parameters.
    func rows(_ sql: String, _ numbers: Int64...) throws(SQLError) -> ServerResult {
        try open().send(sql, numbers, isWanted: true)
        guard let result = try synchronize().last else { throw SQLError(.statement, "no rows came of: \(sql)") }
        return result
    }

    /// Returns the first column of a statement's first row as a number; nil without a row, and for NULL.
    func number(_ sql: String) throws(SQLError) -> Int64? {
        let result = try rows(sql)
        return result.count == 0 || result.isNull(0, 0) ? nil : result.number(0, 0)
    }

    /// Returns the first column of a statement's first row as a text; nil without a row, and for NULL.
    func text(_ sql: String) throws(SQLError) -> String? {
        let result = try rows(sql)
        guard result.count > 0, !result.isNull(0, 0) else { return nil }
        return result.withBytes(0, 0) { String(decoding: $0, as: UTF8.self) }
    }

    /// Waits for the answers to all that was sent.
    func synchronize() throws(SQLError) -> [ServerResult] { try open().synchronize(patience: patience) }

    /// Notes that a cursor is not needed any more.
    func finish(cursor: String) { finishedCursors.append(cursor) }

    /// Notes that the end of the transaction has closed its cursors.
    func forgetCursors() { finishedCursors = [] }

    /// Closes the cursors that are not needed any more, along with the next message.
    func sendFinishedCursors() throws(SQLError) {
        guard !finishedCursors.isEmpty else { return }
        let pipeline = try open()
        for cursor in finishedCursors { try pipeline.send("CLOSE \(cursor)") }
        finishedCursors = []
    }

    /// Rolls a transaction back; the loss of a connection has ended the transaction already.
    func rollBack() {
        finishedCursors = []
        guard let pipeline, !pipeline.isClosed else { return }
        do throws(SQLError) {
            // A transaction that has failed skips what follows, up to the next answers.
            if pipeline.hasMessages { _ = try? pipeline.synchronize(patience: patience) }
            guard !pipeline.isClosed, !pipeline.isIdle else { return }
            try pipeline.send("ROLLBACK")
            _ = try pipeline.synchronize(patience: patience)
        } catch {
            pipeline.close()
        }
    }

    /// Ends a transaction that has only read, without waiting for the answer.
    func endReading() {
        finishedCursors = []
        guard let pipeline, !pipeline.isClosed else { return }
        do throws(SQLError) {
            try pipeline.sendAhead("ROLLBACK")
        } catch {
            pipeline.close()
        }
    }

    /// Closes the connection, which frees its locks.
    func close() {
        finishedCursors = []
        earlierRoundTrips += pipeline?.roundTrips ?? 0
        pipeline?.close()
        pipeline = nil
    }
}
