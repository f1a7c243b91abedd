@_spi(Baton) import BatonOperations
import Foundation
import Testing

@_spi(Baton) @testable import BatonStore

/// Version 12 gathered the options of operations in one column.
@Suite("A record of version 11", .timeLimit(.minutes(60)))
struct OptionMigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    /// Makes the record as version 11 did, with and without each option.
    init() throws {
        directory = try TemporaryDirectory()
        let database = try Database(path: path)
        try Migration.migrate(database, with: Array(Migration.all.prefix(11)))
        try database.execute(
            """
            UPDATE meta SET value = 4 WHERE key = 'epoch';
            INSERT INTO jobs (job, name, queue, operations, submitted_at, queue_names, queue_changes, first_order,
                    submitted_clock)
                VALUES (1, 'all', 'default', 5, 1000000, '["default"]', '[]', 1, 1000000);
            INSERT INTO templates (job, template, commands, environment, directory, standard_input, timeout_us, grace_us,
                    retries, retry_delay_us, quality_of_service, on_finish, restart, type, argument)
                VALUES
                (1, 0, '[["true"]]', '{}', NULL, NULL, NULL, 5000000, 0, 1000000, NULL, NULL, 'onLoss', NULL, NULL),
                (1, 1, '[["a","{}"],["b"]]', '{"A":"","B":"\\"x\\"","Ä":"{}"}', '/a "b"', '/dev/null', 90000001, NULL, 65535,
                    0, 'userInitiated', '["sh","-c","tell"]', 'never', NULL, NULL),
                (1, 2, NULL, '{"PATH":"/bin"}', '/tmp', NULL, NULL, 0, 1, 2000000, NULL, NULL, 'onLoss', 'resize', '{"w":1}'),
                (1, 3, NULL, '{}', NULL, NULL, NULL, 5000000, 0, 1000000, NULL, NULL, 'onLoss', NULL, NULL);
            INSERT INTO entries (job, first, count, name, template, queue, priority, delay_us, dependencies, array, array_first,
                    array_step, is_held, is_barrier, is_cancelled)
                VALUES
                (1, 0, 1, 'plain', 0, 0, 0, NULL, '', NULL, NULL, NULL, 0, 0, 0),
                (1, 1, 1, 'full', 1, 0, -8, 9000001, 'success /0', NULL, NULL, NULL, 1, 1, 1),
                (1, 2, 2, 'each', 2, 0, 4, 0, '', 'numbers', 5, 2, 0, 0, 0),
                (1, 4, 1, NULL, 3, 0, 0, NULL, '', NULL, NULL, NULL, 1, 0, 0);
            INSERT INTO entry_names VALUES (1, 'each', 2), (1, 'full', 1), (1, 'plain', 0);
            INSERT INTO operations (job, first, last, state, is_cancelled, attempt, losses, has_result, is_held)
                VALUES (1, 1, 1, 'pending', 1, 0, 0, 0, 1), (1, 2, 3, 'ready', 0, 0, 0, 0, 0);
            """
        )
    }

    /// The submission, as it was.
    private var submission: Submission {
        let full = Work(
            .commands([["a", "{}"], ["b"]]),
            environment: ["A": "", "B": "\"x\"", "Ä": "{}"],
            directory: "/a \"b\"",
            standardInput: "/dev/null",
            timeout: .microseconds(90_000_001),
            gracePeriod: .forever
        )
        let typed = Work(
            .typed(type: "resize", argument: Array(#"{"w":1}"#.utf8)),
            environment: ["PATH": "/bin"],
            directory: "/tmp",
            gracePeriod: .after(.zero)
        )
        return Submission(
            name: "all",
            templates: [
                Template(work: Work(.commands([["true"]]))),
                Template(
                    work: full,
                    retries: .max,
                    retryDelay: .zero,
                    restart: .never,
                    qualityOfService: .userInitiated,
                    onFinish: ["sh", "-c", "tell"]
                ),
                Template(work: typed, retries: 1, retryDelay: .seconds(2)),
                Template(work: Work(.noOperation)),
            ],
            entries: [
                Entry(name: "plain"),
                Entry(
                    name: "full",
                    template: 1,
                    priority: .veryLow,
                    delay: .microseconds(9_000_001),
                    isHeld: true,
                    isBarrier: true,
                    isCancelled: true,
                    dependencies: [Dependency(on: .entry(0), condition: .success)]
                ),
                Entry(
                    name: "each",
                    template: 2,
                    priority: .high,
                    delay: .zero,
                    array: .numbers(first: 5, step: 2, count: 2)
                ),
                Entry(template: 3, isHeld: true),
            ]
        )
    }

    @Test("keeps all options of its operations")
    func keepsOptions() throws {
        let store = try SQLiteStore(path: path)
        let state = try store.open()
        #expect(try store.database?.number("PRAGMA user_version") == 18)
        let job = try #require(state.jobs.first)
        #expect(job.job.submission == submission)
        #expect(job.records.map(\.id.index) == [1, 2])
        let page = try store.operations(of: JobNumber(1), from: 0, limit: 10)
        #expect(page.map(\.priority) == [.normal, .veryLow, .high, .high, .normal])
        #expect(page.map(\.entry.name) == ["plain", "full", "each", "each", nil])
        #expect(page.map(\.record.isHeld) == [false, true, false, false, true])
        #expect(try store.operations(named: "each", in: JobNumber(1)) == 2..<4)
    }

    @Test("can be read by people afterwards, also through the views")
    func isReadable() throws {
        try SQLiteStore(path: path).close()
        let database = try Database(path: path)
        func texts(_ sql: String) throws -> [String] {
            var texts: [String] = []
            try database.prepare(sql).forEach { row throws(SQLiteError) in
                texts.append(row.isNull(0) ? "-" : try row.text(0))
                return true
            }
            return texts
        }
        #expect(
            try texts("SELECT settings FROM entries ORDER BY first")
                == [
                    "-", #"{"priority":-8,"delay":9000001,"hold":1,"barrier":1}"#, #"{"priority":4,"delay":0}"#,
                    #"{"hold":1}"#,
                ]
        )
        #expect(try texts("SELECT settings FROM templates ORDER BY template")[0] == "-")
        #expect(try texts("SELECT settings ->> '$.cwd' FROM templates ORDER BY template")[1] == "/a \"b\"")
        #expect(try texts("SELECT CAST(priority AS TEXT) FROM operation_list ORDER BY operation") == ["-8", "4"])
        #expect(try texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test("takes new jobs, whose options are told by their names")
    func takesNewJobs() throws {
        var job = JobRecord(2, [Entry(priority: .low, delay: .seconds(90), isBarrier: true)])
        job.submission.templates[0].work.timeout = .seconds(3600)
        job.submission.templates[0].work.environment = ["A": "b"]
        job.submission.templates[0].retries = 3
        job.order = 6
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.open()
            try store.commit([.job(job)])
        }
        let database = try Database(path: path)
        let row = try database.prepare(
            "SELECT t.settings, e.settings FROM templates t JOIN entries e ON e.job = t.job WHERE t.job = 2"
        )
        let found = try row.first { row throws(SQLiteError) in [try row.text(0), try row.text(1)] }
        #expect(
            found == [
                #"{"cwd":"/tmp","env":{"A":"b"},"retries":3,"stdin":"/dev/null","timeout":"1h"}"#,
                #"{"barrier":1,"delay":"1m30s","priority":-4}"#,
            ]
        )
        #expect(try SQLiteStore(path: path).open().jobs.last?.job == job)
    }
}
