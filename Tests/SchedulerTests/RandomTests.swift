import Foundation
import Operations
import Testing

@testable import Scheduler

@Suite("Random histories", .timeLimit(.minutes(3)))
struct RandomTests {
    /// The seeds to play, in parts that may be played at once: that of the variable BATON_SEED alone, where it is set.
    static let parts: [[UInt64]] =
        ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }.map { [[$0]] }
        ?? stride(from: 1, to: 321, by: 40).map { Array($0..<$0 + 40) }

    /// What does not come up in each part.
    static let rare: Set<Situation> = [.adopted, .adoptedUnstarted, .carriedOutLate, .hookRunAgain, .lostExecuting]

    @Test("Random histories go as the model says, leave nothing behind, and rerun nothing", arguments: parts.indices)
    func agreesWithModel(part: Int) {
        var seen: [Situation: Int] = [:]
        for seed in Self.parts[part] {
            var run = RandomRun(seed: seed)
            for _ in 0..<70 { run.step() }
            if seed.isMultiple(of: 2) {
                run.restartOrderly()
                for _ in 0..<10 { run.step() }
            }
            run.complete()
            seen.merge(run.seen) { $0 + $1 }
        }
        guard Self.parts.count > 1 else { return }
        for situation in Situation.allCases where !Self.rare.contains(situation) {
            #expect(seen[situation] ?? 0 > 0, "\(situation) never came up")
        }
        if ProcessInfo.processInfo.environment["BATON_STATS"] != nil { print(part, seen) }
    }
}
