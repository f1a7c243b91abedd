/// A step from one version of the tables to the next.
struct Migration: Sendable {
    /// The statements of the step; they run in one transaction.
    var sql: String

    /// Marks a file as a record of Baton (`PRAGMA application_id`): the letters `BATN`.
    static let applicationID: Int64 = 0x4241_544E

    /// Brings a record to the version of a schema, and makes its tables in an empty database, in one transaction.
    ///
    /// - Throws: `corrupt` if the database belongs to another program, or to a version of Baton that is newer than the schema or
    ///   older than all its migrations.
    static func migrate(_ database: Database, to schema: Schema) throws(SQLError) {
        let application = try database.number("PRAGMA application_id") ?? 0
        let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard application == applicationID || (application == 0 && isEmpty) else {
            throw .damaged("it is a database of another program")
        }
        let present = isEmpty ? Int64(schema.version) : try database.number("PRAGMA user_version") ?? 0
        guard present <= schema.version else {
            throw .damaged(
                "it was written by a newer Baton (version \(present); this one knows up to \(schema.version))"
            )
        }
        guard present >= schema.oldestVersion else {
            throw .damaged(
                "it was written by an older Baton (version \(present); this one knows from \(schema.oldestVersion) on)"
            )
        }
        // Only an empty file can be set up to become smaller again.
        if isEmpty { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        // The tables of another program's file must not be touched, so this comes after the checks.
        guard
            try database.prepare("PRAGMA journal_mode = WAL").first({ row throws(SQLError) in try row.text(0) })
                == "wal"
        else {
            throw SQLError(.cannotOpen, "its file system does not allow a write-ahead log")
        }
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -65536;
            PRAGMA journal_size_limit = 67108864;
            """
        )
        let steps = isEmpty ? [schema.tables] : schema.migrations.suffix(schema.version - Int(present)).map(\.sql)
        guard !steps.isEmpty else { return }
        try database.transaction { () throws(SQLError) in
            for step in steps { try database.execute(step) }
            try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(schema.version)")
        }
    }
}
