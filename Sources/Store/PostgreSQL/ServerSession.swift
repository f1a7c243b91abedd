@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The connections of a store to its server: one for changes, which has the lock of the leader, and one for questions.
///
/// Only the answered end of a transaction proves that this coordinator leads: a server whose replica has taken its place still answers
/// questions. Questions have a connection of their own, so that a proof never waits for the end of a long answer.
///
/// One thread at a time uses a session.
final class ServerSession {
    /// The leadership of this session, as far as it is known.
    struct Term {
        /// The epoch, or before ``beginning`` is over, that of the last leader.
        var epoch: Int64
        /// How many commits were acknowledged.
        var commits: Int64
        /// What the first transaction writes of this leader; nil afterwards.
        var beginning: Beginning?
        /// Which connection has the lock.
        var lockedGeneration: Int
    }

    /// What the first transaction of a leader writes.
    struct Beginning {
        var origin: LeaderRow.Origin
        var address: String
        var host: String
        /// The fingerprint of the coordinator's key; nil without one.
        var key: String?
        /// The address of the coordinator's web interface for other hosts; nil if other hosts cannot reach it.
        var web: String?
    }

    /// The record.
    let server: RecordServer
    /// How long the leadership lasts without a proof; nil for a session that only asks.
    let lease: Duration?
    /// The connection for changes.
    let writer: ServerConnection
    /// The connection for questions.
    let reader: ServerConnection
    /// Whether a transaction goes on that changes the record.
    private(set) var isInTransaction = false
    /// Called with the moment before a proof was sent, once it is answered.
    var onProof: (@Sendable (Timestamp) -> Void)?
    /// Called when the fate of a commit is unknown for a while.
    var onTrouble: (@Sendable (SQLError) -> Void)?
    /// By how much the epoch of this leader is above the last one.
    ///
    /// On another timeline it is more: the replica that has taken the server's place may have lost the last steps, and no number
    /// may be given twice.
    private(set) var epochStep: Int64 = 1

    var term: Term?
    /// Why nothing is written any more; nil for no reason.
    var end: SQLError?
    /// The first failure of a statement of the transaction, after which the server takes no other.
    var failure: SQLError?
    /// The statements with rows that wait to be sent, in the order of their first rows.
    var batching: [RemoteStatement] = []
    private var lastProof = Timestamp(rawValue: 0)
    private var isProving = false
    private var statementCount = 0
    /// How many iterations over rows go on outside of transactions that change the record.
    var openReadings = 0
    var isAtOneMoment = false
    let interrupt = ServerInterrupt()

    /// The step of the epoch, and of the number of the next job, on another timeline.
    private static let stepOfTimeline: Int64 = 1000
    /// The time between two attempts to reach the server.
    static let pause = Duration.milliseconds(250)
    /// How long the fate of a commit may be unknown before somebody is told.
    static let patienceOfSettling = Duration.seconds(1)

    /// Connects to a server.
    ///
    /// - Parameter lease: how long a leader may be silent, before the server ends its session; nil for a session that only asks.
    init(_ server: RecordServer, lease: Duration?) throws(SQLError) {
        self.server = server
        self.lease = lease
        if let lease {
            writer = try ServerConnection(server, for: .leading(lease: lease), index: 0)
            reader = try ServerConnection(server, for: .reading, index: 1)
        } else {
            writer = try ServerConnection(server, for: .readingOnly)
            reader = writer
        }
    }

    /// Leads over a connection that has the lock of the record, with a further one for questions.
    ///
    /// - Parameter writer: the connection, made to lead for the lease.
    init(_ server: RecordServer, lease: Duration, lockedBy writer: ServerConnection) throws(SQLError) {
        self.server = server
        self.lease = lease
        self.writer = writer
        reader = try ServerConnection(server, for: .reading, index: 1)
    }

    deinit {
        close()
    }

    /// The connection of the present statements.
    var current: ServerConnection { isInTransaction ? writer : reader }

    /// How often answers were waited for.
    var roundTrips: Int { writer.roundTrips + (lease == nil ? 0 : reader.roundTrips) }

    /// Whether this session leads, by its own knowledge.
    var isLeading: Bool { end == nil && term != nil && term?.beginning == nil }

    /// A name for a statement that no other of the session has.
    func nextName() -> String {
        statementCount += 1
        return "s\(statementCount)"
    }

