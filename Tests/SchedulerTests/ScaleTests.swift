@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@_spi(Baton) @testable import BatonScheduler

@Suite("Scale", .timeLimit(.minutes(60)))
struct ScaleTests {
    /// The processor time of this thread, without the load of other processes on the machine.
    static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The processor time for each operation of a graph, from submission to end, on one worker with 8 slots.
    private static func costOfAnOperation(_ entries: [Entry], isCancelled: Bool = false) -> Duration {
        var scheduler = Scheduler()
        let now = Timestamp(rawValue: 0)
        let session = SessionID(rawValue: 1)
        let start = processorTime()
        let submission = Submission(templates: [.noOperation], entries: entries)
        let request = RequestID(rawValue: 1)
        _ = scheduler.submit(submission, request: request, at: now)
        if isCancelled {
            _ = scheduler.apply(.cancel([.operation(JobNumber(1) / 0)], request: request), at: now)
        }
        var waiting = scheduler.join("w1", session, slots: 8, at: now)
        var next = 0
        while next < waiting.count {
            defer { next += 1 }
            guard case .dispatch(let assignment) = waiting[next] else { continue }
            let result = AttemptResult(end: .exited(0))
            waiting += scheduler.apply(
                .attemptEnded(session, assignment.token, assignment.operation, result, seed: 0),
                at: now
            )
        }
        let time = processorTime() - start
        #expect(scheduler.counts.finished == entries.count)
        #expect(scheduler.violations().isEmpty)
        #expect(scheduler.graph.nodeCount == 0 && scheduler.graph.edgeCount == 0)
        return time / entries.count
    }

    /// Expects at most four times the time per operation for ten times the number: linear, with room for caches.
    ///
    /// One of three rounds is enough: what else the machine does may slow a round, and a square slows all.
    private static func expectLinear(upTo count: Int, costOfEach: (Int) -> Duration) {
        var seen: [String] = []
        for _ in 0..<3 {
            let small = costOfEach(count / 10)
            let large = costOfEach(count)
            guard large >= small * 4 else { return }
            seen.append("\(small) each of \(count / 10), \(large) each of \(count)")
        }
        Issue.record("\(seen)")
    }

    private static func expectLinear(upTo count: Int, isCancelled: Bool = false, _ entries: (Int) -> [Entry]) {
        expectLinear(upTo: count) { costOfAnOperation(entries($0), isCancelled: isCancelled) }
    }

    // Each worker that left was searched among all, with all their types: a few keys kept the coordinator busy for seconds.
    @Test("A worker is found by its name in the same time among any number")
    func workersByName() {
        Self.expectLinear(upTo: 5000) { count in
            var scheduler = Scheduler()
            for number in 0..<count {
                let worker = WorkerIntroduction(
                    name: "w\(number)",
                    session: SessionID(rawValue: UInt64(number) + 1),
                    slots: 1,
                    id: WorkerID(rawValue: UInt64(number) + 1),
                    types: ["type \(number)"]
                )
                _ = scheduler.apply(.workerJoined(worker), at: Timestamp(rawValue: 0))
            }
            let start = Self.processorTime()
            for number in 0..<count { #expect(scheduler.worker(named: "w\(number)") != nil) }
            return (Self.processorTime() - start) / count
        }
    }

    @Test("An array of 100,000 elements takes 20,000 cancellations of single ones in linear time")
    func cutArray() {
        Self.expectLinear(upTo: 20_000) { count in
            var scheduler = Scheduler()
            let now = Timestamp(rawValue: 0)
            let submission = Submission(templates: [.noOperation], entries: [.array(5 * count)])
            _ = scheduler.submit(submission, at: now)
            let targets = (0..<count).map { OperationSelection.operation(JobNumber(1) / (5 * $0 + 3)) }
            let start = Self.processorTime()
            _ = scheduler.apply(.cancel(targets, request: RequestID(rawValue: 2)), at: now)
            let time = Self.processorTime() - start
            #expect(scheduler.graph.nodeCount == count + 1)
            #expect(scheduler.counts.cancelled == count)
            return time / count
        }
    }

    @Test("DE19 A chain of 100,000 operations completes in bounded stack and linear time")
    func chain() {
        Self.expectLinear(upTo: 100_000) { count in (0..<count).map { $0 == 0 ? .op() : .op(on: .after($0 - 1)) } }
    }

    @Test("DE19 A chain of 30,000 operations is skipped in bounded stack and linear time")
    func skippedChain() {
        Self.expectLinear(upTo: 30_000, isCancelled: true) { count in
            (0..<count).map { $0 == 0 ? .op() : .op(on: .needs($0 - 1)) }
        }
    }

    @Test("DE19 The 100,000 dependents of one operation are woken in linear time")
    func fan() {
        Self.expectLinear(upTo: 100_000) { count in (0..<count).map { $0 == 0 ? .op() : .op(on: .after(0)) } }
    }

    @Test("DE19 An operation with 30,000 dependencies completes in linear time")
    func funnel() {
        Self.expectLinear(upTo: 30_000) { count in
            (0..<count - 1).map { _ in .op() }
                + [Entry(dependencies: (0..<count - 1).map { .after($0) })]
        }
    }

    @Test("The worker index finds a worker with 4,096 slots while its free slots are counted down to none")
    func manySlots() {
        var workers = Ranking<Slot>()
        for slots in stride(from: 4096, to: 0, by: -1) {
            workers.set(Slot(position: 7), to: slots)
            #expect(workers.best == Slot(position: 7))
            #expect(workers.number(of: Slot(position: 7)) == slots)
        }
        workers.set(Slot(position: 7), to: 0)
        #expect(workers.best == nil)
        #expect(workers.count == 0)
    }

    @Test("The worker index always gives a worker with the largest number of free slots")
    func workerIndex() {
        var random = SplitMix(seed: 5)
        var workers = Ranking<Slot>()
        var numbers = [Int](repeating: 0, count: 20)
        for _ in 0..<5000 {
            let worker = random.number(0...19)
            numbers[worker] = random.chance(30) ? 0 : random.number(0...50)
            workers.set(Slot(position: Int32(worker)), to: numbers[worker])
            let best = workers.best.map { numbers[Int($0.position)] }
            #expect(best == numbers.max().flatMap { $0 > 0 ? $0 : nil })
            #expect(workers.count == numbers.count { $0 > 0 })
        }
    }

    @Test("Of workers with equally many free slots, the last one is the best, and takes the place of one that leaves")
    func equalWorkers() {
        var random = SplitMix(seed: 7)
        var workers = Ranking<Slot>()
        var lists = [[Int]](repeating: [], count: 6)
        for _ in 0..<5000 {
            let worker = random.number(0...12)
            let number = random.number(0...5)
            let old = lists.firstIndex { $0.contains(worker) } ?? 0
            if old != number {
                if let position = lists[old].firstIndex(of: worker) {
                    let last = lists[old].removeLast()
                    if last != worker { lists[old][position] = last }
                }
                if number > 0 { lists[number].append(worker) }
            }
            workers.set(Slot(position: Int32(worker)), to: number)
            let best = lists.last { !$0.isEmpty }?.last
            #expect(workers.best.map { Int($0.position) } == best)
        }
    }
}

/// A position in a ranking.
private struct Slot: Positioned {
    let position: Int32
}
