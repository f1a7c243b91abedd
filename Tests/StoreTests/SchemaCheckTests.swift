import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Records whose tables somebody has changed: SQLite would take away what was acknowledged, and report success.
@Suite("The tables of a record", .timeLimit(.minutes(60)))
struct SchemaCheckTests {
    private let directory: TemporaryDirectory
    private let files = FileManager.default
    private var path: String { directory.file("baton.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func makeRecord() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...2 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        store.close()
    }

    private func failure(_ body: () throws(StoreError) -> Void) -> StoreError? {
        do throws(StoreError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A record, or a backup, whose tables somebody has changed is refused with a sentence, and stays as it is",
        arguments: [
            ("CREATE TRIGGER t BEFORE INSERT ON jobs BEGIN SELECT raise(IGNORE); END", "it has the trigger t"),
            ("CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM jobs WHERE job < 3; END", "it has the trigger t"),
            ("DROP INDEX jobs_by_key", "it has no index jobs_by_key of the table jobs"),
            ("DROP INDEX jobs_by_key; CREATE INDEX jobs_by_key ON jobs (key)", "its index jobs_by_key"),
            ("DROP VIEW job_list", "it has no view job_list"),
            ("DROP VIEW job_list; CREATE VIEW job_list AS SELECT job FROM jobs", "its view job_list"),
            (
                "ALTER TABLE jobs ADD COLUMN note TEXT NOT NULL DEFAULT ''",
                "it has the column named note of the table jobs"
            ),
            ("ALTER TABLE jobs ADD COLUMN n TEXT CHECK (n = 'x')", "its table jobs"),
            ("CREATE UNIQUE INDEX one_name ON jobs (name)", "it has the index one_name of the table jobs"),
            ("DROP TABLE drains", "of the table drains"),
            (
                "DROP TABLE hook_ends; CREATE TABLE hook_ends (job INTEGER NOT NULL, operation INTEGER NOT NULL, worker TEXT, "
                    + "started_at INTEGER, ended_at INTEGER NOT NULL, reason TEXT, message TEXT, exit_status INTEGER, signal INTEGER, "
                    + "stderr TEXT NOT NULL, PRIMARY KEY (job, operation) ON CONFLICT IGNORE) STRICT, WITHOUT ROWID",
                "its table hook_ends"
            ),
        ] as [(String, String)]
    )
    func changed(sql: String, words: String) throws {
        try makeRecord()
        let whole = directory.file("whole.db")
        _ = try RecordBackup(of: path, to: whole).write()
        do { try Database(path: path).execute(sql) }
        let backup = directory.file("backup.db")
        try files.copyItem(atPath: path, toPath: backup)
        let before = try #require(files.contents(atPath: path))
        let another = directory.file("another.db")
        let restored = directory.file("restored.db")
        let errors = [
            failure { () throws(StoreError) in try SQLStore(path: path, acceptingLossAt: .at(9)).close() },
            failure { () throws(StoreError) in _ = try RecordBackup(of: path, to: another).write() },
            failure { () throws(StoreError) in _ = try RecordRestore(of: backup, to: restored).perform(at: .at(9)) },
        ]
        for error in errors {
            #expect(error?.code == .unreadable, "\(String(describing: error))")
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
        #expect(files.contents(atPath: path) == before)
        #expect(!files.fileExists(atPath: another))
        #expect(!files.fileExists(atPath: restored))
        // A backup from before the change takes its place.
        _ = try RecordRestore(of: whole, to: path).perform(at: .at(9))
        #expect(try SQLStore(path: path).open().jobs.count == 2)
    }

    @Test("A trigger that is made under a coordinator takes no job away, and the next start refuses it")
    func triggerWhileOpen() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit([.job(JobRecord(1, [Entry()]))])
        let other = try Database(path: path)
        try other.execute("CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END")
        try store.commit([.job(JobRecord(2, [Entry()]))])
        #expect(try store.jobs(before: nil, limit: 10).map(\.number) == [JobNumber(2), JobNumber(1)])
        store.close()
        let refusal = try #require(throws: StoreError.self) { try SQLStore(path: path) }
        #expect(refusal.code == .unreadable, "\(refusal)")
    }

    @Test("What a person has added for queries is left alone")
    func additions() throws {
        try makeRecord()
        let sql = "CREATE TABLE notes (note TEXT UNIQUE); CREATE VIEW names AS SELECT name FROM jobs;"
        do { try Database(path: path).execute(sql + "CREATE INDEX jobs_by_name ON jobs (name); ANALYZE") }
        #expect(try SQLStore(path: path).open().jobs.count == 2)
        _ = try RecordBackup(of: path, to: directory.file("backup.db")).write()
    }
}
