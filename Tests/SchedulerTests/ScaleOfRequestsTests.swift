@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Scale of requests, barriers and suspension", .timeLimit(.minutes(60)))
struct ScaleOfRequestsTests {
    private static let now = Timestamp(rawValue: 0)
    private static let request = RequestID(rawValue: 1)
    private static let job = JobNumber(1)

    /// A scheduler with submitted entries.
    private static func scheduler(_ entries: [Entry], queueChange: QueueChange? = nil) -> Scheduler {
        var scheduler = Scheduler(configuration: Configuration(sendAhead: .atMost(0)))
        let submission = Submission(
            queueChanges: queueChange.map { [$0] } ?? [],
            templates: [.noOperation],
            entries: entries
        )
        _ = scheduler.submit(submission, request: request, at: now)
        return scheduler
    }

    /// The processor time of a closure.
    private static func time(_ body: () -> Void) -> Duration {
        let start = ScaleTests.processorTime()
        body()
        return ScaleTests.processorTime() - start
    }

    /// Expects at most thirty times the time for eight times the number: far from a square, with room for caches.
    ///
    /// One of three rounds is enough: what else the machine does may slow a round, and a square slows all.
    private static func expectLinear(upTo count: Int, _ body: (Int) -> Duration) {
        var seen: [String] = []
        for _ in 0..<3 {
            let small = body(count / 8)
            let large = body(count)
            guard large >= small * 30 else { return }
            seen.append("\(small) for \(count / 8), \(large) for \(count)")
        }
        Issue.record("\(seen)")
    }

    private static func runAll(_ scheduler: inout Scheduler, slots: Int = 4) -> [OperationID] {
        let session = SessionID(rawValue: 1)
        var effects = scheduler.join("w1", session, slots: slots, at: now)
        var order: [OperationID] = []
        var next = 0
        while next < effects.count {
            defer { next += 1 }
            guard case .dispatch(let attempt) = effects[next] else { continue }
            order.append(attempt.operation)
            let result = AttemptResult(end: .exited(0), microseconds: 1_000_000)
            effects += scheduler.apply(
                .attemptEnded(session, attempt.token, attempt.operation, result, seed: 0),
                at: now
            )
        }
        return order
    }

    @Test("BA3 A queue with 1,000 barriers runs in order and in linear time")
    func barriers() {
        Self.expectLinear(upTo: 1000) { count in
            let entries = (0..<count).flatMap { _ in [Entry.op(), .op(), .op(), .barrier()] }
            var order: [OperationID] = []
            let time = Self.time {
                var scheduler = Self.scheduler(entries)
                order = Self.runAll(&scheduler)
                #expect(scheduler.violations().isEmpty)
                #expect(scheduler.firstQueue.segments.count == 1)
            }
            #expect(order == (0..<4 * count).map { Self.job / $0 })
            return time
        }
    }

    @Test("DE16 The search for a dependency cycle among 1,000 barriers takes linear time")
    func cycleAmongBarriers() {
        Self.expectLinear(upTo: 1000) { count in
            let entries = (0..<count).flatMap { _ in [Entry.op(), .op(), .op(), .barrier()] } + [.op()]
            var scheduler = Self.scheduler(entries)
            let last = Dependency.after(Self.job / (4 * count))
            var effects: [Effect] = []
            let time = Self.time {
                let event = Event.depend(Self.job / 1, [last], ends: [:], request: Self.request)
                effects = scheduler.apply(event, at: Self.now)
            }
            guard case .answer(_, .refused(let refusal))? = effects.first else {
                Issue.record("not refused: \(effects)")
                return time
            }
            #expect(refusal.path.count == count + 3)
            return time
        }
    }

