import CBatonSQLite

/// A failed call into SQLite, or an invalid value on disk (code `corrupt`).
struct SQLError: Error, Hashable, Sendable {
    /// SQLite's result code.
    var code: ResultCode
    /// SQLite's message.
    var message: String
    /// The system's error number behind the failure; 0 for none.
    var systemError: Int32

    /// Describes a failure.
    init(_ code: ResultCode, _ message: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// Returns the error for data on disk that no version of Baton wrote.
    static func damaged(_ message: String) -> SQLError {
        SQLError(.corrupt, message)
    }
}