    /// Returns what ends a wait for the server, on any thread.
    func makeInterrupt() -> @Sendable () -> Void {
        let interrupt = interrupt
        return { interrupt.set() }
    }

    /// Closes the connections, which frees the lock; the one with the lock comes last.
    func close() {
        if lease != nil { reader.close() }
        writer.close()
    }

    // MARK: Leading

    /// Takes the lock of the record, and makes or checks the tables; the next transaction begins the epoch.
    ///
    /// Tries for as long as the session of a leader lives whose host is gone.
    ///
    /// - Parameters:
    ///   - address: where the coordinator listens, for people.
    ///   - host: the name of this host, for people.
    ///   - key: the fingerprint of the coordinator's key; nil without one.
    ///   - web: where other hosts find its web interface; nil if they do not.
    /// - Throws: `led`, with a sentence, if another coordinator leads; `foreign` if the schema has tables of something else.
    func lead(address: String, host: String, key: String? = nil, web: String? = nil) throws(SQLError) {
        guard let lease else { throw SQLError(.readOnly, "the session only asks") }
        let end = ContinuousClock.now + lease + .seconds(1)
        while try !ServerLock.take(writer, schema: server.schema) {
            try ServerLock.endStuckHolder(writer, schema: server.schema, lease: lease)
            guard ContinuousClock.now < end, !interrupt.isSet else { throw try led() }
            Self.wait()
        }
        try begin(address: address, host: host, key: key, web: web)
    }

    /// Makes or checks the tables, under the lock of the record; the next transaction begins the epoch.
    ///
    /// - Throws: `foreign` if the schema has tables of something else.
    func begin(address: String, host: String, key: String?, web: String?) throws(SQLError) {
        let row = try PostgreSQLSchema.prepare(writer, schema: server.schema)
        let origin = try LeaderRow.Origin(writer)
        let isFirst = row.epoch == 0
        let isSameOrigin = origin == LeaderRow.Origin(row)
        epochStep = isFirst || isSameOrigin ? 1 : Self.stepOfTimeline
        term = Term(
            epoch: row.epoch,
            commits: row.commits,
            beginning: Beginning(origin: origin, address: address, host: host, key: key, web: web),
            lockedGeneration: writer.generation
        )
        lastProof = LeaseClock.now
    }

    private func led() throws(SQLError) -> SQLError {
        let isThere = try PostgreSQLSchema.hasLeader(writer, schema: server.schema)
        guard isThere, let row = try LeaderRow(writer), let holder = row.writer else {
            return SQLError(.led, "The record \(server) is held by another program.")
        }
        return SQLError(.led, "The record \(server) is \(row.isOfCopy ? "held" : "led") by \(holder).")
    }

    /// Proves that this coordinator leads, with a transaction whose only change is the proof.
    func prove() throws(SQLError) {
        guard lease != nil, term?.beginning == nil, !isInTransaction, !isProving else { return }
        try regainIfLost()
        try proveNow()
    }

    /// Proves that this coordinator leads, once a quarter of the lease has passed; failures show at the next change.
    func proveIfDue() throws(SQLError) {
        guard let lease, term != nil, term?.beginning == nil, !isInTransaction, !isProving,
            LeaseClock.now - lastProof >= lease / 4
        else { return }
        do throws(SQLError) { try prove() } catch {
            // The connection for questions may still answer.
            guard error.code == .unreachable else { throw error }
            lastProof = LeaseClock.now
        }
    }

    func proveNow() throws(SQLError) {
        isProving = true
        defer { isProving = false }
        let sentAt = LeaseClock.now
        let pipeline = try writer.open()
        do throws(SQLError) {
            try beginTransaction(pipeline)
            try pipeline.send("COMMIT", purpose: .commit)
            _ = try writer.synchronize()
            if let warning = pipeline.takeWarning() { throw pipeline.lost("the server warned at a commit: \(warning)") }
        } catch {
            writer.rollBack()
            throw note(error)
        }
        noteProof(sentAt, pipeline)
    }

    private func noteProof(_ sentAt: Timestamp, _ pipeline: ServerPipeline) {
        if let commits = pipeline.fencedCommits { term?.commits = commits }
        lastProof = sentAt
        onProof?(sentAt)
    }

