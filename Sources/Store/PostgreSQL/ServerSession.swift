@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads

/// The connections of a store to its server: one for changes, which has the lock of the leader, and one for questions.
///
/// The answered end of a transaction is the proof that this coordinator leads, and nothing else is: questions are answered for ever by a
/// server whose replica has taken its place. Since questions have a connection of their own, no proof waits for the end of a long
/// answer.
///
/// One thread at a time uses a session.
final class ServerSession {
    /// What is known of the leadership of this session.
    private struct Term {
        /// The epoch, or before ``beginning`` is over, that of the last leader.
        var epoch: Int64
        /// How many commits were acknowledged.
        var commits: Int64
        /// What the first transaction writes of this leader; nil afterwards.
        var beginning: Beginning?
        /// Which connection has the lock.
        var lockedGeneration: Int
    }

    private struct Beginning {
        var origin: LeaderRow.Origin
        var address: String
        var host: String
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

    private var term: Term?
    /// Why nothing is written any more; nil for no reason.
    private var end: SQLError?
    /// The first failure of a statement of the transaction, after which the server takes no other.
    private var failure: SQLError?
    /// The statements with rows that wait to be sent, in the order of their first rows.
    private var batching: [RemoteStatement] = []
    private var lastProof = Timestamp(rawValue: 0)
    private var isProving = false
    private var statementCount = 0
    /// How many iterations over rows go on outside of transactions that change the record.
    private var openReadings = 0
    private var isAtOneMoment = false
    private let interrupt = ServerInterrupt()

    /// The step of the epoch, and of the number of the next job, on another timeline.
    private static let stepOfTimeline: Int64 = 1000
    /// The time between two attempts to reach the server.
    private static let pause = Duration.milliseconds(250)
    /// How long the fate of a commit may be unknown before somebody is told.
    private static let patienceOfSettling = Duration.seconds(1)

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

    deinit {
        close()
    }

    /// The connection of the present statements.
    var current: ServerConnection { isInTransaction ? writer : reader }

    /// How often answers were waited for.
    var roundTrips: Int { writer.roundTrips + (lease == nil ? 0 : reader.roundTrips) }

    /// Whether this session leads, as far as it knows.
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
    /// - Throws: `led`, with a sentence, if another coordinator leads; `foreign` if the schema has tables of something else.
    func lead(address: String, host: String) throws(SQLError) {
        guard let lease else { throw SQLError(.readOnly, "the session only asks") }
        let end = ContinuousClock.now + lease + .seconds(1)
        while try !ServerLock.take(writer, schema: server.schema) {
            try ServerLock.endStuckHolder(writer, schema: server.schema, lease: lease)
            guard ContinuousClock.now < end, !interrupt.isSet else { throw try led() }
            Self.wait()
        }
        let row = try PostgreSQLSchema.prepare(writer, schema: server.schema)
        let origin = try LeaderRow.Origin(writer)
        let isFirst = row.epoch == 0
        let isSameOrigin = origin == LeaderRow.Origin(row)
        epochStep = isFirst || isSameOrigin ? 1 : Self.stepOfTimeline
        term = Term(
            epoch: row.epoch,
            commits: row.commits,
            beginning: Beginning(origin: origin, address: address, host: host),
            lockedGeneration: writer.generation
        )
        lastProof = LeaseClock.now
    }

    private func led() throws(SQLError) -> SQLError {
        let isThere = try PostgreSQLSchema.hasLeader(writer, schema: server.schema)
        guard isThere, let row = try LeaderRow(writer), let address = row.address else {
            return SQLError(.led, "The record \(server) is held by another program.")
        }
        return SQLError(
            .led,
            "The record \(server) is led by the coordinator at \(address) on \(row.host ?? "another host")."
        )
    }

    /// Proves that this coordinator leads, by a transaction that changes nothing else.
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

