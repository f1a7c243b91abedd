import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The record in an SQLite file: a write-ahead log, and every commit forced to the disk before it returns.
///
/// A second store on the same file is refused, by whatever name it opens it: a byte of the file is locked (``RecordLock``), and
/// so is its place (``LockFile``). The file should lie on a local disk: where a network's file system has no such locks, the
/// record is not opened, and such file systems lack the shared memory that the log needs. Other programs may read the file at
/// any time. Durations are kept in whole microseconds.
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
    /// How far the time of day is ahead of the record's own clock, in microseconds (see ``RecordChange/clock(_:at:)``).
    var clockOffset: Int64 = 0
    /// The file has a mark that says that it is open.
    var isMarked = false
    private var connection: Connection?
    private var placeLock: LockFile?
    private var lock: RecordLock?

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
        let file = try RecordFile.resolve(path)
        let placeLock = try LockFile(beside: file, record: path)
        let lock = try RecordLock(file, record: path)
        placeLock.noteHolder()
        self.placeLock = placeLock
        self.lock = lock
        let hasLog = access(file + "-wal", F_OK) == 0
        let wasMarked: Bool
        do throws(SQLiteError) {
            let database = try Database(path: file)
            database.setBusyTimeout(milliseconds: 5000)
            wasMarked = try StructureCheck.run(on: database)
            if !wasMarked || hasLog || lock.names < 2 {
                try Migration.migrate(database, with: migrations)
                connection = Connection(database: database, statements: try Self.statements(for: database))
            }
        } catch {
            throw StoreError(error, path: path)
        }
        if connection == nil { throw .logElsewhere(path, names: lock.names) }
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
        if isMarked, lock?.isInPlace == true, let connection { try? connection.statements.unmark.run() }
        isMarked = false
        // The database before the locks: nobody else may open the file while this one still writes it back.
        connection = nil
        lock = nil
        placeLock = nil
    }

    /// Throws where the file is no longer what its path leads to, so that nobody would find what is kept in it.
    func checkPlace() throws(StoreError) {
        if let lock, !lock.isInPlace { throw .notInPlace(path) }
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