    /// Notes an error that ends the leadership.
    func note(_ error: SQLError) -> SQLError {
        if error.code == .deposed || error.code == .wentBack {
            end = error
            writer.close()
        }
        return error
    }

    // MARK: Transactions

    /// Runs a body whose changes are committed together, durably, or not at all.
    ///
    /// A commit whose answer is missing is settled before the return: the number of commits in the record tells whether it took place.
    ///
    /// - Throws: the error of the body or of the commit; `unreachable` if nothing has happened, and a later try may succeed; `deposed`
    ///   or `wentBack` once another coordinator leads, or acknowledged commits are missing.
    func transaction<Value>(_ body: () throws(SQLError) -> Value) throws(SQLError) -> Value {
        invariant(!isInTransaction, "A transaction begins in another one.")
        guard lease != nil, term != nil else { throw SQLError(.readOnly, "the session only asks") }
        try regainIfLost()
        let sentAt = LeaseClock.now
        let pipeline = try writer.open()
        let value: Value
        isInTransaction = true
        failure = nil
        defer {
            isInTransaction = false
            failure = nil
            for statement in batching { statement.dropRows() }
            batching = []
        }
        do throws(SQLError) {
            try beginTransaction(pipeline)
            value = try body()
            try sendBatches()
            if let failure { throw failure }
        } catch {
            writer.rollBack()
            throw note(failure ?? error)
        }
        // The end of the transaction closes them.
        writer.forgetCursors()
        do throws(SQLError) {
            try pipeline.send("COMMIT", purpose: .commit)
            _ = try writer.synchronize()
            if let warning = pipeline.takeWarning() { throw pipeline.lost("the server warned at a commit: \(warning)") }
        } catch {
            guard error.code == .unreachable, pipeline.isClosed else {
                writer.rollBack()
                throw note(error)
            }
            writer.close()
            guard try settle(error) else {
                throw SQLError(.unreachable, error.message)
            }
            return value
        }
        noteCommit()
        noteProof(sentAt, pipeline)
        return value
    }

    /// Sends what each transaction begins with, without waiting.
    private func beginTransaction(_ pipeline: ServerPipeline) throws(SQLError) {
        guard let term else { throw SQLError(.readOnly, "the session only asks") }
        _ = pipeline.takeWarning()
        try pipeline.send("BEGIN")
        guard let beginning = term.beginning else {
            return try pipeline.send(LeaderRow.fence, [term.epoch], purpose: .fence)
        }
        var parameters = ServerParameters()
        for number in [term.epoch, epochStep, beginning.origin.timeline] {
            try parameters.append(.number(number), as: .integer)
        }
        for text in [beginning.origin.system, beginning.address, beginning.host] {
            try parameters.append(.text(Array(text.utf8)), as: .text)
        }
        try parameters.append(beginning.key.map { PostgreSQLValue.text(Array($0.utf8)) } ?? .null, as: .text)
        try parameters.append(.number(LeaseClock.timeOfDay), as: .integer)
        try parameters.append(beginning.web.map { PostgreSQLValue.text(Array($0.utf8)) } ?? .null, as: .text)
        let types: [ColumnType] = [.integer, .integer, .integer, .text, .text, .text, .text, .integer, .text]
        try pipeline.send(LeaderRow.raise, parameters, types, .fence)
        // The body raises the epoch that the record tells of, by the same step, and both are equal then.
        try pipeline.send(
            "UPDATE meta SET value = greatest(value, (SELECT epoch FROM leader) - $1) WHERE key = 'epoch'",
            [epochStep]
        )
        if epochStep > 1 {
            // Jobs that the present record has lost may have had the next numbers.
            try pipeline.send(
                """
                UPDATE meta SET value = greatest(value, (SELECT coalesce(max(job), 0) FROM jobs)) + $1
                WHERE key = 'newest_removed_job'
                """,
                [epochStep]
            )
        }
    }

    /// Notes that the first transaction of a leader has begun the epoch.
    private func noteCommit() {
        guard term?.beginning != nil else { return }
        term?.beginning = nil
        term?.epoch += epochStep
    }
}

extension LeaderRow.Origin {
    /// The origin that a row tells of.
    init(_ row: LeaderRow) {
        timeline = row.timeline
        system = row.system
    }
}
