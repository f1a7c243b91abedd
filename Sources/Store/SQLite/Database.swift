import CBatonSQLite

/// A connection to an SQLite database; it and its statements belong to one thread at a time.
final class Database {
    private let handle: OpaquePointer
    /// How many pages the write-ahead log had after the last commit; SQLite writes it.
    private let pagesInLog: UnsafeMutablePointer<Int32>

    private static let leavesOutStatistics = baton_sqlite_leave_out_statistics() == SQLITE_OK

    /// Opens a database file, creating it where there is none.
    ///
    /// - Parameter path: the file; a name that SQLite would understand otherwise (`:memory:`) is still taken as a file's.
    init(path: String) throws(SQLiteError) {
        _ = Self.leavesOutStatistics
        let file = path.hasPrefix("/") ? path : "./" + path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = ResultCode(rawValue: sqlite3_open_v2(file, &opened, flags, nil))
        guard let opened else { throw SQLiteError(code, "out of memory") }
        guard code == .ok else {
            let error = Self.error(code, of: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        handle = opened
        pagesInLog = .allocate(capacity: 1)
        pagesInLog.initialize(to: 0)
        // In place of SQLite's own, which copies a long log into the file before the commit returns.
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
        // Statements keep their database alive, so none is open any more.
        sqlite3_close_v2(handle)
        pagesInLog.deallocate()
    }

    /// How many pages were written to the write-ahead log since it began anew, or 0 if nothing was since it was copied last.
    var logLength: Int { Int(pagesInLog.pointee) }

    /// Copies the write-ahead log into the file, as far as nobody reads what that would replace.
    ///
    /// What cannot be copied stays in the log, which is as good a place, until the next time.
    func copyLog() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        pagesInLog.pointee = 0
    }

    /// Copies the write-ahead log into the file, and gives back the room that it takes, unless somebody reads it just now.
    func emptyLog() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        pagesInLog.pointee = 0
    }

    /// Gives the memory of pages that can be read again, and what else is free, back to the system.
    func giveBackMemory() {
        baton_sqlite_give_back_memory(handle)
    }

    /// Runs statements that return nothing, one after the other.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = ResultCode(rawValue: sqlite3_exec(handle, sql, nil, nil, nil))
        guard code == .ok else { throw error(code) }
    }

    /// Compiles a statement that is to be run often.
    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var compiled: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = ResultCode(rawValue: sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil))
        guard code == .ok, let compiled else { throw error(code) }
        return Statement(compiled, of: self)
    }

    /// The first column of the first row that a statement gives, as a number; nil where there is no row or a NULL.
    func number(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? try statement.optional(0, as: Int64.self) : nil
    }

    /// Runs a body whose changes are kept together, durably, or not at all.
    ///
    /// - Throws: what the body threw, or why the changes cannot be kept; the database is then as it was before.
    func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // Some errors (a full disk) roll back by themselves, and a second time would be an error of its own.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// Waits this long for another program's lock before giving up with `busy`.
    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// What went wrong in the last call.
    func error(_ code: ResultCode) -> SQLiteError { Self.error(code, of: handle) }

    private static func error(_ code: ResultCode, of handle: OpaquePointer) -> SQLiteError {
        SQLiteError(code, String(cString: sqlite3_errmsg(handle)), systemError: sqlite3_system_errno(handle))
    }
}
