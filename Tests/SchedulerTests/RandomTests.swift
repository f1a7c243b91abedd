import Foundation
import Operations
import Testing

@testable import Scheduler

@Suite("Random histories", .timeLimit(.minutes(3)))
struct RandomTests {
    /// The seeds to play: that of the variable BATON_SEED alone, where it is set.
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...300)

    @Test("Random graphs, requests, workers and crashes go as the model says, and leave nothing behind")
    func agreesWithModel() {
        for seed in Self.seeds {
            var run = RandomRun(seed: seed)
            for _ in 0..<60 { run.step() }
            run.complete()
        }
    }

    @Test("D6 a restart to which all workers come back reruns nothing")
    func restarts() {
        for seed in Self.seeds {
            var run = RandomRun(seed: seed)
            for _ in 0..<40 { run.step() }
            run.restartOrderly()
        }
    }
}
