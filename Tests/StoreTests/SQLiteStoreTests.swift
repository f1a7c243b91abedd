import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The record in SQLite", .timeLimit(.minutes(60)))
struct SQLStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The kind and sentence of an error at the opening of a path.
    private func failure(opening path: String) throws -> StoreError {
        try #require(throws: StoreError.self) { try SQLStore(path: path).open() }
    }

    @Test("The record finds each of a thousand names with common beginnings")
    func findsNames() throws {
        let store = try SQLStore(path: path)
        let names = (0..<500).flatMap {
            ["common beginning of all \($0 * 7919 % 500)", "common beginning of all names \($0)"]
        }
        let entries = names.map { Entry(name: $0.replacing(" ", with: "-")) } + [Entry(), Entry(name: "common")]
        try store.commit([.job(JobRecord(1, entries)), .job(JobRecord(2, [Entry()]))])
        for (position, entry) in entries.enumerated() {
            guard let name = entry.name else { continue }
            let index = UInt32(position)
            #expect(try store.operations(named: name, in: JobNumber(1)) == index..<index + 1)
        }
        #expect(try store.operations(named: "common-", in: JobNumber(1)) == nil)
        #expect(try store.operations(named: "common", in: JobNumber(2)) == nil)
    }

    @Test("Tidying up copies a long log into the file, and leaves a short log")
    func copiesItsLog() throws {
        let store = try SQLStore(path: path)
        try store.commit([.job(JobRecord(1, [Entry()]))])
        let database = try #require(store.database)
        store.tidyUp()
        #expect((1..<200).contains(database.logLength))
        let result = String(repeating: "r", count: 1 << 20)
        try store.commit(
            (1...40).map { .output(OperationID(1, 0), AttemptOutput(attempt: $0, "", result: result)) }
        )
        #expect(database.logLength > 40 << 8)
        store.tidyUp()
        #expect(database.logLength == 0)
        #expect(try store.output(of: OperationID(1, 0), attempt: 40)?.result == Array(result.utf8))
    }

    // MARK: Opening

    @Test("A record in use is refused with the number of the process that uses it")
    func refusesASecondStore() throws {
        let store = try SQLStore(path: path)
        let error = try failure(opening: path)
        #expect(error.code == .inUse)
        #expect(
            error.description.hasPrefix(
                "The record \(path) is in use by another coordinator (process \(ProcessInfo.processInfo.processIdentifier))."
            )
        )
        store.close()
        _ = try SQLStore(path: path).open()
    }

    @Test("A new record gets missing directories and a file for its owner alone")
    func makesDirectories() throws {
        let nested = directory.file("state/of/baton/baton.db")
        _ = try SQLStore(path: nested).open()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(directory.file("state")) == 0o700)
        #expect(try mode(directory.file("state/of/baton")) == 0o700)
        #expect(try mode(nested) == 0o600)
    }

    @Test("A path that cannot be a record is refused with a sentence that names the path")
    func refusesImpossiblePaths() throws {
        try Data("text".utf8).write(to: URL(fileURLWithPath: directory.file("file")))
        try FileManager.default.createDirectory(atPath: directory.file("directory"), withIntermediateDirectories: true)
        let paths = [
            directory.file("file/baton.db"), directory.file("directory"), "/proc/no/such/baton.db", "",
            directory.file("new/"),
        ]
        for path in paths {
            let error = try failure(opening: path)
            #expect(error.code == .notAccessible, "\(path): \(error)")
            #expect(error.description.contains("The record \(path) cannot be opened or written: "), "\(error)")
        }
    }

    @Test("A file that is no database is refused and left unchanged")
    func refusesOtherFiles() throws {
        let text = Data(String(repeating: "This is no database. ", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        #expect(try failure(opening: path).code == .unreadable)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }

    @Test("A database of another program is refused and left unchanged")
    func refusesOtherDatabases() throws {
        do {
            let other = try Database(path: path)
            try other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = try failure(opening: path)
        #expect(error.code == .unreadable && error.description.contains("another program"), "\(error)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("A record whose tables differ is refused with the name of the missing column")
    func refusesOtherTables() throws {
        do {
            let store = try SQLStore(path: path)
            try store.database?.execute("ALTER TABLE outputs RENAME COLUMN result TO lost")
        }
        let error = try failure(opening: path)
        #expect(error.code == .unreadable && error.description.contains("no column named result"), "\(error)")
    }

    @Test("A closed record refuses queries")
    func refusesQuestionsWhenClosed() throws {
        let store = try SQLStore(path: path)
        store.close()
        store.close()
        let error = try #require(throws: StoreError.self) { try store.job(JobNumber(1)) }
        #expect(error.description == "The record \(path) is closed. Open it again.")
    }

    // MARK: Failures

    @Test("A failed commit keeps nothing, and the next commit succeeds")
    func rollsBack() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit([.job(JobRecord(1, key: "once", [Entry()]))])
        let error = try #require(throws: StoreError.self) {
            try store.commit([
                .operation(.finished(1, 0)), .queue("q", QueueRecord()), .job(JobRecord(2, key: "once", [Entry()])),
            ])
        }
        #expect(error.code == .other)
        #expect(try store.dependencyEnd(of: .operation(OperationID(1, 0))) == nil)
        #expect(try store.job(JobNumber(2)) == nil)
        try store.commit([.operation(.finished(1, 0)), .job(JobRecord(2, [Entry()]))])
        #expect(try store.dependencyEnd(of: .operation(OperationID(1, 0))) != nil)
        #expect(try store.open().queues.isEmpty)
    }

    @Test("A commit on a full disk fails with a sentence and keeps nothing, and succeeds once there is room")
    func survivesAFullDisk() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        let database = try #require(store.database)
        let pages = try #require(try database.number("PRAGMA page_count"))
        _ = try database.number("PRAGMA max_page_count = \(pages + 2)")
        let big = JobRecord(1, (0..<5000).map { Entry(name: "operation\($0)") })
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) { try store.commit([.job(big)]) }
            #expect(error.code == .full)
            #expect(error.description.hasPrefix("The disk is full: nothing more can be kept in the record \(path)."))
            #expect(try store.job(JobNumber(1)) == nil)
        }
        try store.commit([.queue("small", QueueRecord())])
        _ = try database.number("PRAGMA max_page_count = 100000")
        try store.commit([.job(big)])
        #expect(try store.open().jobs.map(\.job) == [big])
    }

    @Test(
        "A record with a damaged value is refused as unreadable",
        arguments: [
            "UPDATE entries SET dependencies = 'success of somebody'", "UPDATE entries SET dependencies = 'any /77'",
            "UPDATE entries SET dependencies = 'any /99999999999'", "UPDATE entries SET dependencies = 'any /3,'",
            "UPDATE entries SET dependencies = 'any '", "UPDATE entries SET dependencies = ' '",
            "UPDATE entries SET count = 0", "UPDATE entries SET count = -1",
            "UPDATE entries SET first = 5 WHERE first = 0",
            "UPDATE entries SET count = 4294967295", "UPDATE entries SET template = 5",
            "UPDATE entries SET template = -1",
            "UPDATE entries SET queue = 9", "UPDATE entries SET settings = '{\"priority\":3}'",
            "UPDATE entries SET settings = '{\"priority\":300}'",
            "UPDATE entries SET array = 'pairs'", "UPDATE entries SET array = 'lines'", "DELETE FROM array_items",
            "UPDATE array_items SET items = '[1]'", "UPDATE array_items SET position = 1",
            "UPDATE templates SET commands = '[]'", "UPDATE templates SET commands = '[[]]'",
            "UPDATE templates SET commands = '{\"a'", "UPDATE templates SET settings = '[]'",
            "UPDATE templates SET settings = '{\"env\":[]}'", "UPDATE templates SET settings = '{\"env\":{\"A\":1}}'",
            "UPDATE templates SET settings = '{\"retries\":70000}'",
            "UPDATE templates SET settings = '{\"qos\":\"best\"}'",
            "UPDATE templates SET settings = '{\"luck\":1}'", "UPDATE templates SET settings = '{\"hold\":1}'",
            "UPDATE entries SET settings = '{\"luck\":1}'", "UPDATE entries SET settings = '{\"retries\":1}'",
            "UPDATE jobs SET queue_names = '{}'",
            "UPDATE jobs SET queue_changes = '[{\"name\":\"q\",\"maxConcurrent\":\"many\"}]'",
            "UPDATE jobs SET name = CAST(x'FF' AS TEXT)", "UPDATE jobs SET job = -5",
            "UPDATE jobs SET job = 4294967295",
            "UPDATE operations SET state = 'waiting'", "UPDATE operations SET outcome = NULL",
            "UPDATE operations SET outcome = 'won'", "UPDATE operations SET state = 'ready'",
            "UPDATE operations SET last = 4000", "UPDATE operations SET last = -1", "UPDATE operations SET first = 3",
            "UPDATE operations SET reason = 'bad luck'", "UPDATE operations SET reason = 'exit', message = NULL",
            "UPDATE operations SET attempt = -1", "UPDATE operations SET failures = -1",
            "UPDATE operations SET failures = attempt + 1", "UPDATE jobs SET may_miss_attempts = 2",
            "UPDATE operations SET has_result = 2", "DELETE FROM meta",
            "UPDATE queues SET quality_of_service = 'best'", "UPDATE meta SET value = 16777216 WHERE key = 'epoch'",
            "UPDATE queues SET rate = '10'", "UPDATE jobs SET queue_changes = '[{\"name\":\"q\",\"rate\":7}]'",
            "UPDATE queues SET is_suspended = 2", "UPDATE queues SET completed = -1",
            "UPDATE jobs SET queue_changes = '[{\"name\":\"q\",\"isSuspended\":2}]'",
            "UPDATE jobs SET queue_changes = '[{\"name\":\"q\",\"total\":\"all\"}]'",
            "UPDATE jobs SET first_order = -1", "UPDATE templates SET settings = '{\"onFinish\":[]}'",
            "UPDATE templates SET settings = '{\"onFinish\":[1]}'", "UPDATE entries SET settings = '{\"hold\":2}'",
            "UPDATE entries SET settings = '{\"barrier\":-1}'", "UPDATE entries SET is_cancelled = 7",
            "UPDATE entries SET array = 'picked' WHERE array = 'lines'",
            "UPDATE entries SET array = 'lines' WHERE array = 'picked'",
            "UPDATE array_items SET numbers = '[\"x\",\"y\"]' WHERE first = 3",
            "UPDATE array_items SET numbers = '[1]' WHERE first = 3", "UPDATE array_items SET numbers = '[1,2,3]'",
            "UPDATE operations SET is_held = 2", "UPDATE operations SET level = 3",
            "UPDATE operations SET level = 300", "UPDATE operations SET level_order = NULL",
            "UPDATE operations SET level_order = -1", "UPDATE operation_dependencies SET dependencies = 'any /2'",
            "UPDATE operation_dependencies SET dependencies = 'any'",
            "UPDATE operation_dependencies SET operation = 77",
            "UPDATE hooks SET operation = 77", "UPDATE hooks SET job = 5", "UPDATE hooks SET job = -1",
            "UPDATE hooks SET outcome = 'won'", "UPDATE hooks SET attempt = -1",
            "UPDATE templates SET settings = NULL", "UPDATE events SET last = -5",
            "UPDATE events SET last = 9223372036854775807", "UPDATE jobs SET operations = 6",
            "UPDATE jobs SET operations = 0", "UPDATE jobs SET submitted_clock = 9223372036854775807",
            "UPDATE jobs SET first_order = 9223372036854775807", "UPDATE templates SET template = 1",
            "UPDATE templates SET settings = '{\"timeout\":-1}'",
            "UPDATE templates SET settings = '{\"retryDelay\":\"1\"}'",
            "UPDATE entries SET settings = '{\"delay\":-1}'", "UPDATE entries SET dependencies = 'any 7'",
            "UPDATE operations SET finished_at = -9223372036854775808",
            "UPDATE operations SET level_order = 9223372036854775807", "UPDATE queues SET max_concurrent = -1",
            "UPDATE queues SET total = -1", "UPDATE meta SET value = -1 WHERE key = 'finished_failed'",
            "UPDATE meta SET value = -9223372036854775808 WHERE key = 'clock'", "DELETE FROM meta WHERE key = 'clock'",
            "DELETE FROM entries WHERE first = 1", "DELETE FROM entries WHERE first = 3",
        ]
    )
    func reportsDamage(_ damage: String) throws {
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            let lines = Entry(array: .lines(["x", "y"]))
            let picked = Entry(array: .picked(["x", "y"].map { ArrayValues.Element(number: 5, item: $0) }))
            let job = JobRecord(
                1,
                onFinish: ["notify"],
                [Entry(dependencies: [Dependency(on: .entry(1))]), lines, picked]
            )
            var record = OperationRecord.finished(1, 2)
            record.priorityChange = OperationRecord.PriorityChange(priority: .high, order: 9)
            let hook = try #require(job.hook(of: lines, at: 1, 2))
            let event = ClusterEvent(sequence: 1, time: .at(1), subject: .worker("w1", .alive))
            try store.commit([
                .job(job), .operation(record), .queue("q", QueueRecord()), .hook(hook), .event(event),
                .dependencies(OperationID(1, 0), [Dependency(on: .entry(2))]),
            ])
            try store.database?.execute(damage)
        }
        let error = try failure(opening: path)
        #expect(error.code == .unreadable)
        #expect(error.description.hasPrefix("The file \(path) cannot be read as a record of Baton: "), "\(error)")
        // Pages say so too, or do not meet the damage; neither may trap.
        guard let store = try? SQLStore(path: path) else { return }
        _ = try? store.operations(of: JobNumber(1), from: 0, limit: 10)
        _ = try? store.dependenciesWithResults(of: OperationID(1, 0), calledBy: .number)
        _ = try? store.restoredJob(JobNumber(1))
        _ = try? store.events(after: 0, limit: 1000)
    }

    @Test(
        "A record with randomly overwritten bytes is opened, or refused as unreadable, and no query traps",
        arguments: 0..<20
    )
    func survivesOverwrittenBytes(_ run: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            let entries = (0..<200).map { Entry(name: "operation\($0)", array: random.maybe { $0.array() }) }
            let job = JobRecord(1, onFinish: ["notify"], entries)
            try store.commit([.job(job)] + (0..<200).map { .operation(.finished(1, $0)) })
            try store.commit(
                (UInt32(0)..<200).flatMap { index -> [RecordChange] in
                    let id = OperationID(1, index)
                    let event = ClusterEvent(
                        sequence: UInt64(index) + 1,
                        time: .at(1),
                        subject: .operations(id, count: 1, .cancelled)
                    )
                    return [.event(event), .dependencies(id, [Dependency(on: .entry(7))])]
                        + (random.hook(of: job, index).map { [.hook($0)] } ?? [])
                }
            )
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<Int.random(in: 1...2000, using: &random) {
            bytes[Int.random(in: 100..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        if random.chance(30) { bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &random)) }
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
            let store = try SQLStore(path: path)
            _ = try? store.open()
            _ = try? store.operations(of: JobNumber(1), from: 0, limit: 1000)
            _ = try? store.restoredJob(JobNumber(1))
            _ = try? store.events(after: 0, limit: 1000)
            _ = try? store.commit([.operation(.finished(1, 7, count: 50, .cancelled))])
        } catch {
            #expect(error.code == .unreadable, "seed \(seed): \(error)")
        }
    }

    // MARK: What stands in the file

    @Test("A commit writes readable rows that another connection sees, in WAL mode with full synchronisation")
    func isReadable() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        let sepia = Entry(
            name: "sepia",
            priority: .high,
            dependencies: [Dependency(on: .entry(1), condition: .success)]
        )
        let entries = [sepia, Entry()]
        var record = OperationRecord.finished(1, 0, .failed)
        record.reason = Reason(.exit, "exited with status 3")
        record.token = RecordToken(epoch: 3, serial: 1042)
        try store.commit([.job(JobRecord(1, name: "thumbnails", entries)), .operation(record)])

        let reader = try Database(path: path)
        func row(_ sql: String) throws -> [String?] {
            let columns = try #require(
                try reader.prepare(sql).first { row throws(SQLError) in
                    (0..<row.columnCount).map { column in
                        row.isNull(column) ? nil : row.withBytes(column) { String(decoding: $0, as: UTF8.self) }
                    }
                }
            )
            return columns
        }
        #expect(try row("SELECT name, queue FROM jobs WHERE job = 1") == ["thumbnails", "default"])
        #expect(try row("SELECT commands FROM templates") == ["[[\"true\"]]"])
        #expect(try row("SELECT dependencies FROM entries WHERE name = 'sepia'") == ["success /1"])
        #expect(
            try row("SELECT state, outcome, reason, message FROM operations")
                == ["finished", "failed", "exit", "exited with status 3"]
        )
        #expect(
            try row("SELECT operation, name, queue, outcome, token, finished_at FROM operation_list")
                == ["1/0", "sepia", "default", "failed", "3.1042", "1970-01-01T00:01:40.000Z"]
        )
        #expect(try row("SELECT priority, is_held FROM operation_list") == ["4", "0"])
        var changed = OperationRecord(id: OperationID(1, 0))
        changed.priorityChange = OperationRecord.PriorityChange(priority: .veryLow, order: 12)
        changed.isHeld = true
        let dependencies = [Dependency(on: .entry(1)), Dependency(on: .existing(.operation(OperationID(3, 4))))]
        try store.commit([.operation(changed), .dependencies(OperationID(1, 0), dependencies)])
        #expect(try row("SELECT priority, is_held FROM operation_list") == ["-8", "1"])
        #expect(try row("SELECT dependencies FROM operation_dependencies") == ["any /1, any 3/4"])
        #expect(try row("SELECT state, submitted_at FROM job_list") == ["unfinished", "1970-01-01T00:00:01.000Z"])
        #expect(try row("PRAGMA journal_mode") == ["wal"])
        #expect(try store.database?.number("PRAGMA synchronous") == 2)
    }

    @Test("An array of a million operations takes one row in each table")
    func keepsArraysSmall() throws {
        let store = try SQLStore(path: path)
        let array = Entry(array: .numbers(first: 1, step: 1, count: 1_000_000))
        let database = try #require(store.database)
        let job = JobRecord(1, [array])
        try store.commit([.job(job), .operation(.finished(1, 0, count: 1_000_000, .skipped))])
        for table in ["jobs", "templates", "entries", "operations"] {
            #expect(try database.number("SELECT count(*) FROM \(table)") == 1)
        }
    }

    /// All statements of a database.
    private func statements(of database: Database) throws -> [Statement] {
        let statements = try Statements(database).all
        #expect(statements.count > 100)
        return statements
    }

    @Test("Every parameter of a statement has a name by which the store gives it a value")
    func parameterNames() throws {
        let store = try SQLStore(path: path)
        var used: Set<String> = []
        for statement in try statements(of: try #require(store.database)) where statement.parameterCount > 0 {
            let names = (1...statement.parameterCount).map { statement.parameterName($0) }
            #expect(!names.contains(nil), "\(statement.sql)")
            if statement.isOfColumns { continue }
            used.formUnion(names.compactMap { $0 })
            #expect(Set(names.compactMap { $0 }).isSubset(of: Parameter.names), "\(statement.sql)")
        }
        #expect(used == Set(Parameter.names))
    }

    @Test("Every statement on a large table finds its rows through a key or an index")
    func scansNothing() throws {
        let store = try SQLStore(path: path)
        let database = try #require(store.database)
        for statement in try statements(of: database) {
            // A plan needs no values.
            let plan = Statement(form: .writes { [] }) { "EXPLAIN QUERY PLAN " + statement.sql }
            try plan.attach(to: database)
            try plan.forEach { row throws(SQLError) in
                let step = try row.text(3)
                let isAllowed =
                    !step.contains("SCAN") || step == "SCAN queues" || step.hasSuffix("INDEX unfinished_jobs")
                    || step.hasSuffix("INDEX jobs_keeping_files")
                    || step == "SCAN hooks" || step == "SCAN workers" || step == "SCAN starts" || step == "SCAN drains"
                    || step == "SCAN pauses"
                    || step == "SCAN shared_limits"
                    || step == "SCAN queue_totals" || step == "SCAN schedules" || step == "SCAN CONSTANT ROW"
                #expect(isAllowed, "\(step): \(statement.sql)")
                #expect(!step.contains("TEMP B-TREE"), "\(step): \(statement.sql)")
                return true
            }
        }
    }
}
