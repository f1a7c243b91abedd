import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonAggregates

@Suite("Percentiles of durations", .timeLimit(.minutes(60)))
struct DurationSketchTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...40)
    }()

    @Test(
        "Percentiles are exact for up to 64 durations, and at most 1/64 off for more, whatever their order and range",
        arguments: seeds
    )
    func percentiles(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let count =
            Bool.random(using: &random)
            ? Int.random(in: 1...DurationSketch.mostExact, using: &random) : Int.random(in: 65...5_000, using: &random)
        var sketch = DurationSketch()
        var durations: [Int64] = []
        let widest = Int.random(in: 1...62, using: &random)
        for _ in 0..<count {
            // As many short as long ones, and some that are equal.
            let bits = Int.random(in: 0...widest, using: &random)
            let duration = Int64.random(in: 0...(1 << bits), using: &random)
            durations.append(duration)
            sketch.add(duration)
        }
        durations.sort()
        let sum = durations.reduce(Int64(0)) { $0.addingSaturated($1) }
        #expect(sketch.count == count && sketch.longest == durations.last && sketch.sum == sum, "BATON_SEED=\(seed)")
        for percent in [1, 25, 50, 95, 99, 100] {
            let exact = durations[(count * percent + 99) / 100 - 1]
            let found = try #require(sketch.percentile(percent))
            let error = abs(Double(found) - Double(exact))
            let allowed = count <= DurationSketch.mostExact || exact < 64 ? 0 : Double(exact) / 64
            #expect(error <= allowed, "\(percent) %: \(found) for \(exact), BATON_SEED=\(seed)")
        }
    }

    @Test("The ends of the range are durations like others, a negative one is 0, and no duration has no percentile")
    func ends() {
        #expect(DurationSketch().percentile(50) == nil)
        var sketch = DurationSketch()
        for _ in 0..<100 {
            sketch.add(.max)
            sketch.add(-5)
            sketch.add(.min)
        }
        #expect(sketch.percentile(50) == 0 && sketch.sum == .max && sketch.longest == .max)
        let longest = Double(sketch.percentile(95) ?? 0)
        #expect(longest >= Double(Int64.max) * 63 / 64)
    }
}
