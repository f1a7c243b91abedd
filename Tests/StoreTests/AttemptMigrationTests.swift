@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of a record of version 12, which knows no earlier attempts.
@Suite("A record of version 12", .timeLimit(.minutes(60)))
struct AttemptMigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }
    private let id = OperationID(1, 1)

    /// Makes a record as version 12 did: one operation waits for its second attempt, and one operation has no attempt.
    init() throws {
        directory = try TemporaryDirectory()
        let database = try Database(path: path)
        try Migration.migrate(database, with: Array(Migration.all.prefix(12)))
        try database.execute(
            """
            UPDATE meta SET value = 1 WHERE key = 'epoch';
            UPDATE meta SET value = 9000000 WHERE key = 'clock';
            INSERT INTO jobs (job, queue, operations, submitted_at, queue_names, queue_changes, submitted_clock)
                VALUES (1, 'default', 2, 1000000, '["default"]', '[]', 1000000);
            INSERT INTO templates VALUES (1, 0, '[["true"]]', NULL, NULL, '{"retries":3}');
            INSERT INTO entries VALUES (1, 0, 1, NULL, 0, 0, NULL, 0, '', NULL, NULL, NULL),
                (1, 1, 1, NULL, 0, 0, NULL, 0, '', NULL, NULL, NULL);
            INSERT INTO operations (job, first, last, state, is_cancelled, reason, message, exit_status, attempt, losses,
                    not_before, has_result, is_held, failures)
                VALUES (1, 1, 1, 'pending', 0, 'exit', 'It exited with status 1.', 1, 1, 0, 9000001, 0, 0, 1);
            """
        )
    }

    @Test("keeps its operations, lists no earlier attempts of them, and takes new ones")
    func isTakenOver() throws {
        do {
            let store = try SQLiteStore(path: path)
            let job = try #require(try store.open().jobs.first)
            #expect(try store.database?.number("PRAGMA user_version") == 18)
            #expect(job.records.map(\.attempt) == [1] && job.records.map(\.failures) == [1])
            #expect(try store.attempts(of: id).isEmpty)
            try store.commit([.attempt(id, .failed(2))])
        }
        let store = try SQLiteStore(path: path)
        _ = try store.open()
        #expect(try store.attempts(of: id) == [.failed(2)])
    }

    @Test("has earlier attempts that people can read through a view")
    func isReadable() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.open()
        try store.commit([.attempt(id, .failed(2))])
        store.close()
        let row = try Database(path: path).prepare(
            "SELECT operation || ' ' || attempt || ' ' || started_at || ' ' || ended_at || ' ' || reason FROM attempt_list"
        )
        let text = try row.first { row throws(SQLiteError) in try row.text(0) }
        #expect(text == "1/1 2 1970-01-01T00:00:02.000Z 1970-01-01T00:00:03.000Z exit")
    }
}
