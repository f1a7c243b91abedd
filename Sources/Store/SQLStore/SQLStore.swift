@_spi(Baton) public import BatonOperations

/// The record in SQL: in an SQLite file, with a write-ahead log, or in a database of PostgreSQL; every commit is durable before it
/// returns.
///
/// The tables, the statements and all logic are the same for both; ``Engine`` is what differs. On a server, one coordinator at a time
/// leads, and each commit makes sure that it still does.
///
/// A second store on the same file is refused, under any name of the file: a byte of the file is locked (``RecordLock``), and
/// so is the file's place (``LockFile``). The file should lie on a local disk: a record on a network's file system without such
/// locks is not opened, and such file systems lack the shared memory for the log. Other programs may read the file at any time.
///
/// The file may also lie on a disk in memory, which a test or a simulation can fill up and break.
///
/// Durations are kept in whole microseconds.
@_spi(Baton) public final class SQLStore: Store {
    /// The SQLite file or the session with a PostgreSQL server that holds the tables.
    enum Engine {
        case file(FileParts)
        case server(ServerSession)

        /// Makes a statement one of the tables.
        func attach(_ statement: Statement) throws(SQLError) {
            switch self {
            case .file(let parts):
                guard let database = parts.database else { throw SQLError(.statement, "the record is closed") }
                try statement.attach(to: database)
            case .server(let session):
                try statement.attach(to: session)
            }
        }
    }

    /// The path of the file, as given, or the address of the database, without a password.
    public let path: String
    /// What keeps the tables.
    let engine: Engine
    /// How many events are kept at least, from 1; an old event is dropped once all events in its row are as old.
    public let eventHistory: UInt64
    /// The first operations of the entries of the job used last.
    var entryStarts: EntryStarts?
    /// The unfinished jobs whose rows in `operations` are all known to cover one operation each.
    ///
    /// A new row of one operation can only replace a row, and never overlaps another row.
    var jobsOfSingleRows = RecentJobs()
    /// The finished jobs that have to stay.
    var neededJobs = NeededJobs()
    /// The failed operations of removed jobs by the minute of their end, until somebody takes them.
    var removedFailures: [Int64: Int] = [:]
    /// How far the time of day is ahead of the record's own clock, in microseconds (see ``RecordChange/clock(_:at:)``).
    var clockOffset: Int64 = 0
    /// What users were shown of the times of this run of the coordinator.
    var shownTimes = ShownTimes()
    /// The lead of the record at the start, until the host's clock has passed the record's newest time in a step.
    var lead: RecordLead?
    /// The critical paths of finished jobs that somebody has asked about.
    var finishedPaths = LatestValues<JobNumber, CriticalPath>(limit: 16)
    /// The histories of finished operations, which the store shares with its readers.
    let histories: OperationHistoryCache
    /// The part of the record that was missing, and that the caller has accepted to go on without; nil for none.
    public internal(set) var acceptedLoss: RecordLoss?
    /// The tally after the present transaction.
    var nextTally = RecordTally()
    /// Called while a call waits for a lost connection to a server.
    var troubleHandler: (@Sendable (StoreError) -> Void)?
    /// How many transactions of a server had events, since the store was opened.
    var transactionsWithEvents: UInt64 = 0
    /// The statements of the tables; nil once the store is closed.
    private var statements: Statements?

    /// Opens a record, creates a missing file and missing directories, and brings the tables to the version of this build.
    ///
    /// - Parameters:
    ///   - eventHistory: how many events are kept at least, from 1; an event about many operations counts as one.
    ///   - now: the present time, to go on without a part of the record that is missing, and to note that; nil to refuse.
    /// - Throws: ``StoreError`` `inUse` if another coordinator has the record, `notAccessible` if the record cannot be opened
    ///   or written, `full`, `incomplete` if a part of the record is missing that was acknowledged, and `unreadable` for a damaged
    ///   file, a file of another program, or a version that this build does not know. The record is then as before.
    public convenience init(
        path: String,
        eventHistory: UInt64 = 1_000_000,
        acceptingLossAt now: Timestamp? = nil
    ) throws(StoreError) {
        try self.init(path: path, eventHistory: eventHistory, acceptingLossAt: now, schema: .current)
    }

