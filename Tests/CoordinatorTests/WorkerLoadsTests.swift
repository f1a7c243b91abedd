@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("How busy workers were", .timeLimit(.minutes(60)))
struct WorkerLoadsTests {
    /// A moment in the middle of a part.
    private static let start = Timestamp(rawValue: 1_700_000_003_250_000)

    private func load(_ name: String, _ executing: Int, of slots: Int = 4) -> WorkerLoad {
        WorkerLoad(name: name, executing: executing, slots: slots)
    }

    @Test("A part has the mean share of its seconds, and the present part is left out")
    func parts() {
        var loads = WorkerLoads(at: Self.start)
        for second in 1...6 { loads.note([load("w1", 2)], at: Self.start + .seconds(second)) }
        #expect(loads.shares(of: "w1", at: Self.start + .seconds(6)) == [], "the part is not over")
        // Within a second, the first sample counts.
        loads.note([load("w1", 4)], at: Self.start + .milliseconds(6_100))
        for second in 7...16 { loads.note([load("w1", second < 12 ? 4 : 1)], at: Self.start + .seconds(second)) }
        #expect(loads.shares(of: "w1", at: Self.start + .seconds(17)) == [0.5, 0.625])
        #expect(loads.shares(of: "w2", at: Self.start + .seconds(17)) == [])
        // More attempts than slots, and no slots at all, are no share above 1.
        loads.note([load("w1", 9), load("w2", 0, of: 0)], at: Self.start + .seconds(26))
        #expect(loads.shares(of: "w1", at: Self.start + .seconds(27)) == [0.5, 0.625, 1])
        #expect(loads.shares(of: "w2", at: Self.start + .seconds(27)) == [])
    }

    @Test("A coordinator that has slept counts what was the case for all seconds, but a new worker for one")
    func sleep() {
        var loads = WorkerLoads(at: Self.start)
        loads.note([load("w1", 2)], at: Self.start + .seconds(6))
        loads.note([load("w1", 4), load("w2", 1)], at: Self.start + .seconds(36))
        #expect(loads.shares(of: "w1", at: Self.start + .seconds(36)) == [0.5, 1, 1])
        #expect(loads.shares(of: "w2", at: Self.start + .seconds(37)) == [0.25])
        // A worker that is away is not busy.
        loads.note([load("w1", 4)], at: Self.start + .seconds(66))
        #expect(loads.shares(of: "w2", at: Self.start + .seconds(67)) == [0.25, 0, 0, 0])
        loads.note([load("w1", 4)], at: Self.start + .seconds(500_000))
        #expect(loads.shares(of: "w1", at: Self.start + .seconds(500_000)) == Array(repeating: 1, count: 90))
        #expect(loads.shares(of: "w2", at: Self.start + .seconds(500_000)) == [])
    }

    @Test("The parts are the means of the seconds, of the last quarter of an hour", arguments: 0..<8)
    func reference(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var loads = WorkerLoads(at: Self.start)
        var now = Self.start
        /// The share of each second, from the first sample on.
        var seconds: [Int64: Int64] = [:]
        for _ in 0..<2_000 {
            let isLong = random.chance(3)
            let before = now.rawValue / 1_000_000
            now = now + .milliseconds(isLong ? random.number(0...90_000) : random.number(0...1_500))
            let slots = random.number(1...7)
            let executing = random.number(0...slots)
            loads.note([load("w1", executing, of: slots)], at: now)
            let second = now.rawValue / 1_000_000
            guard second > before else { continue }
            let first = seconds.isEmpty ? second : before + 1
            for passed in first...second { seconds[passed] = Int64(executing * 1_000 / slots) }
        }
        let present = now.rawValue / 10_000_000
        let expected = (present - 90..<present).map { part -> Double in
            let shares = (part * 10..<part * 10 + 10).compactMap { seconds[$0] }
            return Double(shares.reduce(0, +) / Int64(shares.count)) / 1_000
        }
        #expect(loads.shares(of: "w1", at: now) == expected, "seed \(seed)")
    }

    @Test("A thousand workers have shares; another one has some once one of them was away for a quarter of an hour")
    func bound() {
        var loads = WorkerLoads(at: Self.start)
        let names = (0..<WorkerLoads.mostWorkers).map { "w\($0)" }
        func note(_ names: some Sequence<String>, after second: Int) {
            loads.note(names.map { load($0, 1) }, at: Self.start + .seconds(second))
        }
        func isKnown(_ name: String, after second: Int) -> Bool {
            !loads.shares(of: name, at: Self.start + .seconds(second)).isEmpty
        }
        note(names + ["late"], after: 1)
        #expect(isKnown("w0", after: 11) && !isKnown("late", after: 11))
        for second in stride(from: 11, through: 891, by: 10) { note(names.dropFirst() + ["late"], after: second) }
        #expect(isKnown("w0", after: 900) && !isKnown("late", after: 900))
        for second in stride(from: 901, through: 921, by: 10) { note(names.dropFirst() + ["late"], after: second) }
        #expect(!isKnown("w0", after: 931) && isKnown("late", after: 931) && isKnown("w1", after: 931))
    }
}
