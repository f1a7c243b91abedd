import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTraces

@Suite("Sorting by time", .timeLimit(.minutes(60)))
struct TimeSorterTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...20)
    }()

    @Test(
        "Items come in the order of their times, and those of one time as they came, with any length of runs",
        arguments: seeds
    )
    func order(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let directory = FileManager.default.temporaryDirectory.path
        var sorter = TimeSorter(directory: directory, runLength: Int.random(in: 1...4_000, using: &random))
        var items: [(time: Int64, number: Int, text: String)] = []
        for number in 0..<Int.random(in: 0...600, using: &random) {
            let text = String(repeating: "x", count: Int.random(in: 0...50, using: &random)) + "\(number)"
            items.append((Int64.random(in: -20...20, using: &random), number, text))
            try sorter.append(Array(text.utf8), at: items[number].time)
        }
        var found: [String] = []
        var sorted = try sorter.takeItems()
        while let (time, bytes) = try sorted.next() {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(items.contains { $0.time == time && $0.text == text }, "BATON_SEED=\(seed) replays it")
            found.append(text)
        }
        items.sort { ($0.time, $0.number) < ($1.time, $1.number) }
        #expect(found == items.map(\.text), "BATON_SEED=\(seed) replays it")
    }

    @Test("An item longer than the blocks of the merge comes back whole")
    func longItem() throws {
        var sorter = TimeSorter(directory: FileManager.default.temporaryDirectory.path, runLength: 10)
        let long = [UInt8](repeating: 7, count: 300_000)
        try sorter.append(long, at: 2)
        try sorter.append([1], at: 1)
        var lengths: [Int] = []
        var sorted = try sorter.takeItems()
        while let item = try sorted.next() { lengths.append(item.bytes.count) }
        #expect(lengths == [1, 300_000])
    }

    @Test("A directory that is not there has a clear answer")
    func missingDirectory() {
        var sorter = TimeSorter(directory: "/nowhere/at/all", runLength: 1)
        do throws(TraceError) {
            try sorter.append([1, 2, 3], at: 1)
            Issue.record("no error")
        } catch {
            #expect(error.message.contains("/nowhere/at/all") && error.message.contains("TMPDIR"), "\(error)")
        }
    }
}
