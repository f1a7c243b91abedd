import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Files of a record that are lost, damaged or exchanged between two coordinators.
@Suite("A record whose files are lost", .timeLimit(.minutes(60)))
struct TallyTests {
    let directory: TemporaryDirectory
    let files = FileManager.default
    var path: String { directory.file("baton.db") }
    static let files = ["", "-wal", "-shm", "-tally", ".lock"]

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A job, and the event of its submission, as a coordinator commits them.
    func changes(_ number: UInt32) -> [RecordChange] {
        let job = JobNumber(number)
        return [
            .job(JobRecord(number, key: "key\(number)", [Entry()])),
            .event(
                ClusterEvent(
                    sequence: UInt64(number),
                    time: .at(Int64(number)),
                    subject: .jobSubmitted(job, operations: 1)
                )
            ),
            .clock(.at(Int64(number)), at: .at(Int64(number))),
        ]
    }

    /// Makes a record with the jobs 1 to 9, the last 4 of which are in the log alone, as a killed coordinator leaves it.
    func leaveRecord() throws {
        let original = try TemporaryDirectory()
        let source = original.file("baton.db")
        let store = try SQLStore(path: source)
        _ = try store.open()
        for number in UInt32(1)...5 { try store.commit(changes(number)) }
        store.database?.emptyLog()
        for number in UInt32(6)...9 { try store.commit(changes(number)) }
        for suffix in Self.files { try files.copyItem(atPath: source + suffix, toPath: path + suffix) }
        store.close()
    }

    func jobs(_ store: SQLStore) throws -> [UInt32] {
        try store.jobs(before: nil, limit: 100).map(\.number.rawValue).reversed()
    }

    func contents() -> [String: Data] {
        var contents: [String: Data] = [:]
        // SQLite makes an empty log, and its shared memory, for a reader.
        for suffix in ["", "-wal", "-tally"] { contents[suffix] = files.contents(atPath: path + suffix) ?? Data() }
        return contents
    }

