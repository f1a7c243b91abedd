import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Random histories", .timeLimit(.minutes(60)))
struct RandomTests {
    /// The seeds to play: the single seed in BATON_SEED, or the number of seeds in BATON_SEEDS.
    static let seeds: ClosedRange<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BATON_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        let usual = Thoroughness.isFull ? 10 * fewestHistories : fewestHistories
        return 1...max(1, environment["BATON_SEEDS"].flatMap { UInt64($0) } ?? usual)
    }()

    /// The number of histories that meet each situation.
    static let fewestHistories: UInt64 = 160

    /// The number of histories that are played at once: one after the other they take twice as long as all other tests here.
    private static let atOnce: UInt64 = 2

    @Test("Random histories agree with the model, end without leftovers, and meet each situation")
    func agreesWithModel() async {
        let seen = await withTaskGroup(of: [Situation: Int].self) { group in
            for part in 0..<Self.atOnce {
                group.addTask {
                    var seen: [Situation: Int] = [:]
                    for seed in Self.seeds where seed % Self.atOnce == part {
                        seen.merge(Self.play(seed)) { $0 + $1 }
                        // Other tests wait for the threads.
                        await Task.yield()
                    }
                    return seen
                }
            }
            return await group.reduce(into: [:]) { all, part in all.merge(part) { $0 + $1 } }
        }
        if ProcessInfo.processInfo.environment["BATON_STATS"] != nil { print(seen) }
        guard Self.seeds.count >= Self.fewestHistories else { return }
        for situation in Situation.allCases { #expect(seen[situation] != nil, "\(situation) did not come up") }
    }

    /// Plays one history to its end.
    ///
    /// - Returns: the number of times that each situation occurred.
    private static func play(_ seed: UInt64) -> [Situation: Int] {
        var run = RandomRun(seed: seed)
        for _ in 0..<70 { run.step() }
        if seed.isMultiple(of: 2) {
            for _ in 0..<2 {
                run.restartOrderly()
                for _ in 0..<10 { run.step() }
            }
        }
        run.complete()
        return run.seen
    }
}
