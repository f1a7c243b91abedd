@_spi(Baton) import BatonCoordinator
import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// A record with random damage: a coordinator starts with the record or gives the reason of a refusal, and answers in
/// any case.
@Suite("Damaged records", .timeLimit(.minutes(60)))
struct DamagedRecordTests {
    private let directory: URL
    private var path: String { directory.appending(path: "baton.db").path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "baton-damage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    // MARK: - A record with something of everything

    private static func finished(_ job: UInt32, _ index: UInt32, _ outcome: Outcome = .succeeded) -> OperationRecord {
        var record = OperationRecord(id: OperationID(job: JobNumber(job), index: index), state: .finished)
        record.outcome = outcome
        record.attempt = 1
        record.token = RecordToken(epoch: 1, serial: UInt64(index) + 1)
        record.worker = "w1"
        record.finishedAt = Timestamp(rawValue: 1_700_000_100_000_000)
        record.hasResult = index % 3 == 0
        if outcome == .failed { record.reason = Reason(.exit, "exited with status 3") }
        return record
    }

    /// A finished job of two hundred operations, a failed array, and unfinished operations that depend on both.
    private func makeRecord() throws {
        let start = Timestamp(rawValue: 1_700_000_000_000_000)
        let template = Template(
            work: Work(.commands([["convert", "{}"]]), environment: ["COLOUR": "blue"], directory: "/tmp"),
            retries: 2,
            onFinish: ["notify"]
        )
        func job(_ number: UInt32, _ entries: [Entry]) -> RecordChange {
            let submission = Submission(
                name: "job\(number)",
                key: "key\(number)",
                queueChanges: [QueueChange(name: "images", maxConcurrent: .atMost(4))],
                queueNames: ["default", "images"],
                templates: [template, Template(work: Work(.noOperation))],
                entries: entries
            )
            return .job(
                JobRecord(
                    number: JobNumber(number),
                    submittedAt: start,
                    order: UInt64(number) * 1000,
                    submission: submission
                )
            )
        }
        let store = try SQLStore(path: path)
        _ = try store.open()
        var changes: [RecordChange] = [.clock(start, at: start), .queue("images", QueueRecord())]
        var event: UInt64 = 1
        func note(_ subject: ClusterEvent.Subject) {
            let next = ClusterEvent(sequence: event, time: start, subject: subject)
            changes.append(.event(next))
            event += next.count
        }
        changes.append(job(1, (0..<200).map { Entry(name: "step\($0)", queue: $0 % 2) }))
        note(.jobSubmitted(JobNumber(1), operations: 200))
        for index in UInt32(0)..<200 {
            let record = Self.finished(1, index)
            let text = Array("line of \(index)\n".utf8)
            changes += [
                .operation(record),
                .output(
                    record.id,
                    AttemptOutput(
                        attempt: 1,
                        standardOutput: OutputTail(totalLength: UInt64(text.count), bytes: text),
                        standardError: OutputTail(totalLength: 0, bytes: []),
                        result: record.hasResult ? text : nil
                    )
                ),
            ]
            note(.operations(record.id, count: 1, .cancelled))
        }
        var counts = JobCounts()
        counts.succeeded = 200
        changes.append(.jobFinished(JobNumber(1), counts, start + .seconds(100)))
        changes.append(job(2, [Entry(name: "each", array: .lines((0..<20).map { "line \($0)" }))]))
        changes += (UInt32(0)..<20).map { .operation(Self.finished(2, $0, $0 == 7 ? .failed : .succeeded)) }
        (counts.succeeded, counts.failed) = (19, 1)
        changes.append(.jobFinished(JobNumber(2), counts, start + .seconds(100)))
        let first = Address.operation(OperationID(job: JobNumber(1), index: 3))
        for number in UInt32(3)...12 {
            let dependencies = [
                Dependency(on: .existing(first), condition: .success), Dependency(on: .existing(.job(JobNumber(2)))),
            ]
            var entries = [Entry(name: "begin", delay: .seconds(3600), dependencies: dependencies)]
            entries += (1..<10).map { position in
                Entry(name: "next\(position)", queue: 1, dependencies: [Dependency(on: .entry(position - 1))])
            }
            entries.append(Entry(array: .numbers(first: 1, step: 2, count: 1000)))
            changes.append(job(number, entries))
            var executing = OperationRecord(
                id: OperationID(job: JobNumber(number), index: 12),
                state: .executing
            )
            executing.token = RecordToken(epoch: 1, serial: UInt64(number) + 1000)
            executing.worker = "w1"
            executing.attempt = 2
            let attempt = AttemptRecord(
                attempt: 1,
                worker: "w1",
                startedAt: start,
                endedAt: start + .seconds(1),
                reason: Reason(.exit, "It exited with status 3.")
            )
            let dependency = Dependency(on: .entry(2))
            changes += [
                .attempt(executing.id, attempt), .operation(executing), .operation(Self.finished(number, 14)),
                .worker("w1", WorkerRecord(life: WorkerLife(rawValue: 7))), .missingAttempts(JobNumber(number)),
                .dependencies(OperationID(job: JobNumber(number), index: 4), [dependency]),
                .commands(OperationID(job: JobNumber(number), index: 5), [["a"], ["b"]]),
            ]
        }
        var totals = ClusterTotals()
        totals.attempts.started = 300
        totals.jobs.succeeded = 1
        totals.queues["images"] = EndCounts(counts)
        changes.append(.totals(totals))
        try store.commit(changes)
        store.close()
    }

    // MARK: - Starting and asking

    private static let options = CoordinatorOptions(
        listen: "",
        store: .file(""),
        version: "test",
        logger: Logger(label: "coordinator", level: .critical)
    )

    /// Starts a coordinator, and requests all documents of its record.
    ///
    /// - Returns: an error of an unexpected kind, or an answer without an end.
    private func startAndAsk() -> String? {
        let store: SQLStore
        do throws(StoreError) {
            store = try SQLStore(path: path)
            let state = try store.open()
            let now = Timestamp(rawValue: 1_700_000_200_000_000)
            let core = CoordinatorCore(Self.options, state: state, endpoint: "", seed: 1, at: now)
            for second in Int64(0)..<3 { core.endTurn(at: now + .seconds(second * 3600), isDrained: true) }
            for case .commit(let changes, _) in core.takeActions() { try store.commit(changes) }
        } catch {
            guard [.unreadable, .notAccessible, .incomplete, .other].contains(error.code) else {
                return "\(error.code): \(error)"
            }
            return error.description.isEmpty ? "no sentence" : nil
        }
        defer { store.close() }
        let listed = (try? store.jobs(before: nil, limit: 1000))?.map(\.number) ?? []
        for job in Set(listed + (1...12).map { JobNumber($0) }).sorted() {
            guard let summary = try? store.job(job) else { continue }
            _ = try? store.restoredJob(job)
            _ = try? store.jobToRetry(job)
            _ = try? store.dependencyEnd(of: .job(job))
            var next: UInt32 = 0
            while Int(next) < summary.operations {
                guard let page = try? store.operations(of: job, from: next, limit: 100) else { break }
                guard let last = page.last?.record.id.index, last >= next else {
                    return "job \(job) of \(summary.operations) operations has no page from \(next) on, and no error"
                }
                next = last + 1
                if next > 20_000 { return "job \(job) has no end" }
            }
            for index in UInt32(0)..<20 {
                let id = OperationID(job: job, index: index)
                _ = try? store.attempts(of: id)
                _ = try? store.output(of: id, attempt: nil)
                _ = try? store.result(of: id)
                _ = try? store.dependenciesWithResults(of: id, calledBy: .number)
                _ = try? store.operations(named: "step\(index)", in: job)
            }
        }
        let start = Timestamp(rawValue: 0)
        _ = try? store.counts(ofQueue: "images", finishedSince: RecordMoment(clock: start, time: start))
        var last: UInt64 = 0
        while let events = try? store.events(after: last, limit: 50), let event = events.last {
            let end = event.sequence + event.count - 1
            guard end > last else { return "the events after \(last) end at \(end)" }
            last = end
        }
        var steps = 0
        let late = Timestamp(rawValue: 1_800_000_000_000_000)
        while (try? store.removeFinished(beyond: Retention(age: .zero), except: [], at: late)) == true {
            steps += 1
            if steps > 1000 { return "the removal has no end" }
        }
        return nil
    }

    /// Damages some bytes of a record: flipped bits, other bytes, exchanged and empty pages, a missing end.
    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let pages = bytes.count / 4096
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            let page = Int.random(in: 0..<pages, using: &random) * 4096
            for position in page..<page + 4096 { bytes[position] = 0 }
        case 1:
            let first = Int.random(in: 0..<pages, using: &random) * 4096
            let second = Int.random(in: 0..<pages, using: &random) * 4096
            for offset in 0..<4096 { bytes.swapAt(first + offset, second + offset) }
        case 2: bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &random))
        case 3...6:
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
        default:
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
    }

    /// The number of damaged records; `BATON_DAMAGED_RECORDS=10000` tries more.
    private static let runs = ProcessInfo.processInfo.environment["BATON_DAMAGED_RECORDS"].flatMap { Int($0) } ?? 300

    @Test("A randomly damaged record is refused with a sentence, or every query of it comes to an end")
    func random() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        #expect(startAndAsk() == nil)
        for suffix in ["", "-tally"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try makeRecord()
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let seed = UInt64.random(in: 0...UInt64.max)
        for run in 0..<UInt64(Self.runs) {
            var random = SplitMix(seed: seed &+ run)
            var bytes = whole
            damage(&bytes, &random)
            for suffix in ["-wal", "-shm", "-tally", ".lock"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let wrong = startAndAsk()
            #expect(wrong == nil, "seed \(seed &+ run): \(wrong ?? "")")
        }
    }

    // MARK: - Damage of a kind

    /// Opens the record's tables and makes changes that only damage can make.
    private func change(_ sql: String) throws {
        let database = try Database(path: path)
        try database.execute(sql)
    }

    @Test("A read of a job that has lost operations throws an error that names the job, and other jobs stay readable")
    func missingOperations() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        // A missing entry in the middle, and missing ends of some operations.
        try change("DELETE FROM entries WHERE job = 1 AND first = 182")
        try change("DELETE FROM operations WHERE job = 2 AND first > 9")
        let store = try SQLStore(path: path)
        #expect(try store.open().jobs.count == 10)
        for (job, index, words) in [(1, 100, "job 1"), (1, 182, "of job 1"), (2, 0, "job 2 is finished")] {
            let error = try #require(throws: StoreError.self) {
                try store.operations(of: JobNumber(UInt32(job)), from: UInt32(index), limit: 100)
            }
            #expect(error.code == .unreadable && error.description.contains(words), "\(error)")
        }
        #expect(try store.operations(of: JobNumber(1), from: 0, limit: 100).count == 100)
        #expect(try store.operations(of: JobNumber(3), from: 0, limit: 100).count == 100)
    }

    @Test("An unreadable row in a page of jobs throws an error that names its job")
    func unreadableJob() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        let store = try SQLStore(path: path)
        _ = try store.open()
        try change("UPDATE jobs SET submitted_at = \(Int64.max) WHERE job = 2")
        let error = try #require(throws: StoreError.self) { try store.jobs(before: nil, limit: 100) }
        #expect(error.code == .unreadable && error.description.contains("of job 2, "), "\(error)")
    }

    @Test("An unreadable earlier attempt throws an error for its own operation alone")
    func unreadableAttempt() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let changes = [
            ("reason", "'exi'"), ("ended_at", "\(Int64.max)"), ("started_at", "\(Int64.min)"),
            ("exit_status", "\(Int64(Int32.max) + 1)"), ("attempt", "0"),
        ]
        for (column, value) in changes {
            try makeRecord()
            try change("UPDATE attempts SET \(column) = \(value) WHERE job = 3")
            let store = try SQLStore(path: path)
            #expect(try store.open().jobs.count == 10)
            let error = try #require(throws: StoreError.self) {
                try store.attempts(of: OperationID(job: JobNumber(3), index: 12))
            }
            #expect(error.code == .unreadable, "\(column): \(error)")
            #expect(try store.attempts(of: OperationID(job: JobNumber(4), index: 12)).count == 1)
            #expect(try store.operations(of: JobNumber(3), from: 0, limit: 100).count == 100)
            store.close()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
    }

    @Test("A record with a damaged page structure is refused, and a large record is checked only after an unclean end")
    func structure() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // A page of a table whose rows the coordinator does not read at a start.
        let database = try Database(path: path)
        let root = try #require(try database.number("SELECT rootpage FROM sqlite_schema WHERE name = 'outputs'"))
        let place = Int(root - 1) * 4096
        for offset in 3..<5 { bytes[place + offset] ^= 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: StoreError.self) { try SQLStore(path: path) }
        #expect(error.code == .unreadable && error.description.contains("its structure is damaged"), "\(error)")

        let damaged = try Database(path: path)
        #expect(try !StructureCheck.run(on: damaged, upTo: 0), "a large file that was closed in order is not read")
        try damaged.execute("UPDATE meta SET value = 1 WHERE key = 'is_open'")
        #expect(throws: SQLError.self) { try StructureCheck.run(on: damaged, upTo: 0) }
    }

    // A coordinator ended with a violated invariant on one of many randomly damaged records.
    @Test(
        "A record whose index has an unfinished job twice, or one above the newest job, is refused",
        arguments: [4, 99]
    )
    func unfinishedJobs(job: UInt8) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'unfinished_jobs'"
        let root = try #require(try Database(path: path).number(query))
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // The first entry of the page of an index: its length, three bytes of its header, the column and the row, both job 3.
        let page = Int(root - 1) * 4096
        let entry = page + Int(bytes[page + 8]) << 8 + Int(bytes[page + 9])
        #expect(Array(bytes[entry...entry + 5]) == [5, 3, 1, 1, 3, 3])
        bytes.replaceSubrange(entry + 4...entry + 5, with: [job, job])
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = try SQLStore(path: path)
        let error = try #require(throws: StoreError.self) { try store.open() }
        #expect(error.code == .unreadable && error.description.contains("job"), "\(error)")
    }

    @Test("An open record is marked in its file from its start until it is closed")
    func marked() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try makeRecord()
        func mark() throws -> Int64? { try Database(path: path).number("SELECT value FROM meta WHERE key = 'is_open'") }
        #expect(try mark() == 0)
        let store = try SQLStore(path: path)
        #expect(try mark() == 0, "nothing is written before it is started")
        _ = try store.open()
        #expect(try mark() == 1)
        store.close()
        #expect(try mark() == 0)
    }
}
