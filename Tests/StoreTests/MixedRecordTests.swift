import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Files of another record, or of another state of the record, among the files of a record: SQLite reads any log into any file.
@Suite("Files of different records", .timeLimit(.minutes(60)))
struct MixedRecordTests {
    private let directory: TemporaryDirectory
    private let files = FileManager.default
    private var path: String { directory.file("own.db") }
    private var other: String { directory.file("other.db") }
    private static let endings = ["", "-wal", "-tally"]

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Makes a record with jobs from 1 on, as a coordinator leaves it that was killed or that ended in order.
    private func make(_ path: String, jobs: UInt32, endsInOrder: Bool = false) throws {
        let source = directory.file("source-\(UUID()).db")
        let store = try SQLStore(path: source)
        _ = try store.open()
        for number in (0..<jobs).map({ $0 + 1 }) { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        if endsInOrder { store.close() }
        for ending in Self.endings where files.fileExists(atPath: source + ending) {
            try files.copyItem(atPath: source + ending, toPath: path + ending)
        }
        store.close()
    }

    /// Puts a file of another record in the place of one's own.
    private func replace(_ ending: String, by other: String) throws {
        try? files.removeItem(atPath: path + ending)
        try files.copyItem(atPath: other + ending, toPath: path + ending)
    }

    private func contents() -> [String: Data] {
        var contents: [String: Data] = [:]
        // SQLite makes an empty log for a reader.
        for ending in Self.endings { contents[ending] = files.contents(atPath: path + ending) ?? Data() }
        return contents
    }

    /// Expects that the record is refused with a sentence, and that the refusal changes nothing.
    ///
    /// - Parameter isAcceptable: whether a start that goes on without what is missing goes on here.
    private func expectRefusal(
        _ words: String,
        isAcceptable: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = contents()
        let moments: [Timestamp?] = isAcceptable ? [nil, nil] : [nil, .at(100)]
        for now in moments {
            let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
                try SQLStore(path: path, acceptingLossAt: now)
            }
            #expect(error.code == .incomplete, "\(error)", sourceLocation: sourceLocation)
            #expect(error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
            #expect(error.description.hasSuffix("No file was changed."), "\(error)", sourceLocation: sourceLocation)
        }
        #expect(contents() == before, sourceLocation: sourceLocation)
    }

    private func jobs(acceptingLossAt now: Timestamp? = nil) throws -> [UInt32] {
        let store = try SQLStore(path: path, acceptingLossAt: now)
        return try store.open().jobs.map(\.job.number.rawValue)
    }

    @Test(
        "A log of another record beside a record is refused, whatever it has more or less, and without it all own jobs are there",
        arguments: [UInt32(1), 8],
        [false, true]
    )
    func log(foreignJobs: UInt32, endsInOrder: Bool) throws {
        try make(path, jobs: 4, endsInOrder: endsInOrder)
        try make(other, jobs: foreignJobs)
        let own = files.contents(atPath: path + "-wal")
        try replace("-wal", by: other)
        try expectRefusal("own.db-wal is of another record")
        #expect(throws: StoreError.self) { _ = try RecordBackup(of: path, to: directory.file("backup.db")).write() }
        #expect(!files.fileExists(atPath: directory.file("backup.db")))
        try files.removeItem(atPath: path + "-wal")
        if let own { try own.write(to: URL(filePath: path + "-wal")) }
        #expect(try jobs() == [1, 2, 3, 4])
    }

    @Test("A log of another record whose own one is gone is moved away, and the rest goes on as without a log")
    func logWithoutOwn() throws {
        try make(path, jobs: 4)
        try make(other, jobs: 8)
        try replace("-wal", by: other)
        try expectRefusal("Move the log away")
        try files.removeItem(atPath: path + "-wal")
        let error = try #require(throws: StoreError.self) { try SQLStore(path: path) }
        #expect(error.description.contains("4 jobs, 1 to 4"), "\(error)")
        #expect(try jobs(acceptingLossAt: .at(100)) == [])
    }

