import Operations

/// The record in an SQLite file: a write-ahead log, and every commit forced to the disk before it returns.
///
/// A second store on the same file is refused with the help of a lock file beside it (`baton.db.lock`). The file should lie
/// on a local disk: network file systems keep neither such locks nor the shared memory that the log needs. Other programs may
/// read the file at any time. Durations are kept in whole microseconds.
public final class SQLiteStore: Store {
    /// What is open as long as the store is.
    private struct Connection {
        var database: Database
        var statements: Statements
    }

    /// The file, as it was named.
    public let path: String
    /// How many events are kept at least, from 1; older ones are dropped once all that share their row are as old.
    public let eventHistory: UInt64
    /// Where the entries of the job begin that was asked about last.
    var entryStarts: EntryStarts?
    /// The unfinished jobs of which all rows of `operations` are known to be about one operation each: another such row can
    /// only replace one, and overlaps none.
    var jobsOfSingleRows: Set<JobNumber> = []
    /// Finished jobs that have to stay.
    var neededJobs = NeededJobs()
    private var connection: Connection?
    private var lock: LockFile?

    /// Opens a record, making the file and its directories where they do not exist, and bringing its tables up to date.
    ///
    /// - Parameter eventHistory: how many events are kept at least, from 1; one that is about many operations is one.
    /// - Throws: ``StoreError`` `inUse` where another coordinator has it, `notAccessible` where it cannot be opened or
    ///   written, `full`, and `unreadable` where it is damaged, something else's, or a newer version's.
    public convenience init(path: String, eventHistory: UInt64 = 1_000_000) throws(StoreError) {
        try self.init(path: path, eventHistory: eventHistory, migrations: Migration.all)
    }

    /// Opens a record and brings its tables up to the last of some versions.
    init(path: String, eventHistory: UInt64 = 1_000_000, migrations: [Migration]) throws(StoreError) {
        self.path = path
        // The last one is what says which number the next one gets.
        self.eventHistory = max(1, eventHistory)
        try RecordFile.makeDirectory(for: path)
        lock = try LockFile(record: path)
        try RecordFile.make(path)
        do throws(SQLiteError) {
            let database = try Database(path: path)
            database.setBusyTimeout(milliseconds: 5000)
            try Migration.migrate(database, with: migrations)
            connection = Connection(database: database, statements: try Self.statements(for: database))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func statements(for database: Database) throws(SQLiteError) -> Statements {
        do throws(SQLiteError) {
            return try Statements(database)
        } catch  where error.code.primary == .statement {
            // They fit the tables that Baton makes: these are others.
            throw .damaged(error.message)
        }
    }

    deinit {
        close()
    }

    /// Closes the file and lets go of the lock.
    public func close() {
        // The database before the lock: nobody else may open the file while this one still writes it back.
        connection = nil
        lock = nil
    }

    /// The database itself, for what only tests and diagnostics need; nil once the store is closed.
    var database: Database? { connection?.database }

    /// Runs a body with the statements and says what goes wrong in the store's own words.
    func with<Value>(
        _ body: (Statements) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw .closed(path) }
        do throws(SQLiteError) {
            return try body(connection.statements)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The same inside a transaction, which is on disk when this returns, or has left no trace.
    func transaction<Value>(
        _ body: (Statements) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw .closed(path) }
        do throws(SQLiteError) {
            return try connection.database.transaction { () throws(SQLiteError) in try body(connection.statements) }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
