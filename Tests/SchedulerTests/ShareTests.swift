@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Shares of queues with operations of mixed lengths", .timeLimit(.minutes(60)))
struct ShareTests {
    private static let classes: [QualityOfService] = [
        .background, .utility, .default, .userInitiated, .userInteractive,
    ]

    /// A random pattern of the lengths of a queue's operations, in microseconds.
    private static func lengths(_ random: inout SplitMix) -> @Sendable (Int) -> Int64 {
        let seed = random.next()
        switch random.next() % 8 {
        case 0: return { _ in 5 }
        case 1: return { _ in 100 }
        case 2: return { _ in 1000 }
        case 3: return { _ in 7000 }
        case 4: return { _ in 11_000 }
        case 5:
            return { number in
                var random = SplitMix(seed: seed &+ UInt64(number))
                return Int64(random.next() % 20_000)
            }
        case 6: return { number in number % 200 < 150 ? 200 : 15_000 }
        default: return { number in number < 300 ? 300 : 30_000 }
        }
    }

    private static func number(_ range: ClosedRange<Int>, _ random: inout SplitMix) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    /// Queues with random classes and random lengths; a quarter of the queues have operations of unknown length.
    private static func loads(_ random: inout SplitMix) -> [ShareRun.Load] {
        (0..<number(2...5, &random)).map { index in
            let isUnknown = number(0...3, &random) == 0
            return ShareRun.Load(
                name: "q\(index)",
                quality: classes[number(0...4, &random)],
                count: isUnknown ? 1500 : 100_000,
                length: lengths(&random),
                isUnknown: isUnknown
            )
        }
    }

    @Test(
        "QO5 The shares of queues in each window of at least 100 starts are within 20% of their weights",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func shares(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let loads = Self.loads(&random)
        let slots = (0..<Self.number(1...5, &random)).map { _ in Self.number(1...8, &random) }
        var run = ShareRun(loads, slots: slots)
        run.play(until: 1500)
        let weights = loads.map { Double($0.quality.weight) }
        let sum = weights.reduce(0, +)
        // Large enough that even the lightest queue has ten starts.
        let size = max(100, Int(10 * sum / (weights.min() ?? 1)))
        for start in stride(from: 0, through: run.starts.count - size, by: size) {
            for (queue, weight) in weights.enumerated() {
                let count = Double(run.starts[start..<start + size].count { $0.queue == queue })
                let share = Double(size) * weight / sum
                // A difference of one operation does not matter for shares.
                #expect(
                    abs(count - share) <= 0.2 * share + 1,
                    "seed \(seed), slots \(slots): \(count) of queue \(queue) instead of \(share) behind \(start) starts"
                )
            }
        }
    }

    @Test("QO5 Two queues of equal class get 39 to 61 of each 100 starts, whatever the lengths of their operations")
    func starving() {
        for (length, isUnknown) in [(Int64(11_000), false), (50, true), (100_000, true)] {
            for slots in Thoroughness.isFull ? [[1], [2], [1, 1], [8, 3]] : [[1], [8, 3]] {
                let load = ShareRun.Load(
                    name: "long",
                    quality: .default,
                    count: 200,
                    length: { _ in length },
                    isUnknown: isUnknown
                )
                let flood = ShareRun.Load(name: "flood", quality: .default, count: 250, length: { _ in 20 })
                var run = ShareRun([load, flood], slots: slots)
                run.isChecked = true
                run.play(until: 300)
                #expect(run.violations.isEmpty)
                for start in stride(from: 0, to: 300, by: 100) {
                    let count = run.starts[start..<start + 100].count { $0.queue == 0 }
                    #expect((39...61).contains(count), "\(count) of 100 behind \(start) with \(slots), \(length) µs")
                }
            }
        }
    }

