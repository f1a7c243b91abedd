@_spi(Baton) import BatonInvariants
import CBatonSQLite

/// A connection to an SQLite database; one thread at a time uses the connection and its statements.
final class Database {
    private let handle: OpaquePointer
    /// The file as SQLite has it open.
    private let file: UnsafeMutablePointer<sqlite3_file>?
    /// Whether statements are compiled on their first use: all together take longer than opening the database.
    ///
    /// Otherwise ``prepare(_:)`` finds tables that are not Baton's.
    let compilesOnUse: Bool
    /// How many pages the write-ahead log had after the last commit; SQLite writes it.
    private let pagesInLog: UnsafeMutablePointer<Int32>

    private static let leavesOutStatistics = baton_sqlite_leave_out_statistics() == SQLITE_OK

    /// Opens a database file, and creates a missing file.
    ///
    /// - Parameters:
    ///   - path: the file; a name with a special meaning in SQLite (`:memory:`) still means a file.
    ///   - vfs: the name by which SQLite knows a disk in memory, on which only Baton writes; nil for the files of the system.
    ///   - isReadOnly: whether to refuse a missing file, and all changes.
    convenience init(path: String, vfs: String? = nil, isReadOnly: Bool = false) throws(SQLError) {
        let file = path.hasPrefix("/") ? path : "./" + path
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try self.init(name: file, vfs: vfs, flags: access)
    }

