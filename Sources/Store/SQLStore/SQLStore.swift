@_spi(Baton) public import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The record in an SQLite file, with a write-ahead log; every commit is forced to the disk before it returns.
///
/// A second store on the same file is refused, under any name of the file: a byte of the file is locked (``RecordLock``), and
/// so is the file's place (``LockFile``). The file should lie on a local disk: a record on a network's file system without such
/// locks is not opened, and such file systems lack the shared memory for the log. Other programs may read the file at any time.
///
/// The file may also lie on a disk in memory, which a test or a simulation can fill up and break.
///
/// Durations are kept in whole microseconds.
@_spi(Baton) public final class SQLStore: Store {
    /// The parts of an open store.
    private struct Connection {
        var database: Database
        var statements: Statements
    }

    /// The path of the file, as given.
    public let path: String
    /// The path of the file without symbolic links.
    let file: String
    /// The disk of the file; nil for the files of the system.
    let disk: (any RecordDisk)?
    /// How many events are kept at least, from 1; an old event is dropped once all events in its row are as old.
    public let eventHistory: UInt64
    /// The first operations of the entries of the job used last.
    var entryStarts: EntryStarts?
    /// The unfinished jobs whose rows in `operations` are all known to cover one operation each.
    ///
    /// Another row of one operation can only replace a row, and overlaps none.
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
    /// Whether the file has the mark of an open record.
    var isMarked = false
    /// The part of the record that was missing, and that the caller has accepted to go on without; nil for none.
    public internal(set) var acceptedLoss: RecordLoss?
    /// What was acknowledged.
    var tally = RecordTally()
    /// The identity of the record, which its tally has, too; nil if the record has lost it.
    private var identity: UInt64?
    /// The tally after the present transaction.
    var nextTally = RecordTally()
    private var connection: Connection?
    private var placeLock: LockFile?
    private var lock: RecordLock?
    private var logPlace: FilePlace?
    /// Where the index of the log has to be, through which other processes tell what they read.
    private var indexPlace: FilePlace?
    private var tallyFile: TallyFile?
    /// Why there is no file of the tally, although there should be one; nil for no reason.
    private var tallyFailure: StoreError?
    /// How long the files are at least; nil on a disk in memory, which nobody else can cut.
    private var lengths: FileLengths?
    /// Why nothing more is written to files that another program has cut or overwritten, whatever they are now; nil for whole files.
    private var cut: StoreError?
    /// By how much the log's index counts more commits than the tally, at the last look; nil before the first look.
    private var indexLead: UInt32?

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
        self.disk = disk
        self.histories = histories
        // The last event determines the number of the next.
        self.eventHistory = max(1, eventHistory)
        if disk == nil {
            try RecordFile.makeDirectory(for: path)
            if now == nil { try Self.checkMissing(path) }
            file = try RecordFile.resolve(path)
            try RecordOwner.check(file, record: path)
            try RecordFile.checkJournal(of: file, record: path)
            let placeLock = try LockFile(beside: file, record: path)
            lock = try RecordLock(file, record: path)
            placeLock.noteHolder()
            self.placeLock = placeLock
        } else {
            file = path
        }
        let found = try TallyFile.read(beside: file, on: disk, record: path)
        // SQLite would remove the log beside an empty file.
        let lossOfWhole = disk == nil && RecordFile.isMissingOrEmpty(file) ? Self.lossOfWhole(found, beside: file) : nil
        if let lossOfWhole, now == nil { throw .incomplete(path, lossOfWhole, isFileMissing: true) }
        let hasNames = (lock?.names ?? 1) > 1
        let hasOwnLog = !RecordFile.isMissingOrEmpty(file + "-wal")
        let nameWithLog = hasNames && !hasOwnLog ? RecordFile.nameWithLog(of: file) : nil
        let mayMissLog = nameWithLog != nil || hasNames && access(file + "-wal", F_OK) != 0
        let database: Database
        do throws(SQLError) {
            database = try Database(path: file, vfs: disk?.name)
        } catch {
            throw StoreError(error, path: path)
        }
        database.setBusyTimeout(milliseconds: 5000)
        // A record that is refused stays as it is.
        database.keepLogOnClose(true)
        // Files that do not belong together look damaged, too.
        let lossOfOther = disk == nil ? try self.lossOfOther(found, database, mayAccept: now != nil) : nil
        let loss: RecordLoss?
        var isLogElsewhere = false
        let pageSize: Int64
        do throws(SQLError) {
            if disk == nil { try LengthCheck.run(on: database, file: file) }
            let wasMarked = try StructureCheck.run(on: database)
            if disk == nil { try SchemaCheck.run(on: database) }
            isLogElsewhere = wasMarked && mayMissLog
            var lossOfPart = RecordLoss.found(by: found, in: try Self.tally(of: database), wasOpen: wasMarked)
            // Whatever cannot be read here is missing in the sentence alone.
            try? lossOfPart?.findJobs(by: found, in: database)
            loss = lossOfWhole ?? lossOfOther ?? lossOfPart
        } catch {
            throw StoreError(error, path: path)
        }
        if isLogElsewhere { throw .logElsewhere(path, names: lock?.names ?? 1, name: nameWithLog) }
        if let loss, now == nil { throw .incomplete(path, loss) }
        do throws(SQLError) {
            try Migration.migrate(database, to: schema)
            connection = Connection(database: database, statements: try Self.statements(for: database))
            pageSize = try database.number("PRAGMA page_size") ?? 0
            tally = try Self.tally(of: database) ?? RecordTally()
            identity = RecordIdentity(of: database)?.number
        } catch {
            throw StoreError(error, path: path)
        }
        if let lock {
            (logPlace, indexPlace) = (FilePlace(file + "-wal"), FilePlace(file + "-shm"))
            lengths = FileLengths(pageSize: pageSize, record: lock.length ?? 0)
        }
        if let loss, let now {
            try accept(loss, found: found, at: now)
            // The tally has made a leap, which the index of the log has not.
            indexLead = nil
        }
        tallyFile = try TallyFile(beside: file, on: disk, record: path, tally, identity: identity)
        database.keepLogOnClose(false)
    }

    /// Refuses to make a record in the place of one that is missing, as its tally or its log shows, before there is a new file.
    private static func checkMissing(_ path: String) throws(StoreError) {
        guard access(path, F_OK) != 0, errno == ENOENT,
            let loss = lossOfWhole(try TallyFile.read(beside: path, on: nil, record: path), beside: path)
        else { return }
        // The file of a living coordinator may have been moved away.
        let lock = try LockFile(beside: path, record: path)
        defer { withExtendedLifetime(lock) {} }
        throw .incomplete(path, loss, isFileMissing: true)
    }

    /// The loss of a record whose file is missing or empty; nil if there never was one.
    private static func lossOfWhole(_ tally: TallyFile.Content, beside file: String) -> RecordLoss? {
        RecordLoss.ofWhole(tally, hasLog: !RecordFile.isMissingOrEmpty(file + "-wal"))
    }

    /// The loss that a foreign tally beside this record tells of; nil if record and tally belong together.
    ///
    /// - Parameter mayAccept: whether a whole record may take the place of the one whose tally is there. Files of different records are
    ///   refused in any case: nobody knows what SQLite would make of them.
    private func lossOfOther(
        _ tally: TallyFile.Content,
        _ database: Database,
        mayAccept: Bool
    ) throws(StoreError) -> RecordLoss? {
        guard let mismatch = RecordMismatch.found(by: tally, in: database, file: file) else { return nil }
        guard mismatch == .tally else { throw .mixed(path, mismatch) }
        guard let loss = RecordLoss.ofWhole(tally, hasLog: false) else { return nil }
        guard mayAccept else { throw .mixed(path, mismatch) }
        return loss
    }

    /// Writes the tally, once there is a file for it.
    func writeTally() { tallyFile?.write(tally) }

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
        self.file = file
        self.disk = disk
        self.histories = histories
        eventHistory = 1
        do throws(SQLError) {
            let database = try Database(path: file, vfs: disk?.name, isReadOnly: true)
            database.setBusyTimeout(milliseconds: 5000)
            try database.execute(
                "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(Self.readerCache)"
            )
            connection = Connection(database: database, statements: try Self.statements(for: database))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The most KiB of pages that a reader keeps in memory.
    private static let readerCache = 4096

    /// Opens a reader with a connection of its own.
    public func makeReader() throws(StoreError) -> sending (any RecordReader)? {
        guard connection != nil else { throw .closed(path) }
        return try SQLStore(reading: path, file: file, on: disk, histories)
    }

    /// Runs a body inside a transaction that only reads.
    ///
    /// A transaction that cannot begin makes no difference here: the questions of the body meet the same error, and report it.
    public func atOneMoment(_ body: () -> Void) {
        guard let database else { return body() }
        try? database.execute("BEGIN")
        body()
        try? database.execute("COMMIT")
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

    /// Closes the file and releases the locks.
    public func close() {
        // What is to be noted here is noted in `cut`.
        if connection != nil { try? checkFiles() }
        if cut == nil, isMarked, lock?.isInPlace != false, let connection {
            try? connection.statements.record.unmark.run()
        }
        isMarked = false
        // Closes the database before the locks: no other process may open the file while this process still writes.
        connection = nil
        tallyFile = nil
        lock = nil
        placeLock = nil
    }

    /// Throws if the paths no longer lead to the open file and its log, or one of them was cut, and makes a tally that is gone again.
    ///
    /// Without a tally, nobody would notice a loss: where it cannot be made, nothing more is acknowledged.
    public func checkPlace() throws(StoreError) {
        try checkFiles()
        if lock != nil, !isIndexOfLog { throw refuse(.replacedIndex) }
        guard let tallyFile, !tallyFile.isInPlace else { return }
        try remakeTally()
    }

    /// Makes the tally again in the place of whatever is there.
    ///
    /// - Throws: `notAccessible` or `full` where that is impossible; then nothing more is acknowledged, and each look tries again.
    private func remakeTally() throws(StoreError) {
        do throws(StoreError) {
            tallyFile = try TallyFile(
                beside: file,
                on: disk,
                record: path,
                tally,
                identity: identity,
                isReplacing: true
            )
            tallyFailure = nil
        } catch {
            tallyFailure = error
            throw error
        }
    }

    /// Throws if the paths no longer lead to the open file and its log, or one of them was cut, so that changes would not be found
    /// later.
    ///
    /// SQLite goes on with files that have lost their names. As long as it has them open, what is in the log can be saved
    /// in the file. Without the index of the log, SQLite in another process, such as a backup, could read pages while this process
    /// overwrites them. What was cut from a file in its place is gone: then nothing is copied out of the log any more, so that what is
    /// left stays as it is, even if the file gets its length back.
    func checkFiles() throws(StoreError) {
        guard let lock else { return }
        if let cut { throw cut }
        // The lengths come before the index of the log: see ``FileLengths``.
        let (record, log, index) = (lock.length, logPlace?.length, indexPlace?.length)
        if let file = harmedFile(record: record, log: log, index: index) { throw refuse(file) }
        guard record != nil else {
            database?.saveLog()
            throw .notInPlace(path)
        }
        if logPlace != nil, log == nil { throw .logNotInPlace(path, isSaved: database?.saveLog() ?? false) }
        if indexPlace != nil, index == nil { throw .indexNotInPlace(path) }
        if tallyFailure != nil { try remakeTally() }
    }

    /// Writes nothing more, and leaves the log as it is at the end.
    private func refuse(_ file: FileLengths.HarmedFile) -> StoreError {
        let error = StoreError.cut(path, file)
        cut = error
        database?.keepLogOnClose(true)
        return error
    }

    /// The file that another program has cut or overwritten since it was opened; nil for none.
    ///
    /// A length is nil for a file that is not in its place.
    private func harmedFile(record: Int64?, log: Int64?, index: Int64?) -> FileLengths.HarmedFile? {
        // A read behind the end of the index would end the process.
        if let index, index < FileLengths.indexLength { return .index }
        guard let content = database?.logIndex else { return nil }
        // Each commit that the tally counts is counted by the index, too. With an older index, SQLite would overwrite the commits that
        // this index lacks.
        let lead = content.commits &- UInt32(truncatingIfNeeded: tally.commits)
        if let indexLead, Int32(bitPattern: lead &- indexLead) < 0 { return .replacedIndex }
        indexLead = lead
        guard let harmed = lengths?.cutFile(record: record, log: log, by: content) else { return nil }
        // The index of another log has other lengths: it cannot show that this log was cut.
        return isIndexOfLog ? harmed : .replacedIndex
    }

    /// Whether the index of the log and the log itself belong together.
    private var isIndexOfLog: Bool {
        // Another process may copy the log, and begin it anew meanwhile: the index says so before the log.
        guard let before = database?.logIndex, before.frames > 0, let salt = database?.logSalt,
            let inLog = LogFrames.salt(ofLogBeside: file), database?.logIndex == before
        else { return true }
        return inLog == salt || database?.logSalt != salt
    }

    /// The database itself; nil once the store is closed.
    var database: Database? { connection?.database }

    /// Runs a body with the statements, and converts its error into an error of the store.
    func with<Value>(
        _ body: (Statements) throws(SQLError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw .closed(path) }
        do throws(SQLError) {
            return try body(connection.statements)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Runs a body inside a transaction, which on return is on disk or, after an error, has left no trace.
    func transaction<Value>(
        _ body: (Statements) throws(SQLError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw .closed(path) }
        try checkFiles()
        nextTally = tally
        do throws(SQLError) {
            let value = try connection.database.transaction { () throws(SQLError) in
                try body(connection.statements)
            }
            noteCommit()
            return value
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
