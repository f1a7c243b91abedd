import Foundation
@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

/// Copies of records between files and servers.
@Suite("Transfers of a record", .timeLimit(.minutes(60)))
struct RecordTransferTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasSuffix(".lock") }.sorted()
    }

    @discardableResult
    private func copy(_ from: RecordPlace, _ to: RecordPlace, keepingOriginal: Bool = false) throws -> RecordContents {
        var transfer = try RecordTransfer(from: from, to: to, keepingOriginal: keepingOriginal)
        return try transfer.run { _ in true }
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// Fills a record at random, so that most tables have rows.
    ///
    /// - Returns: the number of jobs.
    private func fill(_ store: SQLStore, seed: UInt64) throws -> UInt32 {
        var random = SplitMix(seed: seed)
        _ = try store.open()
        let count = UInt32.random(in: 3...40, using: &random)
        var event: UInt64 = 1
        for number in 1...count {
            let submission = random.submission(number: number)
            let job = JobRecord(
                number: JobNumber(number),
                submittedAt: random.time(),
                order: UInt64(number) << 32,
                submission: submission
            )
            var changes: [RecordChange] = [.job(job), .totals(random.totals()), .queue(random.name(1), QueueRecord())]
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let record = random.record(job: number, operations: submission.operationCount)
                let id = record.id
                changes.append(.operation(record))
                changes.append(.attempt(id, random.attempt(.random(in: 1...9, using: &random))))
                var output = AttemptOutput(attempt: 1, random.text(), error: random.text(), result: random.text())
                output.usage = AttemptUsage(processorMicroseconds: 7, peakMemory: .max)
                changes.append(.output(id, output))
                changes.append(.files(id, attempt: 1, random.files()))
                changes.append(.commands(id, random.commands()))
                changes.append(.dependencies(id, random.dependencies(job: number, entries: submission.entries.count)))
                if let hook = random.hook(of: job, id.index) { changes.append(.hook(hook)) }
                if random.chance(30) { changes.append(.hookDone(id, .succeeded)) }
                changes.append(.pause(id, PauseRecord(since: random.time())))
                let next = random.event(event)
                event += next.count
                changes.append(.event(next))
            }
            if random.chance(40) {
                changes.append(.jobFinished(job.number, JobCounts(succeeded: submission.operationCount), .at(5)))
            }
            changes.append(.limit(LimitChange("l\(number)", units: number)))
            let worker = WorkerRecord(id: WorkerID(rawValue: random.next()), life: WorkerLife(rawValue: 7))
            changes.append(.worker("w\(number)", worker))
            changes.append(.clock(.at(Int64(number)), at: .at(Int64(number))))
            try store.commit(changes)
        }
        return count
    }

    /// All rows of a file, by table, as SQLite writes values; but for the epoch, which a copy raises.
    private func rows(of path: String) throws -> [String: [String]] {
        let database = try Database(path: path, isReadOnly: true)
        var tables: [String: [String]] = [:]
        for shape in Schema.shapes {
            let values = shape.columns.map { "quote(\($0.name))" }.joined(separator: " || ',' || ")
            let key = shape.key.joined(separator: ", ")
            let condition = shape.name == "meta" ? "WHERE key NOT IN ('epoch', 'is_open')" : ""
            var rows: [String] = []
            let statement = try database.prepare("SELECT \(values) FROM \(shape.name) \(condition) ORDER BY \(key)")
            try statement.forEach { row throws(SQLError) in
                rows.append(try row.text(0))
                return true
            }
            tables[shape.name] = rows
        }
        return tables
    }

    private func epoch(of path: String) throws -> Int64? {
        try Database(path: path, isReadOnly: true).number("SELECT value FROM meta WHERE key = 'epoch'")
    }

    @Test(
        "A record has the same rows after its way to other places",
        arguments: 1...5 as ClosedRange<UInt64>,
        PostgreSQLServer.isThere ? [false, true] : [false]
    )
    func keepsAllRows(seed: UInt64, isOverServer: Bool) throws {
        let schema = isOverServer ? try TemporarySchema() : nil
        let store = try SQLStore(path: path)
        let jobs = try fill(store, seed: seed)
        store.close()
        let before = (rows: try rows(of: path), epoch: try #require(try epoch(of: path)))
        let tables = [
            "jobs", "entries", "templates", "operations", "attempts", "outputs", "files", "events", "workers",
        ]
        for table in tables {
            #expect(before.rows[table]?.isEmpty == false, "\(table) has rows, seed \(seed)")
        }
        let end = directory.file("end.db")
        let places: [RecordPlace] =
            [.file(path), schema.map { .server($0.server) } ?? .file(directory.file("between.db")), .file(end)]
        for (from, to) in zip(places, places.dropFirst()) {
            let contents = try copy(from, to)
            #expect(contents.jobs == Int(jobs) && contents.newestJob == JobNumber(jobs) && contents.bytes > 0)
        }
        let after = try rows(of: end)
        for shape in Schema.shapes {
            #expect(after[shape.name] == before.rows[shape.name], "\(shape.name), seed \(seed)")
        }
        #expect(try epoch(of: end) == before.epoch + 2)
        let opened = try SQLStore(path: end)
        #expect(try opened.open().nextJob == JobNumber(jobs + 1))
        opened.close()
        #expect(try names().filter { $0.contains("partial") } == [])
    }

    @Test("A copy on a server is a record that a coordinator goes on with", .enabled(if: PostgreSQLServer.isThere))
    func goesOnOnServer() throws {
        let schema = try TemporarySchema()
        let store = try SQLStore(path: path)
        _ = try store.open()
        let hooked = JobRecord(1, onFinish: ["notify"], [Entry(), Entry()])
        let first = try #require(hooked.hook(of: hooked.submission.entries[0], 0))
        let second = try #require(hooked.hook(of: hooked.submission.entries[1], 1))
        try store.commit([.job(hooked), .operation(.finished(1, 0)), .hook(first)])
        store.close()
        try copy(.file(path), .server(schema.server))
        for epoch in 3...4 as ClosedRange<UInt32> {
            let there = try schema.open()
            defer { there.close() }
            let state = try there.open()
            #expect(state.epoch == epoch && state.jobs.map(\.job) == [hooked])
            try there.commit([.operation(.finished(1, 1)), .hook(second)])
        }
        let again = try schema.open()
        #expect(try again.open().hooks.map(\.operation.index) == [0, 1])
        again.close()
    }

    @Test("No coordinator goes on with a record that was moved, unless it is copied once more and kept")
    func marksTheOriginal() throws {
        let store = try SQLStore(path: path)
        _ = try fill(store, seed: 1)
        store.close()
        try copy(.file(path), .file(directory.file("first.db")))
        for _ in 1...2 {
            let moved = try SQLStore(path: path)
            let error = try #require(throws: StoreError.self) { try moved.open() }
            #expect(error.code == .elsewhere && error.message.contains("first.db") && error.message.contains("--keep"))
            moved.close()
        }
        // A later move counts, and a copy of a moved record is none.
        try copy(.file(path), .file(directory.file("second.db")))
        let moved = try SQLStore(path: path)
        let error = try #require(throws: StoreError.self) { try moved.open() }
        #expect(error.message.contains("second.db") && !error.message.contains("first.db"))
        moved.close()
        try copy(.file(path), .file(directory.file("third.db")), keepingOriginal: true)
        for name in ["baton.db", "first.db", "second.db", "third.db"] {
            let store = try SQLStore(path: directory.file(name))
            #expect(try store.open().epoch > 1, "\(name)")
            store.close()
        }
    }

    @Test("A copy takes the place of nothing", arguments: ["end.db", "end.db-wal", "end.db-tally", "end.db-journal"])
    func replacesNothing(_ name: String) throws {
        let store = try SQLStore(path: path)
        _ = try fill(store, seed: 2)
        store.close()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: directory.file(name)))
        let before = try names()
        #expect(code { try copy(.file(path), .file(directory.file("end.db"))) } == .exists)
        #expect(try names() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.file(name))) == Data("mine".utf8))
        #expect(code { try copy(.file(path), .file(path)) } == .exists)
        let again = try SQLStore(path: path)
        _ = try again.open()
        again.close()
    }

    @Test("A schema with a record gets no copy", .enabled(if: PostgreSQLServer.isThere))
    func replacesNoSchema() throws {
        let schema = try TemporarySchema()
        let there = try schema.open()
        _ = try there.open()
        try there.commit([.job(JobRecord(1, [Entry()]))])
        there.close()
        let store = try SQLStore(path: path)
        _ = try fill(store, seed: 3)
        store.close()
        #expect(code { try copy(.file(path), .server(schema.server)) } == .exists)
        let again = try schema.open()
        #expect(try again.open().jobs.count == 1)
        again.close()
    }

    @Test("A record that is in use, was never used or is not there is not copied, and nothing is left")
    func refuses() throws {
        let end = RecordPlace.file(directory.file("end.db"))
        #expect(code { try copy(.file(path), end) } == .missing)
        let store = try SQLStore(path: path)
        #expect(code { try copy(.file(path), end) } == .inUse)
        store.close()
        #expect(code { try copy(.file(path), end) } == .missing, "no coordinator has used it")
        #expect(try names().allSatisfy { !$0.hasPrefix("end.db") })
    }

    @Test("A copy that is ended leaves nothing, and no mark", arguments: 1...3)
    func ends(atCall last: Int) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        let array = Entry(array: .numbers(first: 0, step: 1, count: 5000))
        try store.commit([.job(JobRecord(1, [array]))])
        try store.commit((0..<5000).map { .operation(.finished(1, $0)) })
        store.close()
        var transfer = try RecordTransfer(from: .file(path), to: .file(directory.file("end.db")))
        #expect(transfer.partialFile?.hasPrefix(directory.file("end.db.partial-")) == true)
        var calls: [Int64] = []
        let error = try #require(throws: StoreError.self) {
            try transfer.run { rows in
                calls.append(rows)
                return calls.count < last
            }
        }
        #expect(error.code == .ended && calls.count == last && calls == calls.sorted())
        #expect(try names().allSatisfy { !$0.hasPrefix("end.db") })
        let again = try SQLStore(path: path)
        #expect(try again.open().jobs.first?.records.count == 5000)
        again.close()
    }
}
