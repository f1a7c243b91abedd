@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the record as people see it in other programs for SQLite.
@Suite("What people read in the record", .timeLimit(.minutes(60)))
struct ReadableRecordTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Commits changes and returns the texts of a statement's rows, with a bar between columns.
    private func texts(_ sql: String, after changes: [RecordChange]) throws -> [String] {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit(changes)
        store.close()
        let statement = try Database(path: path).prepare(sql)
        var texts: [String] = []
        try statement.forEach { row throws(SQLError) in
            var columns: [String] = []
            for column in 0..<statement.columnCount {
                columns.append(row.withBytes(column) { String(decoding: $0, as: UTF8.self) })
            }
            texts.append(columns.joined(separator: "|"))
            return true
        }
        return texts
    }

    @Test("Options have their names and their words")
    func options() throws {
        var job = JobRecord(2, [Entry(priority: .low, delay: .seconds(90), isBarrier: true)])
        job.submission.templates[0].work.timeout = .seconds(3600)
        job.submission.templates[0].work.environment = ["A": "b"]
        job.submission.templates[0].retries = 3
        let found = try texts(
            "SELECT t.settings, e.settings FROM templates t JOIN entries e ON e.job = t.job",
            after: [.job(job)]
        )
        #expect(
            found == [
                #"{"cwd":"/tmp","env":{"A":"b"},"retries":3,"stdin":"/dev/null","timeout":"1h"}"#
                    + #"|{"barrier":1,"delay":"1m30s","priority":-4}"#
            ]
        )
        #expect(try SQLStore(path: path).open().jobs.map(\.job) == [job])
    }

    @Test("The argument of a Swift operation is a text where it can be one")
    func arguments() throws {
        let arguments: [[UInt8]] = [Array(#"{"width":3}"#.utf8), [0xFF, 0xFE], [0x61, 0, 0x62], []]
        var job = JobRecord(4, arguments.indices.map { Entry(template: $0) })
        job.submission.templates = arguments.map { Template(work: Work(.typed(type: "resize", argument: $0))) }
        let found = try texts(
            "SELECT type, typeof(argument), iif(typeof(argument) = 'text', argument, '') FROM templates ORDER BY template",
            after: [.job(job)]
        )
        #expect(found == [#"resize|text|{"width":3}"#, "resize|blob|", "resize|blob|", "resize|text|"])
        #expect(try SQLStore(path: path).open().jobs.map(\.job) == [job])
    }

    @Test("The earlier attempts of operations are in a view")
    func attempts() throws {
        let job = JobRecord(1, [Entry(), Entry()])
        let found = try texts(
            "SELECT operation, attempt, started_at, ended_at, reason FROM attempt_list",
            after: [.job(job), .attempt(OperationID(1, 1), .failed(2))]
        )
        #expect(found == ["1/1|2|1970-01-01T00:00:02.000Z|1970-01-01T00:00:03.000Z|exit"])
    }

    @Test("The failed operations are in a view, with the groups of their failures")
    func failures() throws {
        var failed = OperationRecord.finished(1, 1, .failed)
        failed.exitStatus = 2
        failed.reason = Reason(.exit, "It exited with status 2.")
        let found = try texts(
            "SELECT operation, failure_group, reason, exit_status, line FROM failure_list",
            after: [
                .job(JobRecord(1, [Entry(), Entry()])), .operation(failed),
                .output(failed.id, AttemptOutput(attempt: 1, "", error: "row 7 is bad")),
            ]
        )
        #expect(found == ["1/1|1|exit|2|row # is bad"])
    }
}
