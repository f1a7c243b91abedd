import CBatonPostgreSQL

/// The functions of libpq, which is loaded when the first record on PostgreSQL is opened.
enum PostgreSQLLibrary {
    /// Returns the functions, and loads the library before if that has not happened yet; on any thread.
    ///
    /// - Throws: `library` if the host has no libpq, or one without pipelines.
    static func load() throws(SQLError) -> UnsafePointer<cpostgresql> {
        var failure: UnsafePointer<CChar>?
        guard let functions = cpostgresql_load(&failure) else {
            throw SQLError(.library, failure.map { String(cString: $0) } ?? "")
        }
        return functions
    }
}