    @Test("A file of another record beside a record's own log is refused; alone it goes on only as the user insists")
    func file() throws {
        try make(path, jobs: 4)
        try make(other, jobs: 6, endsInOrder: true)
        try replace("", by: other)
        try expectRefusal("own.db is of another record than its write-ahead log")
        try files.removeItem(atPath: path + "-wal")
        try expectRefusal("own.db-tally is of another record", isAcceptable: true)
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        #expect(store.acceptedLoss?.jobs == 1...4)
        let state = try store.open()
        #expect(state.jobs.count == 6 && state.nextJob == JobNumber(7))
        store.close()
        #expect(try jobs().count == 6)
    }

    @Test("A whole other record beside the tally of one with more jobs gives none of their numbers again")
    func wholeRecord() throws {
        try make(path, jobs: 9)
        try make(other, jobs: 2)
        for ending in ["", "-wal"] { try replace(ending, by: other) }
        try expectRefusal("own.db-tally is of another record", isAcceptable: true)
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        #expect(store.acceptedLoss?.jobs == 1...9)
        #expect(try store.open().nextJob == JobNumber(10))
    }

    @Test("A tally of another record is refused, also one with fewer commits, and the own one is taken again")
    func tally() throws {
        try make(path, jobs: 4)
        try make(other, jobs: 1)
        let own = try #require(files.contents(atPath: path + "-tally"))
        try replace("-tally", by: other)
        try expectRefusal("own.db-tally is of another record", isAcceptable: true)
        let backup = directory.file("backup.db")
        let error = try #require(throws: StoreError.self) { try RecordBackup(of: path, to: backup).write() }
        #expect(error.code == .incomplete && !error.description.contains("--accept-loss"), "\(error)")
        try own.write(to: URL(filePath: path + "-tally"))
        #expect(try jobs() == [1, 2, 3, 4])
    }

    @Test("A log and a file of different records are refused without any tally")
    func withoutTally() throws {
        try make(path, jobs: 4, endsInOrder: true)
        try make(other, jobs: 8)
        try replace("-wal", by: other)
        try files.removeItem(atPath: path + "-tally")
        try expectRefusal("are of different records")
    }

    /// Restores a backup of a record of four jobs over the record, and puts one of the files back that were set aside.
    ///
    /// - Returns: the path of the backup.
    @discardableResult
    private func restoreBackup(puttingBack ending: String) throws -> String {
        try make(path, jobs: 4)
        let backup = directory.file("backup.db")
        _ = try RecordBackup(of: path, to: backup).write()
        let earlier = try #require(files.contents(atPath: path + ending))
        _ = try RecordRestore(of: backup, to: path).perform(at: .at(100))
        try earlier.write(to: URL(filePath: path + ending))
        return backup
    }

    @Test("The log of the record that a restore has set aside is refused beside the restored one")
    func restored() throws {
        try restoreBackup(puttingBack: "-wal")
        try expectRefusal("own.db-wal is of another record")
        try files.removeItem(atPath: path + "-wal")
        #expect(try jobs() == [1, 2, 3, 4])
    }

    @Test("A restore that was killed before it replaced the tally is refused at the start, and can be repeated")
    func killedRestore() throws {
        let backup = try restoreBackup(puttingBack: "-tally")
        try expectRefusal("run an interrupted \"baton restore\" again", isAcceptable: true)
        _ = try RecordRestore(of: backup, to: path).perform(at: .at(100))
        #expect(try jobs() == [1, 2, 3, 4])
    }

    @Test(
        "A rollback journal that is none of a record's own is refused before SQLite plays it back",
        arguments: [600, 9000]
    )
    func journal(length: Int) throws {
        try make(path, jobs: 4, endsInOrder: true)
        // The header of a journal, without a page: SQLite itself would do nothing with it.
        var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        journal.append(Data(count: length - journal.count))
        try journal.write(to: URL(filePath: path + "-journal"))
        let before = contents()
        let error = try #require(throws: StoreError.self) { try SQLStore(path: path, acceptingLossAt: .at(100)) }
        #expect(error.code == .unreadable && error.description.contains("own.db-journal"), "\(error)")
        #expect(contents() == before && files.contents(atPath: path + "-journal") == journal)
        // One that SQLite has done with is none.
        try Data(count: length).write(to: URL(filePath: path + "-journal"))
        #expect(try jobs() == [1, 2, 3, 4])
    }