    /// Opens a record on a disk in memory, which nobody else has open, and creates a missing record.
    ///
    /// - Parameters:
    ///   - eventHistory: how many events are kept at least, from 1.
    ///   - now: the present time, to go on without a part of the record that is missing; nil to refuse.
    package convenience init(
        on disk: any RecordDisk,
        eventHistory: UInt64 = 1_000_000,
        acceptingLossAt now: Timestamp? = nil
    ) throws(StoreError) {
        try self.init(
            path: "/baton.db",
            disk: disk,
            eventHistory: eventHistory,
            acceptingLossAt: now,
            schema: .current
        )
    }

    /// Opens a record and brings its tables to the version of a schema.
    init(
        path: String,
        disk: (any RecordDisk)? = nil,
        eventHistory: UInt64 = 1_000_000,
        acceptingLossAt now: Timestamp? = nil,
        histories: OperationHistoryCache = OperationHistoryCache(),
        schema: Schema = .current
    ) throws(StoreError) {
        self.path = path
        self.histories = histories
        // The last event determines the number of the next.
        self.eventHistory = max(1, eventHistory)
        let parts = try FileParts(path, on: disk, mayAcceptLoss: now != nil, schema: schema)
        engine = .file(parts)
        statements = try Self.statements(for: parts)
        if let missing = parts.missing, let now { try accept(missing, parts, at: now) }
        try parts.endOpening()
    }

    /// Opens a record that a store of this process has open already, or a copy that nobody else knows, for reading alone.
    ///
    /// The reader has a connection of its own, and takes no lock: the store holds the locks for the whole process.
    init(
        reading path: String,
        file: String,
        on disk: (any RecordDisk)?,
        _ histories: OperationHistoryCache
    ) throws(StoreError) {
        self.path = path
        self.histories = histories
        eventHistory = 1
        let parts = try FileParts(reading: path, file: file, on: disk)
        engine = .file(parts)
        statements = try Self.statements(for: parts)
    }

    /// Opens a record on a server, makes missing tables, and takes the lead; another coordinator must not have it.
    ///
    /// - Parameters:
    ///   - server: the database.
    ///   - lease: how long another coordinator has to wait when this coordinator is silent.
    ///   - address: where this coordinator is found, for people.
    ///   - host: the name of this host, for people.
    ///   - key: the fingerprint of this coordinator's key, for comparison with the keys of coordinators that stand by; nil without a key.
    ///   - eventHistory: how many events are kept at least, from 1.
    /// - Throws: ``StoreError`` `inUse` if another coordinator has the record, `library` without libpq, `unreachable`, and `unreadable`
    ///   for a schema that belongs to something else, or has a version that this build does not know.
    public init(
        server: RecordServer,
        lease: Duration,
        address: String,
        host: String,
        key: String? = nil,
        web: String? = nil,
        eventHistory: UInt64
    ) throws(StoreError) {
        path = server.description
        histories = OperationHistoryCache()
        self.eventHistory = max(1, eventHistory)
        do throws(SQLError) {
            let session = try ServerSession(server, lease: lease)
            try session.lead(address: address, host: host, key: key, web: web)
            engine = .server(session)
            statements = try Statements(session)
        } catch {
            throw StoreError(error, server: server)
        }
    }

    /// Opens a record on a server as the leader, in a session that has begun to lead.
    init(_ session: ServerSession, eventHistory: UInt64) throws(StoreError) {
        path = session.server.description
        histories = OperationHistoryCache()
        self.eventHistory = max(1, eventHistory)
        engine = .server(session)
        do throws(SQLError) {
            statements = try Statements(session)
        } catch {
            throw StoreError(error, server: session.server)
        }
    }

