import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Versions of the record", .timeLimit(.minutes(60)))
struct MigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    /// The tables of an invented next version, which has a further column and a further table.
    private static let next = successor(
        of: .current,
        "ALTER TABLE jobs ADD COLUMN note TEXT; CREATE TABLE notes (note TEXT) STRICT;",
        "UPDATE jobs SET note = name || '!'; INSERT INTO notes SELECT note FROM jobs"
    )

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The next version of a schema.
    private static func successor(of schema: Schema, _ changes: String, _ contents: String) -> Schema {
        Schema(
            version: schema.version + 1,
            tables: schema.tables + changes,
            migrations: schema.migrations + [Migration(sql: changes + contents)]
        )
    }

    private func failure(opening schema: Schema) throws -> StoreError {
        try #require(throws: StoreError.self) { try SQLStore(path: path, schema: schema) }
    }

    private func texts(_ sql: String, at path: String? = nil) throws -> [String] {
        var texts: [String] = []
        try Database(path: path ?? self.path).prepare(sql).forEach { row throws(SQLError) in
            texts.append(try row.text(0))
            return true
        }
        return texts
    }

    private func version() throws -> Int64? { try Database(path: path).number("PRAGMA user_version") }

    /// Makes a record of the present version with a job.
    private func makeRecord() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit([.job(JobRecord(1, name: "old", [Entry(name: "a"), Entry()]))])
    }

    @Test("A new record is of the present version, after a single commit", arguments: [Schema.current, next])
    func isNew(_ schema: Schema) throws {
        let store = try SQLStore(path: path, schema: schema)
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        func word(_ offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        // A frame of the log that ends a commit has the size of the database in the second word of its header.
        let frames = stride(from: 32, to: log.count, by: 24 + word(8))
        #expect(frames.filter { word($0 + 4) != 0 }.count == 1)
        store.close()
        #expect(try version() == Int64(schema.version))
        #expect(try Database(path: path).number("PRAGMA application_id") == Migration.applicationID)
    }

    @Test("A record that no commit has reached is new to the next coordinator")
    func isEmpty() throws {
        do {
            let database = try Database(path: path)
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            _ = try database.prepare("PRAGMA journal_mode = WAL").step()
        }
        try makeRecord()
        #expect(try Database(path: path).number("PRAGMA auto_vacuum") == 2)
    }

    @Test("A record of the version before is migrated once, with all its contents")
    func isMigrated() throws {
        try makeRecord()
        for epoch in UInt32(2)...3 {
            let store = try SQLStore(path: path, schema: Self.next)
            let state = try store.open()
            #expect(state.epoch == epoch)
            #expect(state.jobs.map(\.job) == [JobRecord(1, name: "old", [Entry(name: "a"), Entry()])])
        }
        #expect(try version() == Int64(Self.next.version))
        #expect(try texts("SELECT note FROM jobs UNION ALL SELECT note FROM notes") == ["old!", "old!"])
        #expect(try texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test("A migrated record has the tables of a new one")
    func isLikeNew() throws {
        try makeRecord()
        let new = directory.file("new.db")
        for path in [path, new] { try SQLStore(path: path, schema: Self.next).close() }
        let tables = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        #expect(try texts(tables) == texts(tables, at: new))
    }

    /// Takes back what version 7 added.
    private static let backToSixth = """
        DROP VIEW file_list;
        DROP TABLE files;
        DROP TABLE fetches;
        DROP INDEX jobs_keeping_files;
        ALTER TABLE operations DROP COLUMN has_files;
        PRAGMA user_version = 6;
        """

    /// Takes back what versions 3 to 7 added.
    private static let backToSecond = """
        \(backToSixth)
        DELETE FROM meta WHERE key IN ('first_ordered_job', 'identity');
        ALTER TABLE hooks DROP COLUMN is_cancelled;
        DROP TABLE hook_ends;
        ALTER TABLE meta DROP COLUMN commits;
        ALTER TABLE attempts DROP COLUMN token;
        ALTER TABLE attempts DROP COLUMN memory;
        ALTER TABLE attempts DROP COLUMN timeout_us;
        DROP TABLE pauses;
        ALTER TABLE queues DROP COLUMN rate;
        DROP TABLE schedules;
        DROP TABLE shared_limits;
        PRAGMA user_version = 2;
        """

    /// Removes what only version 4 and later ones have beside a record.
    private func removeTally() throws { try FileManager.default.removeItem(atPath: path + "-tally") }

    @Test("A record of version 1 is migrated: its jobs keep their ends, and an empty job can end as cancelled")
    func isMigratedFromFirst() throws {
        let columns = "SELECT name || type || \"notnull\" || coalesce(dflt_value, '') FROM pragma_table_info('jobs')"
        let view = "SELECT sql FROM sqlite_schema WHERE name = 'job_list'"
        let ended = JobNumber(2)
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit([.job(JobRecord(1, [Entry()])), .job(JobRecord(2, []))])
            try store.commit([.jobFinished(ended, JobCounts(), .at(9))])
        }
        let hookTables =
            "SELECT m.name || c.name || c.type || \"notnull\" FROM sqlite_schema m, pragma_table_info(m.name) c "
            + "WHERE m.name IN ('hooks', 'hook_ends') ORDER BY 1"
        let (newColumns, newView, newHooks) = (try texts(columns), try texts(view), try texts(hookTables))
        try Database(path: path).execute(
            """
            DROP VIEW job_list;
            ALTER TABLE jobs DROP COLUMN was_cancelled;
            CREATE VIEW job_list AS SELECT job FROM jobs;
            \(Self.backToSecond)
            PRAGMA user_version = 1;
            """
        )
        try removeTally()
        let store = try SQLStore(path: path)
        #expect(try store.open().jobs.map(\.job.number) == [JobNumber(1)])
        #expect(try store.job(ended)?.ending == .succeeded)
        var cancelled = JobCounts()
        cancelled.isCancelled = true
        try store.commit([.job(JobRecord(3, [])), .jobFinished(JobNumber(3), cancelled, .at(10))])
        #expect(try store.job(JobNumber(3))?.ending == .cancelled(OperationID(3, 0)))
        store.close()
        #expect(try version() == Int64(Schema.current.version))
        #expect(try texts(hookTables) == newHooks)
        #expect(try texts(columns) == newColumns && texts(view) == newView)
        #expect(try texts("SELECT coalesce(outcome, '') FROM job_list") == ["", "succeeded", "cancelled"])
    }

    @Test("Only jobs of before the migration may have been sent before their release was on disk")
    func firstOrderedJob() throws {
        do {
            let store = try SQLStore(path: path)
            #expect(try store.open().firstOrderedJob == JobNumber(1))
            try store.commit([.job(JobRecord(1, [Entry()])), .job(JobRecord(2, [Entry()]))])
        }
        try Database(path: path).execute(Self.backToSecond)
        try removeTally()
        for _ in 1...2 { #expect(try SQLStore(path: path).open().firstOrderedJob == JobNumber(3)) }
    }

    @Test("A record of version 6 has no files, and takes some once it is migrated")
    func filesAfterMigration() throws {
        let tables = """
            SELECT m.type || m.name || coalesce(c.name, '') FROM sqlite_schema m LEFT JOIN pragma_table_info(m.name) c
            ORDER BY 1
            """
        let id = OperationID(1, 0)
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit([.job(JobRecord(1, [Entry(name: "a"), Entry()])), .operation(.finished(1, 0))])
        }
        let new = try texts(tables)
        try Database(path: path).execute(Self.backToSixth)
        do {
            let store = try SQLStore(path: path)
            #expect(try store.open().jobs.first?.files == [])
            #expect(try store.operations(of: id.job, from: 0, limit: 9).allSatisfy { !$0.record.hasFiles })
            var record = OperationRecord.finished(1, 0)
            record.hasFiles = true
            try store.commit([.files(id, attempt: 1, [.sample("a")]), .operation(record)])
            #expect(try store.files(of: id) == [.sample("a")])
        }
        #expect(try texts(tables) == new)
        #expect(try version() == Int64(Schema.current.version))
        #expect(try SQLStore(path: path).open().jobs.first?.files.first?.operation == id)
    }

    @Test("A migration over several versions that fails leaves the record unchanged")
    func isKept() throws {
        try makeRecord()
        let broken = Self.successor(of: Self.next, "", "DROP TABLE jobs; SELECT nothing FROM nowhere")
        #expect(try failure(opening: broken).code == .other)
        #expect(try version() == Int64(Schema.current.version))
        #expect(try SQLStore(path: path).open().jobs.count == 1)
    }

    @Test("A record of a newer version is refused with both versions in the sentence, and left unchanged")
    func refusesNewer() throws {
        try SQLStore(path: path, schema: Self.next).close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = try failure(opening: .current)
        #expect(error.code == .unreadable)
        let versions = "version \(Self.next.version); this one knows up to \(Schema.current.version)"
        #expect(error.description.contains("newer Baton (\(versions))"), "\(error)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(
        "A record of an older version without a migration is refused with both versions in the sentence, and left unchanged"
    )
    func refusesOlder() throws {
        try makeRecord()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        var later = Self.successor(of: Self.next, "", "SELECT 1")
        later.migrations.removeFirst(Schema.current.migrations.count + 1)
        let error = try failure(opening: later)
        #expect(error.code == .unreadable)
        let versions = "version \(Schema.current.version); this one knows from \(Self.next.version) on"
        #expect(error.description.contains("older Baton (\(versions))"), "\(error)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