    /// Expects that the record is refused, and that the refusal changes nothing.
    func expectRefusal(
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = contents()
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
                try SQLStore(path: path)
            }
            #expect(error.code == .incomplete, "\(error)", sourceLocation: sourceLocation)
            for word in words + ["--accept-loss"] {
                #expect(error.description.contains(word), "\(error)", sourceLocation: sourceLocation)
            }
        }
        #expect(contents() == before, sourceLocation: sourceLocation)
    }

    // MARK: - Between two coordinators

    @Test("A record that a kill has left is whole without its shared memory, and with a journal that nobody needs")
    func whole() throws {
        try leaveRecord()
        try files.removeItem(atPath: path + "-shm")
        _ = files.createFile(atPath: path + "-journal", contents: nil)
        let store = try SQLStore(path: path)
        #expect(try store.open().jobs.count == 9)
        #expect(store.acceptedLoss == nil)
    }

    @Test("A record without its log is refused with the jobs that are missing, and stays as it is")
    func logRemoved() throws {
        try leaveRecord()
        try files.removeItem(atPath: path + "-wal")
        try expectRefusal("its last 4 commits are missing", "4 jobs, 6 to 9")
    }

    @Test("A record whose log was cut or changed is refused, with what SQLite takes for its end")
    func logDamaged() throws {
        try leaveRecord()
        let log = try #require(files.contents(atPath: path + "-wal"))
        try log.dropLast(4096).write(to: URL(filePath: path + "-wal"))
        try expectRefusal("its last commit is missing, and with it job 9.")
        var changed = log
        changed[changed.count / 2] ^= 0x10
        try changed.write(to: URL(filePath: path + "-wal"))
        try expectRefusal("commits are missing", "to 9")
        try Data().write(to: URL(filePath: path + "-wal"))
        try expectRefusal("its last 4 commits are missing", "4 jobs, 6 to 9")
        // What was put back in time is all there.
        try log.write(to: URL(filePath: path + "-wal"))
        #expect(try SQLStore(path: path).open().jobs.count == 9)
    }

    @Test("A missing record is no new record where one was acknowledged from, and no file is made in its place")
    func recordRemoved() throws {
        try leaveRecord()
        for suffix in ["", "-wal", "-shm"] { try files.removeItem(atPath: path + suffix) }
        try expectRefusal("9 jobs, 1 to 9", "removed or moved")
        #expect(!files.fileExists(atPath: path))
        // An empty file is none.
        try Data().write(to: URL(filePath: path))
        try expectRefusal("9 jobs, 1 to 9")
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        #expect(try store.open().nextJob == JobNumber(10))
    }

    @Test("An empty file in the place of a record is refused before SQLite removes the log beside it")
    func recordEmptied() throws {
        try leaveRecord()
        let record = try #require(files.contents(atPath: path))
        try Data().write(to: URL(filePath: path))
        try expectRefusal("9 jobs, 1 to 9", "is empty")
        // What was put back in time is all there.
        try record.write(to: URL(filePath: path))
        #expect(try SQLStore(path: path).open().jobs.count == 9)
    }

    @Test("A missing record whose tally is damaged is no new record")
    func recordRemovedAndTallyDamaged() throws {
        try leaveRecord()
        for suffix in ["", "-wal", "-shm"] { try files.removeItem(atPath: path + suffix) }
        try Data("what is this?".utf8).write(to: URL(filePath: path + "-tally"))
        try expectRefusal("removed or moved", "baton.db-tally", "is missing or damaged")
        #expect(!files.fileExists(atPath: path))
        // A start with --accept-loss reports a loss of unknown size.
        let store = try SQLStore(path: path, acceptingLossAt: .at(9))
        #expect(store.acceptedLoss == RecordLoss(commits: nil, jobs: nil))
    }

    @Test("A missing or empty record is no new record beside the log of one, although the tally is gone, too")
    func recordAndTallyRemoved() throws {
        try leaveRecord()
        let record = try #require(files.contents(atPath: path))
        for suffix in ["", "-tally"] { try files.removeItem(atPath: path + suffix) }
        try expectRefusal("removed or moved", "baton.db-tally", "is missing or damaged")
        #expect(!files.fileExists(atPath: path))
        try Data().write(to: URL(filePath: path))
        try expectRefusal("is empty")
        // What was put back in time is all there, but nobody can tell.
        try record.write(to: URL(filePath: path))
        try expectRefusal("may be incomplete")
        #expect(try SQLStore(path: path, acceptingLossAt: .at(100)).open().jobs.count == 9)
    }

    @Test("An older copy in the place of a record is refused, unless its tally was made for it")
    func olderCopy() throws {
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit(changes(1))
        }
        try files.copyItem(atPath: path, toPath: directory.file("copy.db"))
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit(changes(2))
        }
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: directory.file("copy.db"), toPath: path)
        try expectRefusal("its last 2 commits are missing", "job 2")
        try SQLStore.makeTally(ofRecordAt: path)
        let store = try SQLStore(path: path)
        #expect(try store.open().nextJob == JobNumber(2))
    }

    @Test("Without a tally, only a record whose coordinator ended in order is known to be whole")
    func tallyRemoved() throws {
        try leaveRecord()
        for damage in ["-wal", "-tally"] { try files.removeItem(atPath: path + damage) }
        try expectRefusal("may be incomplete", "baton.db-tally")
        try Data("what is this?".utf8).write(to: URL(filePath: path + "-tally"))
        try expectRefusal("may be incomplete")
        do {
            let store = try SQLStore(path: path, acceptingLossAt: .at(100))
            #expect(store.acceptedLoss == RecordLoss(commits: nil, jobs: nil))
            _ = try store.open()
        }
        try files.removeItem(atPath: path + "-tally")
        let store = try SQLStore(path: path)
        #expect(store.acceptedLoss == nil)
        #expect(try store.open().jobs.count == 5)
    }

    @Test("A coordinator that goes on without what is missing gives no number twice, and notes the loss once")
    func accepted() throws {
        try leaveRecord()
        try files.removeItem(atPath: path + "-wal")
        for start in UInt32(0)..<2 {
            let store = try SQLStore(path: path, acceptingLossAt: .at(100))
            #expect(store.acceptedLoss == (start == 0 ? RecordLoss(commits: 4, jobs: 6...9) : nil))
            let state = try store.open()
            #expect(state.jobs.map(\.job.number.rawValue) == [1, 2, 3, 4, 5])
            #expect((state.nextJob, state.nextEvent, state.epoch) == (JobNumber(10), 11, 2 + start))
            let events = try store.events(after: 5, limit: 100)
            #expect(events.map(\.sequence) == [10])
            #expect(events.map(\.subject) == [.recordIncomplete(jobs: 4, commits: 4)])
            #expect(events.first?.time == .at(100))
        }
        // From now on the record is whole again.
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit([.job(JobRecord(10, [Entry()]))])
        store.close()
        #expect(try jobs(SQLStore(path: path)) == [1, 2, 3, 4, 5, 10])
    }

    @Test(
        "Jobs that are missing below the newest one are said, where SQLite lost commits and wrote others after them",
        arguments: [
            ([1, 2, 3, 4, 9, 10], 4, "4 of its commits are missing, and with them 4 jobs, 5 to 8."),
            ([1, 3, 6], 3, "3 of its commits are missing, and with them 3 jobs between 2 and 5."),
            ([2], 1, "one of its commits is missing, and with it job 1."),
            ([1, 3], 2, "2 of its commits are missing, and with them 2 jobs between 2 and 4."),
            ([1, 2], 1, "its last commit is missing, and with it no job."),
        ] as [([UInt32], UInt64, String)]
    )
    func missingBetween(present: [UInt32], commits: UInt64, words: String) throws {
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            for number in present { try store.commit([.job(JobRecord(number, [Entry()]))]) }
        }
        guard case .tally(var tally, let identity) = try TallyFile.read(beside: path, on: nil, record: path) else {
            Issue.record("There is no tally.")
            return
        }
        tally.commits += commits
        if present == [1, 3] { tally.job = 4 }
        _ = try TallyFile(beside: path, on: nil, record: path, tally, identity: identity)
        try expectRefusal(words)
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        #expect(store.acceptedLoss?.commits == commits)
        #expect(store.acceptedLoss?.jobCount == (words.contains("no job") ? 0 : commits))
        #expect(try store.open().nextJob == JobNumber(UInt32(tally.job) + 1))
    }

    @Test("The removal of a job at somebody's request is acknowledged, and its loss noticed")
    func removal() throws {
        let original = try TemporaryDirectory()
        let source = original.file("baton.db")
        let store = try SQLStore(path: source)
        _ = try store.open()
        try store.commit(changes(1) + [.jobFinished(JobNumber(1), JobCounts(succeeded: 1), .at(9))])
        store.database?.emptyLog()
        #expect(try store.remove([JobNumber(1)], except: []) == .removed)
        for suffix in Self.files where suffix != "-wal" {
            try files.copyItem(atPath: source + suffix, toPath: path + suffix)
        }
        try expectRefusal("its last commit is missing, and with it no job")
    }

    // MARK: - The tally itself

    @Test("A tally with any other bit is none")
    func damagedTally() {
        let tally = RecordTally(commits: 12, job: 7, event: 1 << 40, epoch: 3)
        let bytes = tally.withBytes { Array($0) }
        #expect(RecordTally(bytes: bytes) == tally)
        for bit in 0..<bytes.count * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(RecordTally(bytes: other) == nil, "bit \(bit)")
        }
        #expect(RecordTally(bytes: []) == nil && RecordTally(bytes: bytes + [0]) == nil)
    }
}