    /// Opens a database file to read what is in the file itself, without its write-ahead log.
    ///
    /// SQLite then takes no lock, and makes and changes no file. While somebody copies the log into the file, the pages need not fit
    /// together.
    ///
    /// - Parameter file: the file, from the root of the file system on.
    convenience init(withoutLog file: String) throws(SQLError) {
        let plain = UInt8(ascii: "a")...UInt8(ascii: "z")
        let capital = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        var name = "file:"
        for byte in file.utf8 {
            if byte == UInt8(ascii: "/") || plain.contains(byte) || capital.contains(byte) || digits.contains(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        try self.init(name: name + "?immutable=1", vfs: nil, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    /// Makes an empty database in memory, which ends with the connection.
    static func inMemory() throws(SQLError) -> Database {
        try Database(name: ":memory:", vfs: nil, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    private init(name: String, vfs: String?, flags: Int32) throws(SQLError) {
        _ = Self.leavesOutStatistics
        compilesOnUse = vfs != nil
        var opened: OpaquePointer?
        let code = ResultCode(rawValue: sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs))
        guard let opened else { throw SQLError(code, "out of memory") }
        guard code == .ok else {
            let error = Self.error(code, of: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        _ = baton_sqlite_leave_out_triggers(opened)
        handle = opened
        file = baton_sqlite_file(opened)
        pagesInLog = .allocate(capacity: 1)
        pagesInLog.initialize(to: 0)
        // Replaces SQLite's own hook, which copies a long log into the file before the commit returns.
        sqlite3_wal_hook(
            handle,
            { count, _, _, pages in
                count?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            },
            pagesInLog
        )
    }

    deinit {
        // Statements keep their database alive, so no statement is open any more.
        sqlite3_close_v2(handle)
        pagesInLog.deallocate()
    }

    /// How many pages were written to the write-ahead log since its new beginning; 0 if none since the last copy.
    var logLength: Int { Int(pagesInLog.pointee) }

    /// Copies the write-ahead log into the file, except where a reader still uses the old pages.
    ///
    /// The rest stays in the log, which is just as safe, until the next time.
    func copyLog() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        pagesInLog.pointee = 0
    }

    /// Copies the write-ahead log into the file and frees the log's disk space, unless a reader uses the log now.
    func emptyLog() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        pagesInLog.pointee = 0
    }

    /// Copies all of the write-ahead log into the file, and forces the file to the disk.
    ///
    /// - Returns: whether the file has all that was committed.
    @discardableResult
    func saveLog() -> Bool {
        var (pages, copied): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, &pages, &copied)
        return code == SQLITE_OK && pages == copied
    }

    /// What the index of the write-ahead log says.
    struct LogIndex: Hashable {
        /// How many commits there were since the index was made; the lowest bits alone.
        var commits: UInt32
        /// How many frames belong to the log, each of which holds a page.
        var frames: Int64
        /// How many of them are in the file, too.
        var copied: Int64
        /// How many pages the database has; 0 if the log has never had a commit.
        var pages: Int64
    }

    /// Reads the index of the write-ahead log, which this connection must have used; nil if there is none.
    var logIndex: LogIndex? {
        guard let file else { return nil }
        var (commits, frames, copied, pages): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        guard baton_sqlite_read_log_index(file, &commits, &frames, &copied, &pages) != 0 else { return nil }
        return LogIndex(commits: commits, frames: Int64(frames), copied: Int64(copied), pages: Int64(pages))
    }

    /// The two random words that the index of the write-ahead log has of the present log (``LogFrames/salt(ofLogBeside:)``).
    var logSalt: UInt64? { file.map { baton_sqlite_read_log_salt($0) } }

    /// Sets whether the last connection leaves the write-ahead log as it is, where it would copy the log into the file and remove it.
    func keepLogOnClose(_ isKept: Bool) {
        _ = baton_sqlite_keep_log_on_close(handle, isKept ? 1 : 0)
    }

    /// Returns the memory of pages that can be read again, and other free memory, to the system.
    func giveBackMemory() {
        baton_sqlite_give_back_memory(handle)
    }

    /// Runs statements that return nothing, one after the other.
    func execute(_ sql: String) throws(SQLError) {
        let code = ResultCode(rawValue: sqlite3_exec(handle, sql, nil, nil, nil))
        guard code == .ok else { throw error(code) }
    }

    /// Makes a statement whose parameters have names.
    func prepare(_ sql: String) throws(SQLError) -> Statement {
        let statement = Statement(sql)
        try statement.attach(to: self)
        return statement
    }

    /// Compiles a statement.
    func compile(_ sql: String) throws(SQLError) -> OpaquePointer {
        var compiled: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = ResultCode(rawValue: sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil))
        guard code == .ok, let compiled else { throw error(code) }
        return compiled
    }

    /// Returns the first column of a statement's first row as a number; nil without a row, and for NULL.
    func number(_ sql: String) throws(SQLError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? try statement.optional(0, as: Int64.self) : nil
    }

    /// Runs a body whose changes are committed together, durably, or not at all.
    ///
    /// - Throws: the error of the body or of the commit; the database is then as before.
    func transaction<Value>(_ body: () throws(SQLError) -> Value) throws(SQLError) -> Value {
        invariant(sqlite3_get_autocommit(handle) != 0, "A transaction begins in another one.")
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            invariant(sqlite3_get_autocommit(handle) != 0, "A commit has not ended its transaction.")
            return value
        } catch {
            // Some errors (a full disk) roll back by themselves, and a second rollback would be an error.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// Sets how long to wait for another program's lock before a failure with `busy`.
    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Copies the whole database as it is at the first step into another one, in steps.
    ///
    /// The copy holds one reading transaction from the first step to the last: without it, a backup of SQLite begins anew after
    /// each commit of another process, and may never end. Commits go on meanwhile; the write-ahead log keeps their pages until
    /// the end of the copy.
    ///
    /// - Parameters:
    ///   - destination: an empty database.
    ///   - pages: how many pages a step copies.
    ///   - onStep: called after each step with the numbers of pages that are copied and that there are; false ends the copy.
    /// - Returns: whether the copy is whole; false after `onStep` has ended it.
    /// - Throws: the error, and whether it is one of the destination.
    /// - Complexity: O(bytes of the database), in constant memory.
    func copy(
        into destination: Database,
        pages: Int32,
        onStep: (_ copied: Int, _ count: Int) -> Bool
    ) throws(CopyError) -> Bool {
        do throws(SQLError) {
            try execute("BEGIN")
            _ = try number("SELECT count(*) FROM sqlite_schema")
        } catch {
            throw CopyError(error: error, isOfDestination: false)
        }
        defer { try? execute("ROLLBACK") }
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw CopyError(
                error: destination.error(ResultCode(rawValue: sqlite3_errcode(destination.handle))),
                isOfDestination: true
            )
        }
        var code = ResultCode.ok
        var goesOn = true
        while goesOn, code == .ok {
            code = ResultCode(rawValue: sqlite3_backup_step(backup, pages))
            let count = Int(sqlite3_backup_pagecount(backup))
            if code == .ok || code == .done {
                goesOn = onStep(count - Int(sqlite3_backup_remaining(backup)), count)
            }
        }
        let last = ResultCode(rawValue: sqlite3_backup_finish(backup))
        if code == .done, last == .ok { return true }
        guard last != .ok else { return false }
        // Damage and failures of reading are the original's; all else that can go wrong is a matter of writing. SQLite
        // gives the text of either to the destination.
        let isDamage = last.primary == .corrupt || last.primary == .notADatabase
        let isRead = isDamage || last == .unreadableFile || last == .shortFile
        throw CopyError(error: destination.error(last), isOfDestination: !isRead)
    }

    /// A failure of a copy.
    struct CopyError: Error {
        var error: SQLError
        /// Whether the copy could not be written; else the original could not be read.
        var isOfDestination: Bool
    }

    /// Returns the error of the last call.
    func error(_ code: ResultCode) -> SQLError { Self.error(code, of: handle) }

    private static func error(_ code: ResultCode, of handle: OpaquePointer) -> SQLError {
        SQLError(code, String(cString: sqlite3_errmsg(handle)), systemError: sqlite3_system_errno(handle))
    }
}
