#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a store on a file has beside its tables: the database, its files with their places and lengths, the locks, and the tally.
final class FileParts {
    /// The path of the file, as given.
    let path: String
    /// The path of the file without symbolic links.
    let file: String
    /// The disk of the file; nil for the files of the system.
    let disk: (any RecordDisk)?
    /// The database itself; nil once the store is closed.
    private(set) var database: Database?
    /// Whether the file has the mark of an open record.
    var isMarked = false
    /// What was acknowledged.
    private(set) var tally = RecordTally()
    /// The part of the record that is missing, and that the caller goes on without; nil for none.
    private(set) var missing: Missing?
    /// The identity of the record, which its tally has, too; nil if the record has lost it.
    private var identity: UInt64?
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

    /// A part of the record that is missing.
    struct Missing {
        /// What is missing.
        var loss: RecordLoss
        /// What the file of the tally said.
        var found: TallyFile.Content
    }

    /// Opens the file of a record for the store that changes it, and brings its tables to the version of a schema.
    ///
    /// Until ``endOpening()``, the files are left as they are if the store is closed.
    ///
    /// - Parameter mayAcceptLoss: whether to go on without a part of the record that is missing (``missing``), instead of refusing.
    init(
        _ path: String,
        on disk: (any RecordDisk)?,
        mayAcceptLoss: Bool,
        schema: Schema
    ) throws(StoreError) {
        self.path = path
        self.disk = disk
        if disk == nil {
            try RecordFile.makeDirectory(for: path)
            if !mayAcceptLoss { try Self.checkMissing(path) }
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
        if let lossOfWhole, !mayAcceptLoss { throw .incomplete(path, lossOfWhole, isFileMissing: true) }
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
        let lossOfOther = disk == nil ? try self.lossOfOther(found, database, mayAccept: mayAcceptLoss) : nil
        let loss: RecordLoss?
        var isLogElsewhere = false
        let pageSize: Int64
        do throws(SQLError) {
            if disk == nil { try LengthCheck.run(on: database, file: file) }
            let wasMarked = try StructureCheck.run(on: database)
            if disk == nil { try SchemaCheck.run(on: database) }
            isLogElsewhere = wasMarked && mayMissLog
            var lossOfPart = RecordLoss.found(by: found, in: try SQLStore.tally(of: database), wasOpen: wasMarked)
            // Whatever cannot be read here is missing in the sentence alone.
            try? lossOfPart?.findJobs(by: found, in: database)
            loss = lossOfWhole ?? lossOfOther ?? lossOfPart
        } catch {
            throw StoreError(error, path: path)
        }
        if isLogElsewhere { throw .logElsewhere(path, names: lock?.names ?? 1, name: nameWithLog) }
        if let loss, !mayAcceptLoss { throw .incomplete(path, loss) }
        do throws(SQLError) {
            try Migration.migrate(database, to: schema)
            pageSize = try database.number("PRAGMA page_size") ?? 0
            tally = try SQLStore.tally(of: database) ?? RecordTally()
            identity = RecordIdentity(of: database)?.number
        } catch {
            throw StoreError(error, path: path)
        }
        self.database = database
        missing = loss.map { Missing(loss: $0, found: found) }
        if let lock {
            (logPlace, indexPlace) = (FilePlace(file + "-wal"), FilePlace(file + "-shm"))
            lengths = FileLengths(pageSize: pageSize, record: lock.length ?? 0)
        }
    }

    /// Opens the file of a record that a store of this process has open already, or of a copy that nobody else knows, for reading alone.
    ///
    /// The reader has a connection of its own, and takes no lock: the store holds the locks for the whole process.
    init(reading path: String, file: String, on disk: (any RecordDisk)?) throws(StoreError) {
        self.path = path
        self.file = file
        self.disk = disk
        do throws(SQLError) {
            let database = try Database(path: file, vfs: disk?.name, isReadOnly: true)
            database.setBusyTimeout(milliseconds: 5000)
            try database.execute(
                "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(Self.readerCache)"
            )
            self.database = database
        } catch {
            throw StoreError(error, path: path)
        }
    }

    deinit {
        close()
    }

    /// The most KiB of pages that a reader keeps in memory.
    private static let readerCache = 4096

    /// Makes the file of the tally, once the record has nothing missing any more: from now on, a close saves the log.
    func endOpening() throws(StoreError) {
        // The tally has made a leap, which the index of the log has not.
        if missing != nil { indexLead = nil }
        tallyFile = try TallyFile(beside: file, on: disk, record: path, tally, identity: identity)
        database?.keepLogOnClose(false)
    }

    /// Notes what was acknowledged with a transaction that is on disk.
    func noteCommit(_ next: RecordTally) {
        guard next.commits != tally.commits else { return }
        tally = next
        tallyFile?.write(tally)
    }

    /// Looks at the files before the end of the store.
    ///
    /// - Returns: whether the mark of an open record has to be removed.
    func endsInOrder() -> Bool {
        // What is to be noted here is noted in `cut`.
        try? checkFiles()
        defer { isMarked = false }
        return cut == nil && isMarked && lock?.isInPlace != false
    }

    /// Closes the file and releases the locks; nothing else may have a statement of the database any more.
    func close() {
        // Closes the database before the locks: no other process may open the file while this process still writes.
        database = nil
        tallyFile = nil
        lock = nil
        placeLock = nil
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
}