    @Test(
        "QO5 A queue that becomes ready gets the next free slots before a flooding queue",
        arguments: 1...(Thoroughness.isFull ? 8 : 3) as ClosedRange<UInt64>
    )
    func newcomers(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let slots = Self.number(1...8, &random)
        let length = [Int64(5), 100, 1000, 4000][Self.number(0...3, &random)]
        let flood = ShareRun.Load(name: "flood", quality: .background, count: 1_000_000, length: { _ in length })
        let from = Int64(Self.number(20_000...40_000, &random))
        let newcomers = Self.number(1...slots, &random)
        let isUnknown = Self.number(0...1, &random) == 0
        let loads = (1...newcomers).map { index in
            ShareRun.Load(
                name: "new\(index)",
                quality: Self.classes[Self.number(0...4, &random)],
                count: 1,
                length: { _ in 50_000 },
                isUnknown: isUnknown,
                from: from
            )
        }
        var run = ShareRun([flood] + loads, slots: [slots])
        while run.now < 1_000_000 + from + 2 * ShareRun.distance + 2 * length { run.play(until: run.starts.count + 1) }
        let ready = 1_000_000 + from + 2 * ShareRun.distance
        let late = run.starts.filter { $0.time > ready }
        let first = late.lastIndex { $0.queue > 0 } ?? -1
        #expect(run.starts.count { $0.queue > 0 } == newcomers, "seed \(seed)")
        #expect(late[0..<first + 1].count { $0.queue == 0 } <= 0, "seed \(seed), \(slots) slots, \(length) µs")
    }

    @Test(
        "QO5 Each of 200 new queues starts once before a background queue starts for the second time",
        arguments: 1...2 as ClosedRange<UInt64>
    )
    func manyNewcomers(seed: UInt64) {
        let flood = ShareRun.Load(name: "flood", quality: .background, count: 1_000_000, length: { _ in 100 })
        let loads = (1...200).map { index in
            ShareRun.Load(
                name: "new\(index)",
                quality: Self.classes[index % 5],
                count: 3,
                length: { _ in 1000 + Int64(seed) * 700 },
                isUnknown: true,
                from: 25_000
            )
        }
        var run = ShareRun([flood] + loads, slots: [2, 3])
        while run.starts.count(where: { $0.queue > 0 }) < 600, run.now < 10_000_000 {
            run.play(until: run.starts.count + 50)
        }
        let order = run.starts.map(\.queue).filter { $0 > 0 }
        // All 200 queues start once before a background queue starts for the second time.
        let second = order.indices.first { index in
            loads[order[index] - 1].quality == .background && order[..<index].contains(order[index])
        }
        #expect(Set(order[..<(second ?? 0)]).count == 200, "seed \(seed)")
    }

    @Test(
        "QO5 A chain beside a flooding queue gets its turns, and no more than 1.2 times its share",
        arguments: classes
    )
    func chain(quality: QualityOfService) {
        let flood = ShareRun.Load(name: "flood", quality: .default, count: 1_000_000, length: { _ in 1000 })
        let chain = ShareRun.Load(name: "chain", quality: quality, count: 300, length: { _ in 1000 }, isChain: true)
        var run = ShareRun([flood, chain], slots: [2])
        run.play(until: 500)
        let links = run.starts.count { $0.queue == 1 }
        let share = Double(500 * quality.weight) / Double(4 + quality.weight)
        #expect(Double(links) <= 1.2 * share, "\(links) of 500")
        // The chain can use half of the slots, less the delay of reports of some milliseconds.
        #expect(Double(links) >= min(0.8 * share, 60), "\(links) of 500")
    }

    @Test("QO5 The prefetches of a stopped worker starve no queue once they have been recalled")
    func stopped() {
        let loads = [20, 11_000].enumerated().map { index, length in
            ShareRun.Load(name: "q\(index)", quality: .default, count: 100_000, length: { _ in Int64(length) })
        }
        var run = ShareRun(loads, slots: [2, 2])
        run.isChecked = true
        run.play(until: 100)
        run.stop(0, for: 2_000_000)
        run.play(until: 200)
        run.play(until: 300)
        #expect(run.violations.isEmpty)
        #expect((39...61).contains(run.starts[200..<300].count { $0.queue == 0 }))
    }

    @Test("QO5 A queue with a limit of 1 keeps getting turns beside a flooding queue", arguments: [[1], [2], [3, 1]])
    func limited(slots: [Int]) {
        let flood = ShareRun.Load(name: "flood", quality: .default, count: 100_000, length: { _ in 300 })
        let limited = ShareRun.Load(
            name: "limited",
            quality: .userInteractive,
            count: 2000,
            length: { _ in 900 },
            limit: 1
        )
        var run = ShareRun([flood, limited], slots: slots)
        run.isChecked = true
        run.play(until: 1000)
        #expect(run.violations.isEmpty)
        #expect(run.starts[200...].count { $0.queue == 1 } >= 25)
    }
}