    @Test("DE16 WA3 The searches for a cycle and for a deadlock in a chain of 100,000 operations take linear time")
    func searches() {
        Self.expectLinear(upTo: 100_000) { count in
            let chain = (0..<count).map { $0 == 0 ? Entry.op() : .op(on: .after($0 - 1)) }
            var scheduler = Self.scheduler(chain + [.op()])
            let dispatched = scheduler.join("w1", SessionID(rawValue: 1), slots: 2, at: Self.now)
            for case .dispatch(let attempt) in dispatched {
                _ = scheduler.apply(
                    .attemptsStarted(SessionID(rawValue: 1), [AttemptStart(attempt.token)]),
                    at: Self.now
                )
            }
            let last = Self.job / (count - 1)
            return Self.time {
                let refusal = scheduler.deadlock(of: Self.job / 0, for: [.operation(last)], among: [:])
                #expect(refusal?.path.count == count + 1)
                // The other executing operation waits for the same operation, which can end, so there is no deadlock.
                #expect(scheduler.deadlock(of: Self.job / count, for: [.operation(last)], among: [:]) == nil)
                let event = Event.depend(Self.job / 1, [.after(last)], ends: [:], request: Self.request)
                guard case .answer(_, .refused(let refusal))? = scheduler.apply(event, at: Self.now).first else {
                    Issue.record("not refused")
                    return
                }
                #expect(refusal.path.count == count)
            }
        }
    }

    @Test("SU3 SU4 The cancelled operations of a suspended queue, 100,000, finish in linear time on the resume")
    func flagged() {
        Self.expectLinear(upTo: 100_000) { count in
            let change = QueueChange(name: "default", isSuspended: true)
            let entries = (0..<count).map { $0.isMultiple(of: 2) || $0 < 2 ? Entry.op() : .op(on: .after($0 - 2)) }
            var scheduler = Self.scheduler(entries, queueChange: change)
            return Self.time {
                _ = scheduler.apply(.cancel([.job(Self.job)], request: Self.request), at: Self.now)
                #expect(scheduler.counts.unfinished == count)
                let resume = QueueChange(name: "default", isSuspended: false)
                _ = scheduler.apply(.setQueue(resume, request: Self.request), at: Self.now)
                #expect(scheduler.counts.cancelled == count)
                #expect(scheduler.violations().isEmpty)
            }
        }
    }

    @Test("SU3 A suspended array of a million elements stays one node when it is held, cancelled or given a priority")
    func millionFlagged() {
        let change = QueueChange(name: "default", isSuspended: true)
        var scheduler = Self.scheduler([.array(1_000_000)], queueChange: change)
        _ = scheduler.apply(.hold([.job(Self.job)], request: Self.request), at: Self.now)
        _ = scheduler.apply(.setPriority([.job(Self.job)], .high, request: Self.request), at: Self.now)
        _ = scheduler.apply(.release([.job(Self.job)], request: Self.request), at: Self.now)
        _ = scheduler.apply(.cancel([.job(Self.job)], request: Self.request), at: Self.now)
        #expect(scheduler.graph.nodeCount == 1)
        #expect(scheduler.counts.ready == 1_000_000)
        let resume = QueueChange(name: "default", isSuspended: false)
        let effects = scheduler.apply(.setQueue(resume, request: Self.request), at: Self.now)
        #expect(scheduler.counts.cancelled == 1_000_000)
        #expect(effects.count < 10)
        #expect(scheduler.violations().isEmpty)
    }

    @Test("DE21 Holding, releasing and changing the priority of 100,000 operations takes linear time")
    func changed() {
        Self.expectLinear(upTo: 100_000) { count in
            var scheduler = Self.scheduler((0..<count).map { _ in .op() })
            return Self.time {
                _ = scheduler.apply(.hold([.job(Self.job)], request: Self.request), at: Self.now)
                _ = scheduler.apply(.setPriority([.job(Self.job)], .low, request: Self.request), at: Self.now)
                _ = scheduler.apply(.release([.job(Self.job)], request: Self.request), at: Self.now)
                #expect(scheduler.counts.ready == count)
                #expect(scheduler.firstQueue.line.entries.count < 2 * count + 100)
            }
        }
    }

    @Test("Repeated holds, releases and changes of priority leave few entries in the ready queue and behind barriers")
    func overAndOver() {
        var scheduler = Self.scheduler([.op(), .op(), .barrier(), .op(), .array(10)])
        for round in 0..<5000 {
            let priority = Priority.allCases[round % 5]
            _ = scheduler.apply(.setPriority([.job(Self.job)], priority, request: Self.request), at: Self.now)
            _ = scheduler.apply(.hold([.job(Self.job)], request: Self.request), at: Self.now)
            _ = scheduler.apply(.release([.job(Self.job)], request: Self.request), at: Self.now)
        }
        #expect(scheduler.firstQueue.line.entries.count < 200)
        #expect(scheduler.firstQueue.segments.parked(in: 1).count < 10)
        #expect(scheduler.violations().isEmpty)
    }
}
