import CBatonSQLite

/// The result code of a call into SQLite.
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
}
