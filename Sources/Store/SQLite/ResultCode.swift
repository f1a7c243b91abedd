import CBatonSQLite

/// The result code of a call into SQLite, or what it would be of a call to PostgreSQL.
struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The extended code.
    let rawValue: Int32

    /// The code without its extension: the low eight bits.
    var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    static let ok = ResultCode(rawValue: SQLITE_OK)
    /// An invalid statement, by its syntax or for the existing tables.
    static let statement = ResultCode(rawValue: SQLITE_ERROR)
    static let permission = ResultCode(rawValue: SQLITE_PERM)
    static let busy = ResultCode(rawValue: SQLITE_BUSY)
    static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
    static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    /// A file that cannot be read (`SQLITE_IOERR_READ`).
    static let unreadableFile = ResultCode(rawValue: SQLITE_IOERR | 1 << 8)
    /// A file that ends too early (`SQLITE_IOERR_SHORT_READ`), such as an empty log in the place of another.
    static let shortFile = ResultCode(rawValue: SQLITE_IOERR | 2 << 8)
    static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    static let full = ResultCode(rawValue: SQLITE_FULL)
    static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    static let row = ResultCode(rawValue: SQLITE_ROW)
    static let done = ResultCode(rawValue: SQLITE_DONE)

    // What only a server can fail with, in numbers that SQLite leaves free.

    /// The library for the server cannot be loaded.
    static let library = ResultCode(rawValue: 0xE0)
    /// The server does not answer, or has no room, or is about to end: nothing has happened, and a later try may succeed.
    static let unreachable = ResultCode(rawValue: 0xE1)
    /// Another coordinator leads.
    static let deposed = ResultCode(rawValue: 0xE2)
    /// The record lacks commits that were acknowledged.
    static let wentBack = ResultCode(rawValue: 0xE3)
    /// Another coordinator holds the record.
    static let led = ResultCode(rawValue: 0xE4)
    /// The server, or what stands before it, cannot keep a record.
    static let unsuitable = ResultCode(rawValue: 0xE5)
    /// The schema has tables of something else.
    static let foreign = ResultCode(rawValue: 0xE6)
}
