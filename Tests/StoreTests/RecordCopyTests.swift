import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Backups of a record that is in use, and their return.
@Suite("Copies of a record", .timeLimit(.minutes(60)))
struct RecordCopyTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("baton.db") }
    private let files = FileManager.default
    private let now = Timestamp(rawValue: 5_000_000)

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A record with some jobs, which is open.
    private func record(of jobs: ClosedRange<UInt32>) throws -> SQLStore {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in jobs { try store.commit([.job(JobRecord(number, [Entry(), Entry()]))]) }
        return store
    }

    private func names() throws -> [String] { try files.contentsOfDirectory(atPath: directory.path).sorted() }

    private func jobs(in path: String) throws -> [UInt32] {
        let store = try SQLStore(path: path)
        defer { store.close() }
        return try store.open().jobs.map(\.job.number.rawValue)
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test("A backup of a record that changes with each step ends, and has the state of its beginning")
    func live() throws {
        let store = try record(of: 1...50)
        let file = directory.file("backup.db")
        var backup = RecordBackup(of: path, to: file)
        backup.copy.pagesPerStep = 1
        var next: UInt32 = 51
        var steps = 0
        let contents = try backup.write { copied, count in
            steps += 1
            #expect(copied <= count)
            // A commit between any two steps: it neither waits for the copy nor makes it begin anew.
            #expect(throws: Never.self) { try store.commit([.job(JobRecord(next, [Entry()]))]) }
            next += 1
            return steps < 10_000
        }
        #expect(steps > 20 && next == 51 + UInt32(steps))
        #expect(contents.jobs == 50 && contents.newestJob == JobNumber(50))
        #expect(try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(try files.attributesOfItem(atPath: file)[.size] as? Int64 == contents.bytes)
        #expect(
            try names() == ["backup.db", "baton.db", "baton.db-shm", "baton.db-tally", "baton.db-wal", "baton.db.lock"]
        )
        #expect(try jobs(in: file) == Array(1...50))
        store.close()
        #expect(try jobs(in: path) == Array(1..<next))
    }

    @Test("A backup replaces no file, and an ended or impossible one leaves nothing")
    func refused() throws {
        let store = try record(of: 1...5)
        let before = try names()
        let file = directory.file("backup.db")
        #expect(code { _ = try RecordBackup(of: path, to: file).write { _, _ in false } } == nil, "one step was enough")
        try files.removeItem(atPath: file)
        var ended = RecordBackup(of: path, to: file)
        ended.copy.pagesPerStep = 1
        #expect(code { _ = try ended.write { copied, _ in copied < 3 } } == .ended)
        #expect(code { _ = try RecordBackup(of: directory.file("none.db"), to: file).write() } == .missing)
        #expect(code { _ = try RecordBackup(of: path, to: directory.file("no/backup.db")).write() } == .notWritable)
        #expect(try names() == before)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        #expect(code { _ = try RecordBackup(of: path, to: file).write() } == .exists)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("mine".utf8))
        store.close()
    }

    @Test(
        "A backup has no name that a coordinator or SQLite would take for a file of the record",
        arguments: ["", "/./"]
    )
    func reservedName(way: String) throws {
        let store = try record(of: 1...3)
        store.close()
        let before = try names()
        for ending in ["-wal", "-shm", "-journal", "-tally.new", ".health"] {
            let file = directory.path + (way.isEmpty ? "/" : way) + "baton.db" + ending
            #expect(code { _ = try RecordBackup(of: path, to: file).write() } == .exists, "\(ending)")
        }
        #expect(try names() == before)
        #expect(code { _ = try RecordBackup(of: path, to: path + "-walnut").write() } == nil)
    }

    @Test("A backup does not get the name of a health socket, beside a link to the record neither")
    func nameOfSocket() throws {
        try record(of: 1...3).close()
        let link = directory.file("link.db")
        try files.createSymbolicLink(atPath: link, withDestinationPath: path)
        for name in [link, path] {
            #expect(code { _ = try RecordBackup(of: link, to: name + ".health").write() } == .exists)
        }
        #expect(code { _ = try RecordBackup(of: path, to: link + ".health").write() } == nil, "the link is not known")
    }

    @Test("Backups at random moments of a record whose coordinator is killed have a prefix of its commits")
    func killed() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        var number: UInt32 = 0
        for round in 0..<20 {
            let store = try SQLStore(path: path)
            _ = try store.open()
            for _ in 0..<Int(random.next() % 20) {
                number += 1
                try store.commit([.job(JobRecord(number, [Entry()]))])
            }
            // What a killed coordinator leaves: the file with a log beside it.
            let copied = directory.file("killed-\(round).db")
            for ending in ["", "-wal", "-tally"] { try files.copyItem(atPath: path + ending, toPath: copied + ending) }
            store.close()
            let file = directory.file("backup-\(round).db")
            let contents = try RecordBackup(of: copied, to: file).write()
            #expect(contents.jobs == Int(number), "seed \(seed)")
            #expect(try jobs(in: file) == Array(1..<number + 1), "seed \(seed)")
        }
    }

    @Test("A restored backup takes the place of the record, which is kept with its log, and no number is given twice")
    func restored() throws {
        let store = try record(of: 1...7)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        for number in UInt32(8)...11 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        #expect(code { _ = try RecordRestore(of: file, to: path).perform(at: now) } == .inUse)
        // A killed coordinator, with its last commits in the log alone.
        let home = directory.file("home")
        try files.createDirectory(atPath: home, withIntermediateDirectories: false)
        for ending in ["", "-wal", "-tally"] {
            try files.copyItem(atPath: path + ending, toPath: home + "/baton.db" + ending)
        }
        store.close()
        let report = try RecordRestore(of: file, to: home + "/baton.db").perform(at: now)
        #expect(report.contents.newestJob == JobNumber(7) && report.newestJobBefore == JobNumber(11))
        #expect(report.nextJob == JobNumber(12))
        let aside = try #require(report.setAside)
        #expect(aside == home + "/baton.db.before-restore")
        #expect(try jobs(in: aside) == Array(1...11))
        let again = try SQLStore(path: home + "/baton.db")
        let state = try again.open()
        #expect(state.jobs.map(\.job.number.rawValue) == Array(1...7) && state.nextJob == JobNumber(12))
        again.close()
        // The backup is as it was, and can be restored once more, also where no record is.
        let second = try RecordRestore(of: file, to: home + "/baton.db", nextJob: JobNumber(100)).perform(at: now)
        #expect(second.setAside == home + "/baton.db.before-restore-2" && second.nextJob == JobNumber(100))
        let third = try RecordRestore(of: file, to: directory.file("new/baton.db")).perform(at: now)
        #expect(third.setAside == nil && third.nextJob == JobNumber(8))
        #expect(try jobs(in: directory.file("new/baton.db")) == Array(1...7))
    }

    @Test("A record that an interrupted restore has set aside is whole under the name that the refusal says")
    func interrupted() throws {
        let store = try record(of: 1...3)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        for number in UInt32(4)...5 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        // A killed coordinator.
        let home = directory.file("home")
        try files.createDirectory(atPath: home, withIntermediateDirectories: false)
        let left = home + "/baton.db"
        for ending in ["", "-wal", "-tally"] { try files.copyItem(atPath: path + ending, toPath: left + ending) }
        store.close()
        let restore = RecordRestore(of: file, to: left)
        _ = try restore.setAside(true, as: left + ".before-restore")
        // SQLite leaves an empty log where the first start was refused.
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) { try SQLStore(path: left) }
            #expect(error.code == .elsewhere, "\(error)")
            #expect(error.description.contains("--store \(left).before-restore."), "\(error)")
            #expect(error.description.contains("run it again"), "\(error)")
        }
        // The restore can be repeated, and the record that was set aside stays whole.
        let report = try RecordRestore(of: file, to: left).perform(at: now)
        #expect(report.newestJobBefore == JobNumber(5) && report.nextJob == JobNumber(6))
        #expect(try jobs(in: left) == [1, 2, 3])
        #expect(try jobs(in: left + ".before-restore") == [1, 2, 3, 4, 5])
    }

    @Test("A restore that cannot put the copy in its place leaves all files as they were")
    func undone() throws {
        let store = try record(of: 1...3)
        store.close()
        let before = try names()
        let restore = RecordRestore(of: path, to: path)
        // Something is in the way of the log.
        let name = directory.file("aside.db")
        try Data().write(to: URL(fileURLWithPath: path + "-wal"))
        try files.createDirectory(atPath: name + "-wal", withIntermediateDirectories: false)
        #expect(code { _ = try restore.setAside(true, as: name) } == .notWritable)
        for file in [path + "-wal", name + "-wal"] { try files.removeItem(atPath: file) }
        #expect(try names() == before)
        #expect(try jobs(in: path) == [1, 2, 3])
    }

    // An open of a named pipe waits for its writer.
    @Test("A named pipe or a device in the place of a record, a backup or a file beside one is refused")
    func noFile() throws {
        let store = try record(of: 1...2)
        store.close()
        let file = directory.file("backup.db")
        let pipe = directory.file("pipe.db")
        try #require(mkfifo(pipe, 0o600) == 0)
        for name in [pipe, "/dev/null"] {
            #expect(code { _ = try RecordRestore(of: name, to: path).perform(at: now) } == .unreadable)
            #expect(code { _ = try RecordBackup(of: name, to: file).write() } == .unreadable)
            #expect(code { _ = try SQLStore(path: name) } == .unreadable)
        }
        for ending in ["-wal", "-journal", "-tally"] {
            try #require(mkfifo(path + ending + "-pipe", 0o600) == 0)
            rename(path + ending, directory.file("away"))
            rename(path + ending + "-pipe", path + ending)
            let error = try #require(throws: StoreError.self) { try RecordBackup(of: path, to: file).write() }
            #expect(error.code == .unreadable && error.description.contains("\(ending) is a named pipe"), "\(error)")
            #expect(code { _ = try RecordRestore(of: path, to: file).perform(at: now) } == .unreadable)
            unlink(path + ending)
            rename(directory.file("away"), path + ending)
        }
        #expect(try jobs(in: path) == [1, 2])
    }

    @Test("A backup of a record whose log is lost is refused, and leaves nothing")
    func incomplete() throws {
        let store = try record(of: 1...5)
        let left = directory.file("left.db")
        for ending in ["", "-tally"] { try files.copyItem(atPath: path + ending, toPath: left + ending) }
        store.close()
        let file = directory.file("backup.db")
        let error = try #require(throws: StoreError.self) { try RecordBackup(of: left, to: file).write() }
        #expect(error.code == .incomplete && error.description.contains("5 jobs, 1 to 5"), "\(error)")
        let rest = try names().filter { $0.hasPrefix("backup.db") }
        #expect(rest.isEmpty, "\(rest)")
        // A link to the record is no way around.
        let link = directory.file("link.db")
        try files.createSymbolicLink(atPath: link, withDestinationPath: left)
        #expect(code { _ = try RecordBackup(of: link, to: file).write() } == .incomplete)
    }

    @Test("A restore in the place of a record that is gone meets none of its files, and knows its numbers by its tally")
    func goneRecord() throws {
        let store = try record(of: 1...3)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        for number in UInt32(4)...5 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        // What a killed coordinator and a lost file leave.
        let home = directory.file("home")
        try files.createDirectory(atPath: home, withIntermediateDirectories: false)
        for ending in ["-wal", "-tally"] {
            try files.copyItem(atPath: path + ending, toPath: home + "/baton.db" + ending)
        }
        store.close()
        let report = try RecordRestore(of: file, to: home + "/baton.db").perform(at: now)
        #expect(report.setAside == nil && report.newestJobBefore == JobNumber(5) && report.nextJob == JobNumber(6))
        // Whoever finds the file again has its log, too.
        for ending in ["-wal", "-tally"] {
            #expect(files.fileExists(atPath: home + "/baton.db.before-restore" + ending))
        }
        let restored = try SQLStore(path: home + "/baton.db")
        let state = try restored.open()
        #expect(state.jobs.map(\.job.number.rawValue) == [1, 2, 3] && state.nextJob == JobNumber(6))
    }

    @Test(
        "A restore gives no number of an event and no epoch twice, and an event tells what is missing",
        arguments: [true, false]
    )
    func numbersOfEvents(isFileLeft: Bool) throws {
        func commit(_ numbers: ClosedRange<UInt64>, to store: SQLStore) throws {
            try store.commit(
                numbers.map { .event(ClusterEvent(sequence: $0, time: now, subject: .jobClosed(JobNumber(1)))) }
            )
        }
        let store = try record(of: 1...2)
        try commit(1...3, to: store)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        try store.commit([.job(JobRecord(3, [Entry()]))])
        try commit(4...9, to: store)
        store.close()
        // Starts of the coordinator after the backup.
        var epoch: UInt32 = 0
        for _ in 0..<3 {
            let again = try SQLStore(path: path)
            epoch = try again.open().epoch
            again.close()
        }
        if !isFileLeft { try files.removeItem(atPath: path) }
        _ = try RecordRestore(of: file, to: path).perform(at: now)
        let restored = try SQLStore(path: path)
        let state = try restored.open()
        #expect(state.nextEvent == 11 && state.epoch == epoch + 1)
        let events = try restored.events(after: 9, limit: 10)
        #expect(events.map(\.sequence) == [10] && events.first?.time == now)
        guard case .recordIncomplete(let jobs, let commits)? = events.first?.subject else {
            Issue.record("\(events)")
            return
        }
        #expect(jobs == 1 && commits >= 2)
        restored.close()
        // What the record has already is not missing: a second restore of the same backup tells the same, and one of a newer
        // backup nothing.
        _ = try RecordBackup(of: path, to: directory.file("newer.db")).write()
        _ = try RecordRestore(of: directory.file("newer.db"), to: path).perform(at: now)
        let newest = try SQLStore(path: path)
        #expect(try newest.open().nextEvent == 11)
        newest.close()
    }

    @Test(
        "A restore takes no number from a damaged record above which none is left, and each other one",
        arguments: [
            "UPDATE meta SET value = 16777214 WHERE key = 'epoch'",
            "UPDATE meta SET value = 4294967295 WHERE key = 'newest_removed_job'",
            "INSERT INTO events VALUES (9223372036854775807, 9223372036854775807, 9, x'00')", "DROP TABLE events",
            "DELETE FROM meta WHERE key = 'epoch'",
        ]
    )
    func damagedNumbers(damage: String) throws {
        let store = try record(of: 1...3)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        for number in UInt32(4)...5 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        store.close()
        do { try Database(path: path).execute(damage) }
        try files.removeItem(atPath: path + "-tally")
        let report = try RecordRestore(of: file, to: path).perform(at: now)
        #expect(report.newestJobBefore == JobNumber(5) && report.nextJob == JobNumber(6))
        #expect(try jobs(in: path) == [1, 2, 3])
    }

    @Test("A damaged, foreign or newer file is refused, and the record stays as it is")
    func unreadable() throws {
        let store = try record(of: 1...40)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        let record = try Data(contentsOf: URL(fileURLWithPath: path))
        let before = try names()
        func expectRefusal(_ bytes: Data, _ comment: Comment) throws {
            try bytes.write(to: URL(fileURLWithPath: file))
            #expect(code { _ = try RecordRestore(of: file, to: path).perform(at: now) } == .unreadable, comment)
            #expect(try names() == before, comment)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == record, comment)
        }
        try expectRefusal(Data("no database at all, but long enough to be looked at".utf8), "a text")
        try expectRefusal(Data(), "an empty file")
        try expectRefusal(whole.prefix(whole.count / 2), "half")
        var newer = whole
        newer.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        try expectRefusal(newer, "a newer version")
        var damaged = whole
        for page in stride(from: 4096 * 3, to: whole.count, by: 4096) {
            damaged.replaceSubrange(page..<page + 64, with: Data(repeating: 0xA5, count: 64))
        }
        try expectRefusal(damaged, "overwritten heads of pages")
        let missing = RecordRestore(of: directory.file("none.db"), to: path)
        #expect(code { _ = try missing.perform(at: now) } == .missing)
        try whole.write(to: URL(fileURLWithPath: file))
        #expect(code { _ = try RecordRestore(of: file, to: path).perform(at: now) } == nil)
    }

    /// Makes a record of one job, whose result fills the last pages, and closes it.
    private func recordWithResult() throws {
        let store = try record(of: 1...1)
        let operation = OperationID(job: JobNumber(1), index: 0)
        let output = AttemptOutput(
            attempt: 1,
            standardOutput: OutputTail(totalLength: 0, bytes: []),
            standardError: OutputTail(totalLength: 0, bytes: []),
            result: [UInt8](repeating: 0x41, count: 200_000)
        )
        try store.commit([.operation(.finished(1, 0, hasResult: true)), .output(operation, output)])
        store.close()
    }

    // SQLite takes what is missing of the last page for zeros.
    @Test("A record or a backup whose last page is cut is refused", arguments: [1, 100, 2000, 4000, 4095, 4096])
    func cut(bytes: Int) throws {
        try recordWithResult()
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        let before = try names()
        for name in [file, path] {
            let whole = try Data(contentsOf: URL(fileURLWithPath: name))
            try whole.dropLast(bytes).write(to: URL(fileURLWithPath: name))
            let error = try #require(throws: StoreError.self) {
                if name == path {
                    _ = try SQLStore(path: path)
                } else {
                    _ = try RecordRestore(of: file, to: path).perform(at: now)
                }
            }
            #expect(error.code == .unreadable, "\(error)")
            #expect(bytes == 4096 || error.description.contains("its end is missing"), "\(error)")
            #expect(code { _ = try RecordBackup(of: name, to: directory.file("other.db")).write() } == .unreadable)
            #expect(try Data(contentsOf: URL(fileURLWithPath: name)) == whole.dropLast(bytes))
            try whole.write(to: URL(fileURLWithPath: name))
            // SQLite leaves an empty log beside a record that is refused.
            #expect(try name == path || names() == before)
        }
        #expect(code { _ = try RecordRestore(of: file, to: path).perform(at: now) } == nil)
    }

    @Test("A record whose last pages are in its log alone is whole, and one whose log lacks one of them is not")
    func lastPagesInLog() throws {
        let store = try record(of: 1...2)
        store.database?.emptyLog()
        let short = try #require(try store.size()).file
        for number in UInt32(3)...60 { try store.commit([.job(JobRecord(number, [Entry(), Entry()]))]) }
        for (name, missing) in [("whole", 0), ("cut", 1)] {
            let left = directory.file("\(name).db")
            for ending in ["", "-wal", "-tally"] { try files.copyItem(atPath: path + ending, toPath: left + ending) }
            try #require(truncate(left, off_t(missing == 0 ? short : 3 * 4096)) == 0)
            let file = directory.file("\(name)-backup.db")
            #expect(code { _ = try RecordBackup(of: left, to: file).write() } == (missing == 0 ? nil : .unreadable))
            #expect(code { _ = try SQLStore(path: left) } == (missing == 0 ? nil : .unreadable))
        }
        store.close()
    }

    @Test(
        "A record that cannot be read is set aside by a restore, which knows its numbers from its tally, or says that it does not"
    )
    func damagedRecord() throws {
        let store = try record(of: 1...3)
        let file = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: file).write()
        for number in UInt32(4)...5 { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        store.close()
        let bytes = Data("not a record any more".utf8)
        for hasTally in [true, false] {
            try bytes.write(to: URL(fileURLWithPath: path))
            if !hasTally { try files.removeItem(atPath: path + "-tally") }
            let report = try RecordRestore(of: file, to: path).perform(at: now)
            #expect(report.newestJobBefore == (hasTally ? JobNumber(5) : nil))
            #expect(report.nextJob == JobNumber(hasTally ? 6 : 4))
            #expect(try Data(contentsOf: URL(fileURLWithPath: try #require(report.setAside))) == bytes)
            #expect(try jobs(in: path) == [1, 2, 3])
        }
    }
}