    /// Opens a record on a server for reading alone, beside the store that changes it.
    init(reading server: RecordServer, _ histories: OperationHistoryCache) throws(StoreError) {
        path = server.description
        self.histories = histories
        eventHistory = 1
        do throws(SQLError) {
            let session = try ServerSession(server, lease: nil)
            engine = .server(session)
            statements = try Statements(session)
        } catch {
            throw StoreError(error, server: server)
        }
    }

    /// Opens a reader with a connection of its own.
    public func makeReader() throws(StoreError) -> sending (any RecordReader)? {
        guard statements != nil else { throw .closed(path) }
        switch engine {
        case .file(let parts): return try SQLStore(reading: path, file: parts.file, on: parts.disk, histories)
        case .server(let session): return try SQLStore(reading: session.server, histories)
        }
    }

    /// Runs a body inside a transaction that only reads.
    ///
    /// A transaction that cannot begin makes no difference here: the questions of the body meet the same error, and report it.
    public func atOneMoment(_ body: () -> Void) {
        guard statements != nil else { return body() }
        switch engine {
        case .file(let parts):
            try? parts.database?.execute("BEGIN")
            body()
            try? parts.database?.execute("COMMIT")
        case .server(let session):
            session.atOneMoment(body)
        }
    }

    private static func statements(for parts: FileParts) throws(StoreError) -> Statements {
        guard let database = parts.database else { throw .closed(parts.path) }
        do throws(SQLError) {
            return try statements(for: database)
        } catch {
            throw StoreError(error, path: parts.path)
        }
    }

    private static func statements(for database: Database) throws(SQLError) -> Statements {
        do throws(SQLError) {
            return try Statements(database)
        } catch  where error.code.primary == .statement {
            // The statements fit Baton's tables: these are others.
            throw .damaged(error.message)
        }
    }

    deinit {
        close()
    }

    /// Closes the file and releases the locks, or closes the connections to the server.
    public func close() {
        switch engine {
        case .file(let parts):
            if let statements, parts.endsInOrder() { try? statements.record.unmark.run() }
            // A statement keeps its database open.
            statements = nil
            parts.close()
        case .server(let session):
            statements = nil
            session.close()
        }
    }

    /// Throws if the paths no longer lead to the open file and its log, or one of them was cut, and makes a tally that is gone again.
    ///
    /// Without a tally, a loss would stay unnoticed: while the tally cannot be made, no commit is acknowledged. A server looks after its
    /// files itself.
    public func checkPlace() throws(StoreError) {
        switch engine {
        case .file(let parts): try parts.checkPlace()
        case .server: break
        }
    }

    /// The database in a file; nil for a server, and once the store is closed.
    var database: Database? {
        switch engine {
        case .file(let parts): parts.database
        case .server: nil
        }
    }

    /// Describes an error of the database that has the tables.
    func error(_ error: SQLError) -> StoreError {
        switch engine {
        case .file: StoreError(error, path: path)
        case .server(let session): StoreError(error, server: session.server)
        }
    }

    /// Runs a body with the statements, and converts its error into an error of the store.
    func with<Value>(
        _ body: (Statements) throws(SQLError) -> Value
    ) throws(StoreError) -> Value {
        guard let statements else { throw .closed(path) }
        do throws(SQLError) {
            return try body(statements)
        } catch {
            throw self.error(error)
        }
    }

    /// Runs a body inside a transaction, which on return is on disk or, after an error, has left no trace.
    func transaction<Value>(
        _ body: (Statements) throws(SQLError) -> Value
    ) throws(StoreError) -> Value {
        guard let statements else { throw .closed(path) }
        switch engine {
        case .file(let parts):
            guard let database = parts.database else { throw .closed(path) }
            try parts.checkFiles()
            nextTally = parts.tally
            do throws(SQLError) {
                let value = try database.transaction { () throws(SQLError) in try body(statements) }
                parts.noteCommit(nextTally)
                return value
            } catch {
                throw StoreError(error, path: path)
            }
        case .server(let session):
            do throws(SQLError) {
                return try session.transaction { () throws(SQLError) in try body(statements) }
            } catch {
                throw StoreError(error, server: session.server)
            }
        }
    }
}
