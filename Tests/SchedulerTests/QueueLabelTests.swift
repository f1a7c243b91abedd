@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Tests of the labels of queues in figures: no counter falls, and none moves to another label.
@Suite("Labels of the queues' figures", .timeLimit(.minutes(60)))
struct QueueLabelTests {
    /// The counters of each label.
    private struct Counters: Equatable {
        var submitted: [String: Int] = [:]
        var ended: [String: EndCounts] = [:]

        init(_ scheduler: Scheduler) {
            for figures in scheduler.queueFigures {
                submitted[figures.label, default: 0] += figures.submitted
                let sum = ended[figures.label] ?? EndCounts()
                ended[figures.label] = sum + figures.ended
            }
        }

        var labels: Set<String> { Set(submitted.keys) }
        var endedSum: Int { ended.values.reduce(0) { $0 + $1.sum } }

        /// The labels with a smaller counter than before; a label that is gone has none.
        func fallen(since before: Counters) -> [String] {
            before.labels.intersection(labels).filter { label in
                let (now, old) = (ended[label] ?? EndCounts(), before.ended[label] ?? EndCounts())
                return submitted[label] ?? 0 < before.submitted[label] ?? 0
                    || Outcome.allCases.contains { now[$0] < old[$0] }
            }
        }
    }

    /// Runs an operation in each of some queues.
    private func run(_ queues: [String], _ cluster: inout Cluster) {
        let entries = queues.indices.map { Entry.op(queue: $0) }
        let submission = Submission(queueNames: queues, templates: [.noOperation], entries: entries)
        _ = cluster.answer(to: submission)
        cluster.finishAll()
    }

    private func cluster() -> Cluster {
        var cluster = Cluster()
        cluster.checkInterval = 53
        cluster.join("w1", slots: 7)
        return cluster
    }

    @Test("A restart leaves each label of more than a hundred queues as it was, whatever the order of their names")
    func restart() {
        var cluster = cluster()
        let names = (0..<130).map { "q\($0)" }.shuffled()
        run(names, &cluster)
        let before = Counters(cluster.scheduler)
        #expect(before.labels == Set(names.prefix(100) + ["other"]))
        #expect(before.ended["other"]?.succeeded == 30)
        for _ in 0..<3 {
            cluster.restart()
            #expect(Counters(cluster.scheduler) == before)
        }
        cluster.join("w1", slots: 7)
        run(["new"] + names, &cluster)
        let after = Counters(cluster.scheduler)
        #expect(after.labels == before.labels)
        #expect(after.ended["other"]?.succeeded == 61 && after.endedSum == 261)
    }

    @Test("The deletion of a queue without a label leaves the sum as it was, with its times, also after a restart")
    func deletionOfOther() {
        var cluster = cluster()
        run((0..<130).map { "q\($0)" }, &cluster)
        let before = Counters(cluster.scheduler)
        func waits() -> UInt64 {
            cluster.scheduler.queueFigures.reduce(0) { $0 + ($1.label == "other" ? $1.waits.count : 0) }
        }
        #expect(waits() == 30)
        for number in [129, 110, 100] {
            _ = cluster.answer { .deleteQueue("q\(number)", request: $0) }
            #expect(Counters(cluster.scheduler) == before && waits() == 30)
        }
        cluster.restart()
        #expect(Counters(cluster.scheduler) == before)
        cluster.join("w1", slots: 7)
        run(["q110"], &cluster)
        #expect(Counters(cluster.scheduler).ended["other"]?.succeeded == 31)
    }

    @Test(
        "A new queue takes over the label that was given up first, and no label that a queue has",
        arguments: [false, true]
    )
    func takingOver(isRestarted: Bool) {
        var cluster = cluster()
        run((100..<230).map { "q\($0)" }, &cluster)
        for number in [150, 160] { _ = cluster.answer { .deleteQueue("q\(number)", request: $0) } }
        if isRestarted {
            cluster.restart()
            cluster.join("w1", slots: 7)
        }
        let before = Counters(cluster.scheduler)
        run(["first"], &cluster)
        var now = Counters(cluster.scheduler)
        #expect(now.labels == before.labels.subtracting(["q150"]).union(["first"]))
        #expect(now.fallen(since: before).isEmpty && now.ended["first"]?.succeeded == 1)
        // A queue without a label has none later, either, and the name of a lost label is a new one.
        run(["q229", "q160", "q150", "other"], &cluster)
        now = Counters(cluster.scheduler)
        #expect(now.labels == before.labels.subtracting(["q150"]).union(["first"]))
        #expect(now.ended["other"]?.succeeded == 33 && now.ended["q160"]?.succeeded == 2)
        cluster.restart()
        #expect(Counters(cluster.scheduler) == now)
        #expect(cluster.record.totals.queues.count == 100)
    }

    @Test("No counter falls and no label is lost to a restart while queues come and go", arguments: 0..<3)
    func comingAndGoing(run: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        var cluster = cluster()
        var counters = Counters(cluster.scheduler)
        var seen = cluster.record.changes.count
        for _ in 0..<random.number(15...35) {
            let before = Set(cluster.record.queues.keys)
            switch random.number(0...9) {
            case 0...3:
                let queues = (0..<random.number(1...40)).map { "q\(random.number(0...60) * 3 + $0)" }
                self.run(Set(queues).sorted(), &cluster)
            case 4...7:
                for _ in 0..<random.number(1...15) {
                    guard let name = random.pick(cluster.record.queues.keys.sorted()) else { break }
                    _ = cluster.answer { .deleteQueue(name, request: $0) }
                }
            default:
                cluster.restart()
                #expect(Counters(cluster.scheduler) == counters, "seed \(seed)")
                cluster.join("w1", slots: 7)
            }
            let now = Counters(cluster.scheduler)
            var dropped: Set<String> = []
            for case .totals(let totals) in cluster.record.changes[seen...] { dropped.formUnion(totals.dropped) }
            seen = cluster.record.changes.count
            #expect(dropped.isDisjoint(with: before), "seed \(seed)")
            #expect(dropped.isSuperset(of: now.fallen(since: counters)), "seed \(seed)")
            #expect(now.labels.count <= 101 && cluster.record.totals.queues.count <= 100, "seed \(seed)")
            #expect(cluster.record.totalFaults.isEmpty, "seed \(seed)")
            counters = now
        }
    }
}
