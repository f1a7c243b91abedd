import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

/// A disk that harms the files of a record after a kill, or after a loss of power.
@Suite("A record on a hostile disk", .timeLimit(.minutes(60)))
struct HostileDiskTests {
    /// The number of runs; `BATON_HOSTILE_DISKS=100000` tries more.
    private static let runs = ProcessInfo.processInfo.environment["BATON_HOSTILE_DISKS"].flatMap { Int($0) } ?? 1000

    private static let record = "/baton.db"

    /// How a run ended.
    private enum End {
        case whole, refused, refusedWithoutTally
    }

    /// An empty record: the making of the tables takes longer than a run.
    private func emptyRecord() throws -> MemoryDisk {
        let disk = MemoryDisk()
        try SQLStore(on: disk).close()
        return disk
    }

    private func changes(_ number: UInt32, _ random: inout SplitMix) -> [RecordChange] {
        let entries = (0..<Int.random(in: 1...60, using: &random)).map { Entry(name: "operation\($0)") }
        return [
            .job(JobRecord(number, entries)),
            .event(
                ClusterEvent(
                    sequence: UInt64(number),
                    time: .at(1),
                    subject: .jobSubmitted(JobNumber(number), operations: UInt32(entries.count))
                )
            ),
            .clock(.at(Int64(number)), at: .at(Int64(number))),
        ]
    }

    /// Commits jobs from 1 on, and ends the process; after a kill, the disk does its worst.
    ///
    /// - Returns: the number of acknowledged jobs, and which files were harmed.
    private func harm(_ disk: MemoryDisk, _ random: inout SplitMix) throws -> (jobs: UInt32, endings: [String]) {
        var acknowledged: UInt32 = 0
        var losesPower = false
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let store = try SQLStore(on: disk)
            _ = try store.open()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                try store.commit(changes(acknowledged + 1, &random))
                acknowledged += 1
            }
            losesPower = Int.random(in: 0..<4, using: &random) == 0
            disk.restart(losingUnsynced: losesPower ? random.next() : nil)
            store.close()
        }
        // A loss of power may leave an older tally, which must not report what is not missing.
        if losesPower { return (acknowledged, []) }
        let isTallyHarmed = Int.random(in: 0..<10, using: &random) == 0
        let isBoth = isTallyHarmed && Bool.random(using: &random)
        let endings = (isTallyHarmed ? ["-tally"] : []) + (isTallyHarmed && !isBoth ? [] : ["-wal"])
        for ending in endings {
            let file = Self.record + ending
            guard let size = disk.size(of: file), size > 0 else { continue }
            disk.damage(file, by: .random(to: size, using: &random))
        }
        return (acknowledged, endings)
    }

    private func run(_ seed: UInt64, on disk: MemoryDisk) throws -> End {
        var random = SplitMix(seed: seed)
        let (acknowledged, endings) = try harm(disk, &random)
        let numbers = (0..<acknowledged).map { $0 + 1 }
        do throws(StoreError) {
            let state = try SQLStore(on: disk).open()
            #expect(state.jobs.map(\.job.number.rawValue) == numbers, "seed \(seed)")
            #expect(state.nextJob == JobNumber(acknowledged + 1), "seed \(seed)")
            return .whole
        } catch {
            #expect(error.code == .incomplete && !endings.isEmpty, "seed \(seed): \(error)")
        }
        let store = try SQLStore(on: disk, acceptingLossAt: .at(100))
        let state = try store.open()
        let left = state.jobs.map(\.job.number.rawValue)
        #expect(left == Array(numbers.prefix(left.count)), "seed \(seed)")
        guard let loss = store.acceptedLoss, loss.commits != nil else {
            #expect(store.acceptedLoss != nil && endings.contains("-tally"), "seed \(seed)")
            return .refusedWithoutTally
        }
        #expect(loss.jobCount == UInt64(numbers.count - left.count), "seed \(seed)")
        #expect(state.nextJob == JobNumber(acknowledged + 1), "seed \(seed)")
        #expect(state.nextEvent == UInt64(acknowledged) + 2, "seed \(seed)")
        return .refused
    }

    @Test("After any damage to the log and the tally, all that was acknowledged is there, or the record is refused")
    func random() throws {
        let empty = try emptyRecord()
        let seed = UInt64.random(in: 0...UInt64.max)
        var ends: [End: Int] = [:]
        for run in 0..<UInt64(Self.runs) { ends[try self.run(seed &+ run, on: empty.copy()), default: 0] += 1 }
        // Damage behind the last commit, and damage to all kinds of files, has been among the runs.
        let counts = [End.whole, .refused, .refusedWithoutTally].map { ends[$0] ?? 0 }
        #expect(counts.allSatisfy { $0 >= Self.runs / 50 }, "seed \(seed): \(counts)")
    }

    @Test("A tally of a commit that the record has, and whose tally was not written, is no loss")
    func olderTally() throws {
        let disk = try emptyRecord()
        var random = SplitMix(seed: 1)
        let store = try SQLStore(on: disk)
        _ = try store.open()
        try store.commit(changes(1, &random))
        let tally = try #require(disk.read(Self.record + "-tally", atMost: 1000))
        try store.commit(changes(2, &random))
        disk.restart()
        tally.withUnsafeBytes { disk.write($0, to: Self.record + "-tally", isForced: true) }
        #expect(try SQLStore(on: disk).open().jobs.count == 2)
    }
}