    @Test("An older copy in the place of a record's file, beside the record's own log, is refused")
    func olderCopy() throws {
        let store = try SQLStore(path: other)
        _ = try store.open()
        func commit(_ numbers: ClosedRange<UInt32>) throws {
            for number in numbers { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        }
        try commit(1...3)
        store.database?.emptyLog()
        let older = try #require(files.contents(atPath: other))
        try commit(4...6)
        store.database?.emptyLog()
        try commit(7...8)
        for ending in Self.endings { try files.copyItem(atPath: other + ending, toPath: path + ending) }
        store.close()
        let newer = try #require(files.contents(atPath: path))
        try older.write(to: URL(filePath: path))
        try expectRefusal("own.db is older than its write-ahead log")
        let log = try #require(files.contents(atPath: path + "-wal"))
        try newer.write(to: URL(filePath: path))
        try log.write(to: URL(filePath: path + "-wal"))
        #expect(try jobs() == Array(1...8))
    }

    @Test(
        "A start that goes on without a part of the record may be killed at once, and the next one finds all files in order"
    )
    func killedAfterLoss() throws {
        try make(path, jobs: 4)
        try files.removeItem(atPath: path + "-wal")
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        for ending in Self.endings { try files.copyItem(atPath: path + ending, toPath: other + ending) }
        store.close()
        #expect(try SQLStore(path: other).open().nextJob == JobNumber(5))
    }

    @Test("A record of a version without an identity gets one, and its tally of then is no reason to refuse it")
    func isMigrated() throws {
        try make(path, jobs: 4, endsInOrder: true)
        try Database(path: path).execute(
            """
            DROP VIEW file_list;
            DROP TABLE files;
            DROP TABLE fetches;
            DROP INDEX jobs_keeping_files;
            ALTER TABLE operations DROP COLUMN has_files;
            DELETE FROM meta WHERE key = 'identity';
            ALTER TABLE attempts DROP COLUMN token;
            ALTER TABLE attempts DROP COLUMN memory;
            ALTER TABLE attempts DROP COLUMN timeout_us;
            DROP TABLE pauses;
            ALTER TABLE queues DROP COLUMN rate;
            DROP TABLE schedules;
            DROP TABLE shared_limits;
            PRAGMA user_version = 4;
            """
        )
        try #require(truncate(path + "-tally", off_t(RecordTally.length)) == 0)
        #expect(try jobs() == [1, 2, 3, 4])
        let migrated = try Database(path: path)
        let identity = try #require(RecordIdentity(of: migrated))
        #expect(try TallyFile.read(beside: path, on: nil, record: path).identity == identity.number)
        try make(other, jobs: 0, endsInOrder: true)
        let another = try Database(path: other)
        #expect(RecordIdentity(of: another) != identity)
    }

    @Test(
        "The name of a file may have any characters where the file is read without its log",
        arguments: ["a b%20?#ü.db"]
    )
    func name(_ name: String) throws {
        let path = directory.file(name)
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            let withoutLog = try Database(withoutLog: path)
            #expect(RecordIdentity(of: withoutLog) != nil)
        }
        #expect(try Database(withoutLog: path).number("SELECT count(*) FROM starts") == 1)
    }

    @Test("Any other bit in a tally's identity makes the tally a damaged one")
    func damagedIdentity() throws {
        try make(path, jobs: 1, endsInOrder: true)
        let bytes = try #require(files.contents(atPath: path + "-tally"))
        for bit in RecordTally.length * 8..<bytes.count * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            try other.write(to: URL(filePath: path + "-tally"))
            #expect(try TallyFile.read(beside: path, on: nil, record: path) == .damaged, "bit \(bit)")
        }
    }
}
