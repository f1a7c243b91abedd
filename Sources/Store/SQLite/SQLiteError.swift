import CBatonSQLite

/// A call into SQLite that failed, or a value on disk that makes no sense (code `corrupt`).
struct SQLiteError: Error, Hashable, Sendable {
    /// What SQLite returned.
    var code: ResultCode
    /// SQLite's own sentence about it.
    var message: String
    /// The system's error number behind it; 0 where there is none.
    var systemError: Int32

    /// Describes a failure.
    init(_ code: ResultCode, _ message: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// Something on disk that no version of Baton wrote.
    static func damaged(_ message: String) -> SQLiteError {
        SQLiteError(.corrupt, message)
    }
}
