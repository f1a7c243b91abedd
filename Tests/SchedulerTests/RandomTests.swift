import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Random histories", .timeLimit(.minutes(60)))
struct RandomTests {
    /// The seeds to play: the single seed in BATON_SEED, or the number of seeds in BATON_SEEDS.
    static let seeds: ClosedRange<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BATON_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...max(1, environment["BATON_SEEDS"].flatMap { UInt64($0) } ?? 240)
    }()

    /// The least number of times that each situation has to occur, in the given number of histories.
    static let fewest = (times: 2, histories: 240)

    @Test("Random histories agree with the model, end without leftovers, and meet each situation at least twice")
    func agreesWithModel() async {
        var seen: [Situation: Int] = [:]
        // Play seeds one after the other: in parallel they would take all threads from tests with time limits.
        for seed in Self.seeds {
            seen.merge(Self.play(seed)) { $0 + $1 }
            await Task.yield()
        }
        if ProcessInfo.processInfo.environment["BATON_STATS"] != nil { print(seen) }
        guard Self.seeds.count >= Self.fewest.histories else { return }
        for situation in Situation.allCases {
            let times = seen[situation] ?? 0
            #expect(times >= Self.fewest.times, "\(situation) came up \(times) times only")
        }
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