    private func proveNow() throws(SQLError) {
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
    private func note(_ error: SQLError) -> SQLError {
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
        try parameters.append(.number(LeaseClock.timeOfDay), as: .integer)
        let types: [ColumnType] = [.integer, .integer, .integer, .text, .text, .text, .integer]
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

    // MARK: Lost connections

    /// Makes a lost connection for changes again, and takes the lock again.
    private func regainIfLost() throws(SQLError) {
        if let end { throw end }
        guard let term, writer.isLost || term.lockedGeneration != writer.generation else { return }
        // A proof whose answer is missing may have counted.
        let row = try regain(term)
        self.term?.commits = row.commits
    }

    /// Makes the connection for changes again, and takes the lock again, once.
    ///
    /// - Returns: the leader's row, which is still this leader's.
    private func regain(_ term: Term) throws(SQLError) -> LeaderRow {
        if writer.isLost { try writer.reconnect() }
        do throws(SQLError) {
            // The lock comes first: once it is free, the transaction of the lost session is over.
            let isLocked = try ServerLock.take(writer, schema: server.schema)
            guard let row = try LeaderRow(writer) else {
                throw SQLError(.wentBack, "the record has no leader any more: it is another one")
            }
            // The epoch of a leader that has not begun is another's.
            guard row.epoch == term.epoch else { throw SQLError(.deposed, Self.sentence(row)) }
            guard isLocked else {
                if let lease { try ServerLock.endStuckHolder(writer, schema: server.schema, lease: lease) }
                throw SQLError(.unreachable, "the lost session still has the lock of the record")
            }
            guard row.commits >= term.commits else {
                let count = term.commits - row.commits
                throw SQLError(
                    .wentBack,
                    "The record lost \(count) commits that were acknowledged: the database server that was promoted had not got them."
                )
            }
            self.term?.lockedGeneration = writer.generation
            return row
        } catch {
            // The lock goes with the connection.
            writer.close()
            throw note(error)
        }
    }

    private static func sentence(_ row: LeaderRow) -> String {
        guard let address = row.address else { return "another coordinator leads" }
        return "the coordinator at \(address) on \(row.host ?? "another host") leads"
    }

    /// Finds out whether a commit took place whose answer is missing.
    ///
    /// It counts as committed only once a later transaction is acknowledged: a session that ends while it waits for a replica leaves
    /// a commit that others see, and that the replica may not have.
    ///
    /// - Throws: `unreachable` without an end if somebody interrupts the wait; nothing more is written then.
    private func settle(_ error: SQLError) throws(SQLError) -> Bool {
        guard let term, term.beginning == nil else {
            // A start fails, and the next one skips a number.
            end = SQLError(.unreachable, error.message)
            throw error
        }
        let wasInTransaction = isInTransaction
        isInTransaction = false
        defer { isInTransaction = wasInTransaction }
        let lostAt = ContinuousClock.now
        var isCommitted = true
        var isTold = false
        var latest = error
        while true {
            do throws(SQLError) {
                let row = try regain(term)
                if row.commits == term.commits { isCommitted = false }
                try proveNow()
                return isCommitted
            } catch {
                if error.code == .deposed || error.code == .wentBack { throw error }
                latest = error
            }
            if interrupt.isSet {
                end = SQLError(.unreachable, "whether the last commit took place is not known: \(latest.message)")
                throw SQLError(.unreachable, latest.message)
            }
            if !isTold, ContinuousClock.now - lostAt >= Self.patienceOfSettling {
                isTold = true
                onTrouble?(SQLError(.unreachable, latest.message))
            }
            Self.wait()
        }
    }

    private static func wait() { _ = ThreadSemaphore().wait(for: pause) }

    // MARK: Statements

    /// Notes that a statement has rows to send.
    func noteBatch(of statement: RemoteStatement) { batching.append(statement) }

    /// Sends the waiting rows of a table, or of all, without waiting for an answer.
    func sendBatches(of table: String? = nil) throws(SQLError) {
        guard !batching.isEmpty else { return }
        var others: [RemoteStatement] = []
        for statement in batching {
            if table == nil || statement.table == table {
                try statement.sendRows()
            } else {
                others.append(statement)
            }
        }
        batching = others
    }

    /// Forgets that a statement has rows to send, after it has sent them.
    func endBatch(of statement: RemoteStatement) { batching.removeAll { $0 === statement } }

    /// Waits for the answers to all that was sent over the present connection.
    ///
    /// - Returns: the rows that somebody wants.
    func synchronize() throws(SQLError) -> [ServerResult] {
        do throws(SQLError) {
            let results = try current.synchronize()
            try proveIfDue()
            return results
        } catch {
            if isInTransaction, failure == nil { failure = error }
            throw error
        }
    }

    /// Runs a question over the connection for questions, once more if the connection was lost.
    ///
    /// Inside of a transaction, of a moment or of an iteration nothing can be asked again: it would be about another moment.
    func asking<Value>(_ body: () throws(SQLError) -> Value) throws(SQLError) -> Value {
        guard !isInTransaction, !isAtOneMoment, openReadings == 0 else { return try body() }
        if reader.isLost { try reader.reconnect() }
        do throws(SQLError) {
            return try body()
        } catch {
            guard error.code == .unreachable, reader.isLost else {
                // The failure of a message leaves the others of its group without an answer.
                reader.rollBack()
                throw error
            }
            try reader.reconnect()
            return try body()
        }
    }

    /// Begins an iteration over rows, which outside of transactions needs one.
    func beginReading() throws(SQLError) {
        guard !isInTransaction else { return }
        if openReadings == 0, !isAtOneMoment { try reader.open().send("BEGIN READ ONLY") }
        openReadings += 1
    }

    /// Ends an iteration over rows.
    ///
    /// - Parameter hasFailed: whether answers are still to come, of which nobody knows what they are.
    func endReading(hasFailed: Bool = false) {
        guard !isInTransaction else { return }
        openReadings -= 1
        guard openReadings == 0, !isAtOneMoment else { return }
        if hasFailed { reader.rollBack() } else { reader.endReading() }
    }

    /// Runs a body whose questions all are about one moment.
    func atOneMoment(_ body: () -> Void) {
        guard !isInTransaction, !isAtOneMoment, openReadings == 0 else { return body() }
        do throws(SQLError) {
            if reader.isLost { try reader.reconnect() }
            try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        } catch {
            // The questions of the body meet the same error, and report it.
            return body()
        }
        isAtOneMoment = true
        body()
        isAtOneMoment = false
        reader.endReading()
    }
}

extension LeaderRow.Origin {
    /// The origin that a row tells of.
    init(_ row: LeaderRow) {
        timeline = row.timeline
        system = row.system
    }
}
