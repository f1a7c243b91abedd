/// A step from one version of the tables to the next.
struct Migration: Sendable {
    /// The version after the step, from 1.
    var version: Int
    /// The statements of the step; they run in one transaction.
    var sql: String
}

extension Migration {
    /// All steps, in order.
    static let all: [Migration] = [
        Migration(version: 1, sql: Schema.version1),
        Migration(version: 2, sql: Schema.version2),
        Migration(version: 3, sql: Schema.version3),
        Migration(version: 4, sql: Schema.version4),
        Migration(version: 5, sql: Schema.version5),
        Migration(version: 6, sql: Schema.version6),
        Migration(version: 7, sql: Schema.version7),
        Migration(version: 8, sql: Schema.version8),
        Migration(version: 9, sql: Schema.version9),
        Migration(version: 10, sql: Schema.version10),
        Migration(version: 11, sql: Schema.version11),
        Migration(version: 12, sql: Schema.version12),
        Migration(version: 13, sql: Schema.version13),
        Migration(version: 14, sql: Schema.version14),
        Migration(version: 15, sql: Schema.version15),
        Migration(version: 16, sql: Schema.version16),
        Migration(version: 17, sql: Schema.version17),
        Migration(version: 18, sql: Schema.version18),
        Migration(version: 19, sql: Schema.version19),
        Migration(version: 20, sql: Schema.version20),
        Migration(version: 21, sql: Schema.version21),
        Migration(version: 22, sql: Schema.version22),
        Migration(version: 23, sql: Schema.version23),
    ]

    /// Marks a file as a record of Baton (`PRAGMA application_id`): the letters `BATN`.
    static let applicationID: Int64 = 0x4241_544E

    /// Brings a database to the newest version, and creates the tables in an empty database.
    ///
    /// - Throws: `corrupt` if the database belongs to another program or to a newer version of Baton.
    static func migrate(_ database: Database, with migrations: [Migration]) throws(SQLiteError) {
        let application = try database.number("PRAGMA application_id") ?? 0
        let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard application == applicationID || (application == 0 && isEmpty) else {
            throw .damaged("it is a database of another program")
        }
        let present = try database.number("PRAGMA user_version") ?? 0
        let newest = migrations.last?.version ?? 0
        guard present <= newest else {
            throw .damaged("it was written by a newer Baton (version \(present); this one knows up to \(newest))")
        }
        // Only an empty file can be set up to become smaller again.
        if isEmpty { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        // The tables of another program's file must not be touched, so this comes after the checks.
        guard
            try database.prepare("PRAGMA journal_mode = WAL").first({ row throws(SQLiteError) in try row.text(0) })
                == "wal"
        else {
            throw SQLiteError(.cannotOpen, "its file system does not allow a write-ahead log")
        }
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -65536;
            PRAGMA journal_size_limit = 67108864;
            """
        )
        for migration in migrations where migration.version > present {
            try database.transaction { () throws(SQLiteError) in
                try database.execute(migration.sql)
                try database.execute("PRAGMA application_id = \(applicationID)")
                try database.execute("PRAGMA user_version = \(migration.version)")
            }
        }
    }
}
