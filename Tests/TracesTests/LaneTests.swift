import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTraces

@Suite("Lanes of a trace", .timeLimit(.minutes(60)))
struct LaneTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...40)
    }()

    @Test("Attempts in the order of their starts never overlap in a lane", arguments: seeds, [nil, 1, 3] as [Int?])
    func noOverlap(_ seed: UInt64, _ slots: Int?) {
        var random = SplitMix(seed: seed)
        var table = LaneTable(slots: slots)
        var last: [Int: Int64] = [:]
        var time: Int64 = 0
        for _ in 0..<500 {
            time += Int64.random(in: 0...90_000, using: &random)
            let end = time + Int64.random(in: 0...400_000, using: &random)
            let place = table.place(time, end)
            #expect(place.start >= last[place.lane] ?? 0 && place.end >= place.start, "BATON_SEED=\(seed) replays it")
            #expect(place.start >= time && place.end >= end, "BATON_SEED=\(seed) replays it")
            last[place.lane] = place.end
        }
    }

    @Test("A worker whose reports are late by different times has no more lanes than slots", arguments: seeds)
    func lateReports(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        let slots = 3
        var free = Array(repeating: Int64(0), count: slots)
        var attempts: [(start: Int64, end: Int64)] = []
        for _ in 0..<400 {
            let slot = free.indices.min { free[$0] < free[$1] } ?? 0
            let start = free[slot] + Int64.random(in: 0...500, using: &random)
            let end = start + Int64.random(in: 0...20_000, using: &random)
            free[slot] = end
            let late = Int64.random(in: 0...10_000, using: &random)
            attempts.append((start + late, end + late))
        }
        attempts.sort { $0.start < $1.start }
        var table = LaneTable(slots: slots)
        for attempt in attempts { _ = table.place(attempt.start, attempt.end) }
        #expect(table.ends.count == slots, "BATON_SEED=\(seed) replays it")
    }

    @Test("Attempts of two sessions that overlap for long get a lane more")
    func twoSessions() {
        var table = LaneTable(slots: 1)
        #expect(table.place(0, 10_000_000).lane == 0)
        #expect(table.place(1_000_000, 2_000_000).lane == 1)
        #expect(table.place(9_999_000, 11_000_000).lane == 1)
        #expect(table.place(10_000_000, 12_000_000).lane == 0)
    }
}
