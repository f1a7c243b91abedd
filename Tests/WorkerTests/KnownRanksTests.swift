import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The coordinators that a worker has obeyed", .timeLimit(.minutes(60)))
struct KnownRanksTests {
    @Test("A coordinator that was obeyed before is superseded after a higher epoch, and never before")
    func superseded() {
        var ranks = KnownRanks()
        for epoch in 1...UInt32(10) {
            let rank = LeaderRank.test(epoch)
            #expect(!ranks.isSuperseded(rank, isHigherPresent: false) && !ranks.isRestored(rank))
            let news = [ranks.note(rank), ranks.note(rank)]
            #expect(news == [true, false])
            #expect(ranks.highest == rank)
            for earlier in 1...epoch {
                #expect(ranks.isSuperseded(.test(earlier), isHigherPresent: false) == (earlier < epoch))
            }
        }
        // An unseen incarnation, and another record.
        #expect(!ranks.isSuperseded(.test(3, 99), isHigherPresent: false))
        #expect(!ranks.isSuperseded(.test(3, record: 2), isHigherPresent: false))
        #expect(ranks.isSuperseded(.test(3, 99), isHigherPresent: true))
    }

    @Test("D12 A restored copy of the record is obeyed from then on, and the record may come back by its epoch")
    func restored() {
        var ranks = KnownRanks()
        for epoch: UInt32 in [5, 6, 7] { _ = ranks.note(.test(epoch)) }
        let copy = LeaderRank.test(6, 60)
        #expect(ranks.isRestored(copy) && ranks.isRestored(.test(7, 70)) && !ranks.isRestored(.test(8)))
        let isNews = ranks.note(copy)
        #expect(isNews)
        #expect(ranks.highest == copy && !ranks.isRestored(copy))
        #expect(!ranks.isSuperseded(copy, isHigherPresent: false))
        #expect(ranks.isSuperseded(.test(5), isHigherPresent: false))
        // The last of the original comes back by its epoch, the others do not.
        #expect(!ranks.isSuperseded(.test(7), isHigherPresent: false))
        #expect(ranks.isSuperseded(.test(6), isHigherPresent: false))
        // The copy goes on to the epochs of the original.
        for epoch: UInt32 in [7, 8] { _ = ranks.note(.test(epoch, UInt64(epoch) * 10)) }
        for earlier in [LeaderRank.test(5), copy, .test(7), .test(7, 70)] {
            #expect(ranks.isSuperseded(earlier, isHigherPresent: false), "\(earlier)")
        }
    }

    @Test("The text gives the same ranks back, for all numbers of records and epochs")
    func lines() {
        for seed in 1...UInt64(100) {
            var random = SplitMix(seed: seed)
            var ranks = KnownRanks()
            #expect(KnownRanks(lines: ranks.lines) == ranks)
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let epoch = UInt32.random(in: 0...20, using: &random)
                let incarnation = UInt64.random(in: 1 ... .max, using: &random)
                _ = ranks.note(.test(epoch, incarnation, record: .random(in: 1...10, using: &random)))
            }
            #expect(KnownRanks(lines: ranks.lines) == ranks, "seed \(seed)")
        }
    }

    @Test("The latest eight records are kept, each with the latest sixteen earlier incarnations")
    func limits() {
        var ranks = KnownRanks()
        for record in 1...UInt64(9) { _ = ranks.note(.test(5, record: record)) }
        // The first record is forgotten, so that a lower epoch is no news of a copy.
        #expect(!ranks.isRestored(.test(4, record: 1)) && ranks.isRestored(.test(4, record: 2)))
        for epoch in 6...UInt32(30) { _ = ranks.note(.test(epoch, record: 9)) }
        let superseded = (1...UInt32(30)).filter { ranks.isSuperseded(.test($0, record: 9), isHigherPresent: false) }
        #expect(superseded == Array(14...29))
        #expect(ranks.lines.split(separator: "\n").count == 8)
    }

    @Test(
        "Lines that cannot be read are passed over",
        arguments: [
            "", "\n\n", "x", "0000000000000001 1", "0000000000000001 1 0000000000000001", "1 1 1 1",
            "0000000000000001 -1 0000000000000001 1", "0000000000000001 1 0000000000000000 1",
            "0000000000000001 4294967296 0000000000000001 4294967296", "0000000000000001 2 0000000000000001 1",
            "0000000000000001 1 0000000000000001 1 2", "0000000000000001 1 0000000000000001 1 ", "\u{0}\u{FFFD}",
        ]
    )
    func unreadable(text: String) {
        #expect(KnownRanks(lines: text) == KnownRanks())
        var one = KnownRanks()
        _ = one.note(.test(3, record: 2))
        #expect(KnownRanks(lines: text + "\n" + one.lines) == one)
    }

    @Test("A worker's directory keeps the ranks for the next worker, and knows none where the file cannot be read")
    func directory() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var ranks = KnownRanks()
        #expect(try WorkerDirectory(path).knownRanks == ranks)
        for epoch in 1...UInt32(40) {
            for record in 1...UInt64(8) { _ = ranks.note(.test(epoch, record: record)) }
        }
        try WorkerDirectory(path).keep(ranks)
        #expect(try WorkerDirectory(path).knownRanks == ranks)
        try Data([0xFF, 0, 0x0A]).write(to: URL(filePath: path + "/leaders"))
        #expect(try WorkerDirectory(path).knownRanks == KnownRanks())
        try FileManager.default.removeItem(atPath: path + "/leaders")
        try #require(symlink("/dev/zero", path + "/leaders") == 0)
        #expect(try WorkerDirectory(path).knownRanks == KnownRanks())
        // The worker replaces the link, and does not write to the file behind it.
        try WorkerDirectory(path).keep(ranks)
        #expect(try WorkerDirectory(path).knownRanks == ranks)
    }
}
