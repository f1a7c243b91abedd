import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Records of older versions", .timeLimit(.minutes(60)))
struct MigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    /// Makes the record as version 1 did, with rows of each kind.
    init() throws {
        directory = try TemporaryDirectory()
        let database = try Database(path: path)
        try Migration.migrate(database, with: Array(Migration.all.prefix(1)))
        try database.execute(
            """
            UPDATE meta SET value = 4 WHERE key = 'epoch';
            UPDATE meta SET value = 2 WHERE key = 'finished_succeeded';
            INSERT INTO queues VALUES ('images', 4, 'utility'), ('default', NULL, NULL);
            INSERT INTO jobs VALUES
                (1, 'old', NULL, 'default', 2, 1000000, 5000000, 2, 0, 0, 0, '["default"]', '[]'),
                (2, 'thumbnails', 'nightly', 'images', 5, 2000000, NULL, NULL, NULL, NULL, NULL, '["images","default"]',
                    '[{"name":"images","maxConcurrent":4}]'),
                (3, NULL, NULL, 'default', 1, 3000000, NULL, NULL, NULL, NULL, NULL, '["default"]', '[]');
            INSERT INTO templates VALUES
                (1, 0, NULL, '{}', NULL, NULL, NULL, NULL, 0, 1000000, NULL),
                (2, 0, '[["convert","{}"]]', '{"A":"b"}', '/tmp', '/dev/null', 60000000, 5000000, 2, 1000000, 'background'),
                (3, 0, '[["true"]]', '{}', NULL, NULL, NULL, NULL, 0, 1000000, NULL);
            INSERT INTO entries VALUES
                (1, 0, 2, NULL, 0, 0, 0, NULL, '', 'numbers', 0, 1),
                (2, 0, 1, 'fetch', 0, 0, 4, NULL, '', NULL, NULL, NULL),
                (2, 1, 3, 'each', 0, 1, 0, 9000000, 'success /0, any 1', 'lines', NULL, NULL),
                (2, 4, 1, NULL, 0, 0, -8, NULL, 'any /1', NULL, NULL, NULL),
                (3, 0, 1, NULL, 0, 0, 0, NULL, 'failure 2/4', NULL, NULL, NULL);
            INSERT INTO array_items VALUES (2, 1, 0, '["x","y","z"]');
            INSERT INTO operations VALUES
                (1, 0, 0, 'finished', 'succeeded', 0, NULL, NULL, 0, NULL, 1, 0, 4398046511105, 'w1', 1, 2, 3, NULL, 1),
                (1, 1, 1, 'finished', 'succeeded', 0, NULL, NULL, 0, NULL, 1, 0, 4398046511106, 'w1', 1, 2, 3, NULL, 0),
                (2, 0, 0, 'executing', NULL, 1, 'exit', 'exited with status 3', 3, NULL, 2, 1, 4398046511107, 'w2',
                    4000000, 5000000, NULL, NULL, 0),
                (2, 1, 3, 'ready', NULL, 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 6000000, NULL, NULL, NULL, 0);
            INSERT INTO outputs VALUES (1, 0, 1, 3, x'6F7574', 0, x'', x'72');
            """
        )
    }

    /// The unfinished jobs, as they were.
    private var jobs: [JobRecord] {
        let work = Work(
            .commands([["convert", "{}"]]),
            environment: ["A": "b"],
            directory: "/tmp",
            standardInput: "/dev/null",
            timeout: .seconds(60),
            gracePeriod: .after(.seconds(5))
        )
        let each = Entry(
            name: "each",
            queue: 1,
            delay: .seconds(9),
            dependencies: [
                Dependency(on: .entry(0), condition: .success), Dependency(on: .existing(.job(JobNumber(1)))),
            ],
            array: .lines(["x", "y", "z"])
        )
        let second = Submission(
            name: "thumbnails",
            key: "nightly",
            queueChanges: [QueueChange(name: "images", maxConcurrent: .atMost(4))],
            queueNames: ["images", "default"],
            templates: [Template(work: work, retries: 2, qualityOfService: .background)],
            entries: [
                Entry(name: "fetch", priority: .high), each,
                Entry(priority: .veryLow, dependencies: [Dependency(on: .entry(1))]),
            ]
        )
        let last = Dependency(on: .existing(.operation(OperationID(2, 4))), condition: .failure)
        let third = Submission(
            templates: [Template(work: Work(.commands([["true"]]), gracePeriod: .forever))],
            entries: [Entry(dependencies: [last])]
        )
        return [
            JobRecord(number: JobNumber(2), submittedAt: .at(2), order: 1, submission: second),
            JobRecord(number: JobNumber(3), submittedAt: .at(3), order: 6, submission: third),
        ]
    }

    private var records: [OperationRecord] {
        var executing = OperationRecord(id: OperationID(2, 0), state: .executing)
        executing.isCancelled = true
        executing.reason = Reason(.exit, "exited with status 3")
        executing.exitStatus = 3
        executing.attempt = 2
        executing.losses = 1
        executing.token = RecordToken(epoch: 4, serial: 3)
        executing.worker = "w2"
        executing.readyAt = .at(4)
        executing.startedAt = .at(5)
        var ready = OperationRecord(id: OperationID(2, 1), count: 3, state: .ready)
        ready.readyAt = .at(6)
        return [executing, ready]
    }

    @Test("A record of version 1 is migrated with all its contents, and nothing in it is held or suspended")
    func isTakenOver() throws {
        let store = try SQLiteStore(path: path)
        let state = try store.open()
        #expect(try store.database?.number("PRAGMA user_version") == TestStore.newestVersion)
        #expect(state.epoch == 5 && state.nextJob == JobNumber(4))
        #expect(state.finished == JobCounts(succeeded: 2))
        let images = QueueSettings(maxConcurrent: 4, qualityOfService: .utility)
        #expect(state.queues == ["images": QueueRecord(settings: images), "default": QueueRecord()])
        #expect(
            state.jobs == [RestoredJob(job: jobs[0], records: records), RestoredJob(job: jobs[1], records: [])]
        )
        let end = DependencyEnd(.succeeded, hasResult: true)
        #expect(state.dependencyEnds == [.job(JobNumber(1)): end])
        #expect(state.hooks.isEmpty && state.nextEvent == 1)
        // The record's clock continues from the last known event.
        #expect(state.clock == .at(5))
        // The workers with sessions are unknown, so the coordinator waits for an unnamed worker that never comes.
        #expect(state.workers == ["": WorkerRecord()] && state.starts.keys.sorted() == [5])
        #expect(try store.events(after: 0, limit: 10).isEmpty)
        #expect(try store.job(withKey: "nightly")?.number == JobNumber(2))
        #expect(try store.result(of: OperationID(1, 0)) == Array("r".utf8))
        #expect(try store.dependenciesWithResults(of: OperationID(2, 2)).map(\.fileName) == ["1.0"])
        #expect(try store.job(JobNumber(1))?.startedAt == Timestamp(rawValue: 2))
        #expect(try store.job(JobNumber(2))?.startedAt == nil)
        let page = try store.operations(of: JobNumber(2), from: 0, limit: 10)
        #expect(page.map(\.priority) == [.high, .normal, .normal, .normal, .veryLow])
        #expect(page.map(\.arrayItem) == [nil, "x", "y", "z", nil])
        #expect(page.map(\.arrayNumber) == [nil, 0, 1, 2, nil])
        #expect(
            page.allSatisfy {
                !$0.record.isHeld && !$0.entry.isBarrier && $0.template.onFinish == nil
                    && $0.record.priorityChange == nil
            }
        )
        #expect(page.allSatisfy { $0.template.restart == .onLoss })
        #expect(try store.operations(named: "fetch", in: JobNumber(2)) == 0..<1)
        #expect(try store.operations(named: "each", in: JobNumber(2)) == 1..<4)
    }

    @Test("A migrated record keeps the order of its jobs before new jobs, also after some of them have finished")
    func keepsItsOrder() throws {
        var new = JobRecord(4, [Entry(isHeld: true), Entry()])
        new.order = 7
        do {
            let store = try SQLiteStore(path: path)
            #expect(try store.open().jobs.map(\.job.order) == [1, 6])
            try store.commit([.job(new), .jobFinished(JobNumber(2), JobCounts(succeeded: 5), .at(9))])
        }
        let jobs = try SQLiteStore(path: path).open().jobs
        #expect(jobs.map(\.job.number.rawValue) == [3, 4])
        #expect(jobs.map(\.job.order) == [1, 7])
        #expect(jobs.last?.job == new)
    }

    @Test("A migrated record keeps changes that only later versions know")
    func takesNewRecords() throws {
        var held = OperationRecord(id: OperationID(2, 2))
        held.isHeld = true
        held.priorityChange = OperationRecord.PriorityChange(priority: .veryHigh, order: 12)
        let dependencies = [Dependency(on: .entry(0)), Dependency(on: .entry(2), condition: .failure)]
        let event = ClusterEvent(sequence: 1, time: .at(1), subject: .worker("w1", .alive))
        let queue = QueueRecord(settings: QueueSettings(isSuspended: true, total: 7), completed: 3)
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.open()
            try store.commit([
                .operation(held), .dependencies(OperationID(2, 3), dependencies), .event(event),
                .commands(OperationID(2, 3), [["a"], ["b"]]), .queue("default", queue),
            ])
        }
        let store = try SQLiteStore(path: path)
        let state = try store.open()
        #expect(state.queues["default"] == queue)
        #expect(state.nextEvent == 2)
        let job = try #require(state.jobs.first)
        #expect(job.records.map(\.id.index) == [0, 1, 2, 3] && job.records[2] == held)
        #expect(job.dependencies == [3: dependencies])
        #expect(job.commands == [3: [["a"], ["b"]]])
        #expect(try store.events(after: 0, limit: 1) == [event])
        #expect(try store.operations(of: JobNumber(2), from: 2, limit: 1).first?.priority == .veryHigh)
    }

    @Test("A migrated record keeps Swift operations, and stores readable arguments as text")
    func takesTypedOperations() throws {
        let arguments: [[UInt8]] = [Array(#"{"width":3}"#.utf8), [0xFF, 0xFE], [0x61, 0, 0x62], []]
        let job = JobRecord(
            number: JobNumber(4),
            submittedAt: .at(9),
            order: 7,
            submission: Submission(
                templates: arguments.map { Template(work: Work(.typed(type: "resize", argument: $0))) },
                entries: arguments.indices.map { Entry(template: $0) }
            )
        )
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.open()
            try store.commit([.job(job)])
        }
        let jobs = try SQLiteStore(path: path).open().jobs
        #expect(jobs.last?.job.submission == job.submission)
        let database = try Database(path: path)
        let rows = try database.prepare(
            "SELECT type, typeof(argument), argument FROM templates WHERE job = 4 ORDER BY template"
        )
        var found: [String] = []
        try rows.forEach { row throws(SQLiteError) in
            found.append(
                try row.text(0) + " " + row.text(1) + " " + String(decoding: row.optionalBytes(2) ?? [], as: UTF8.self)
            )
            return true
        }
        #expect(found.map { $0.split(separator: " ")[1] } == ["text", "blob", "blob", "text"])
        #expect(found[0] == #"resize text {"width":3}"#)
    }
}

extension TestStore {
    /// The version of a record that this build has opened.
    static var newestVersion: Int64? { Migration.all.last.map { Int64($0.version) } }
}
