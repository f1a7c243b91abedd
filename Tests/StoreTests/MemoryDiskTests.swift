import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import BatonTestRecords
import Testing

/// What a record does on a disk that fails, in each write of a commit.
@Suite("A record on a disk in memory", .timeLimit(.minutes(60)))
struct MemoryDiskTests {
    private let disk = MemoryDisk()

    /// The changes of a job that take several pages.
    private func changes(_ number: UInt32) -> [RecordChange] {
        let entries = (0..<200).map { Entry(name: "operation\(number)-\($0)") }
        return [.job(JobRecord(number, entries)), .queue("q\(number)", QueueRecord())]
    }

    /// The jobs of the record as the next process finds them, each of them whole.
    private func jobs(_ store: SQLStore) throws -> [UInt32] {
        let state = try store.open()
        #expect(Set(state.queues.keys) == Set(state.jobs.map { "q\($0.job.number)" }))
        #expect(state.jobs.allSatisfy { $0.job.submission.operationCount == 200 })
        return state.jobs.map(\.job.number.rawValue)
    }

    @Test("A commit on a full disk fails with a sentence and keeps nothing, and succeeds once there is room")
    func full() throws {
        let store = try SQLStore(on: disk)
        _ = try store.open()
        try store.commit(changes(1))
        disk.setFull(true)
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) { try store.commit(changes(2)) }
            #expect(error.code == .full)
            #expect(try store.job(JobNumber(1)) != nil && store.job(JobNumber(2)) == nil)
        }
        disk.setFull(false)
        try store.commit(changes(2))
        #expect(try jobs(store) == [1, 2])
    }

    @Test("The rows of a commit whose success nobody was told are no errors, whether the record has them or not")
    func unknownSuccess() throws {
        for isCommitted in [false, true] {
            let store = try SQLStore(on: MemoryDisk())
            _ = try store.open()
            var ledger = Ledger()
            ledger.begin([.job(JobRecord(1, [Entry()]))])
            try store.commit([.job(JobRecord(1, [Entry()]))])
            ledger.noteTransaction(of: 1)
            let operation = OperationID(1, 0)
            let lost = AttemptRecord(
                attempt: 1,
                worker: "w",
                startedAt: .at(1),
                endedAt: .at(2),
                reason: Reason(.lost, "Its worker is lost.")
            )
            var totals = ClusterTotals()
            totals.jobs.failed = 1
            let changes: [RecordChange] = [
                .output(operation, AttemptOutput(attempt: 1, "", error: "No.")),
                .attempt(operation, lost),
                .totals(totals),
            ]
            ledger.begin(changes)
            if isCommitted { try store.commit(changes) }
            ledger.noteTransaction(of: 0)
            #expect(ledger.check(store, try store.open()) == [])
        }
    }

    @Test("A commit whose write fails, whichever it is, keeps nothing, and succeeds when it is tried again")
    func failedWrites() throws {
        let store = try SQLStore(on: disk)
        _ = try store.open()
        var number: UInt32 = 0
        var failures = 0
        for writes in 0... {
            number += 1
            disk.failWrite(after: writes)
            do {
                try store.commit(changes(number))
                break
            } catch {
                failures += 1
                #expect(error.code == .notAccessible)
                #expect(try store.job(JobNumber(number)) == nil)
                try store.commit(changes(number))
            }
        }
        #expect(failures > 10)
        disk.restart(losingUnsynced: 1)
        #expect(try jobs(SQLStore(on: disk)) == Array(1...number))
    }

    @Test("A loss of power in any write of a commit loses nothing of earlier commits, and of this one nothing or all")
    func losesPower() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var kept: [UInt32] = []
        var halves = 0
        for writes in 0... {
            let store = try SQLStore(on: disk)
            #expect(try jobs(store) == kept, "seed \(seed)")
            let number = UInt32(writes) + 1
            disk.losePower(after: writes)
            let isCommitted = (try? store.commit(changes(number))) != nil
            let hadPower = !disk.hasLostPower
            disk.restart(losingUnsynced: seed &+ UInt64(writes))
            let after = try jobs(SQLStore(on: disk))
            #expect(after == kept || after == kept + [number], "seed \(seed)")
            #expect(!isCommitted || after.last == number, "seed \(seed)")
            if !isCommitted { halves += 1 }
            kept = after
            if hadPower { break }
        }
        #expect(halves > 10)
    }

    @Test("The end of a process keeps what it has committed, also if it had no power left to say so")
    func processEnds() throws {
        let store = try SQLStore(on: disk)
        _ = try store.open()
        try store.commit(changes(1))
        disk.restart()
        #expect(throws: StoreError.self) { try store.commit(changes(2)) }
        #expect(throws: StoreError.self) { try store.open() }
        store.close()
        #expect(try jobs(SQLStore(on: disk)) == [1])
    }

    @Test("A copy of a disk has what was written to the disk, and goes its own way")
    func copies() throws {
        let store = try SQLStore(on: disk)
        _ = try store.open()
        try store.commit(changes(1))
        let copy = try SQLStore(on: disk.copy())
        try store.commit(changes(2))
        try copy.commit(changes(3))
        #expect(try jobs(store) == [1, 2] && jobs(copy) == [1, 3])
    }

    @Test("A reader of the disk sees one moment, while its store commits and empties its log")
    func readers() throws {
        let store = try SQLStore(on: disk)
        _ = try store.open()
        let reader = try #require(try store.makeReader())
        try store.commit(changes(1))
        reader.atOneMoment {
            #expect((try? reader.jobs(before: nil, limit: 9).count) == 1)
            #expect(throws: Never.self) { try store.commit(changes(2)) }
            #expect((try? reader.jobs(before: nil, limit: 9).count) == 1)
        }
        #expect(try reader.jobs(before: nil, limit: 9).count == 2)
        reader.close()
        store.close()
        #expect(try jobs(SQLStore(on: disk)) == [1, 2])
    }
}
