@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Priority, shares and limits", .timeLimit(.minutes(60)))
struct OrderTests {
    @Test("PR1 The priorities have the values -8, -4, 0, 4 and 8, and an entry has normal priority by default")
    func priorities() {
        #expect(Priority.allCases.map(\.rawValue) == [-8, -4, 0, 4, 8])
        #expect(Entry().priority == .normal)
    }

    @Test(
        "PR5 Any number moves towards normal to the nearest priority",
        arguments: [
            (-100, Priority.veryLow), (-8, .veryLow), (-7, .low), (-4, .low), (-3, .normal), (0, .normal), (3, .normal),
            (4, .high), (7, .high), (8, .veryHigh), (.max, .veryHigh), (.min, .veryLow),
        ]
    )
    func clamping(number: Int, priority: Priority) {
        #expect(Priority(clamping: number) == priority)
    }

    @Test("PR2 PR3 QU5 Operations start by priority, and in the order of their addition within a priority")
    func order() {
        var cluster = Cluster()
        cluster.submit(.op(), .op(at: .veryLow), .op(at: .high), .op(at: .veryHigh), .op(), .op(at: .low))
        cluster.submit(.op(at: .veryHigh), .op(at: .high), .op())
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/3", "2/0", "1/2", "2/1", "1/0", "1/4", "2/2", "1/5", "1/1"])
    }

    @Test("PR3 The order within a priority is that of addition, not that of becoming ready")
    func addition() {
        var cluster = Cluster()
        cluster.submit(.op(delay: .seconds(1)), .op(), .op(on: .after(1)), .op())
        cluster.pass(.seconds(2))
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3"])
    }

    @Test("PR8 Operations of the highest priority in one queue do not keep back the lowest in another queue")
    func withinOneQueue() {
        var cluster = Cluster()
        cluster.submit(
            .op(at: .veryHigh),
            .op(at: .veryHigh),
            .op(at: .veryLow, queue: 1),
            .op(at: .veryLow, queue: 1),
            queues: ["a", "b"]
        )
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/1", "1/3"])
    }

    @Test("PR9 PR10 A late operation of higher priority overtakes waiting operations and ends no executing one")
    func overtaking() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.submit(.op(at: .high))
        #expect(cluster.state(job / 0) == .executing)
        #expect(cluster.effects.ended.isEmpty)
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "2/0", "1/1"])
    }

    @Test("PR11 An operation of low priority never overtakes later operations of normal priority by waiting")
    func noAgeing() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op(), .op(at: .low))
        for round in 1...50 {
            let job = cluster.submit(.op())
            cluster.pass(.seconds(60))
            cluster.finish(round == 1 ? JobNumber(1) / 0 : JobNumber(job.rawValue - 1) / 0)
            #expect(cluster.state(job / 0) == .executing)
        }
    }

    @Test("QO3 The class of an operation wins over that of its queue, which counts as set when the attempt starts")
    func classes() {
        var cluster = Cluster()
        let job = cluster.submit(
            .op(),
            .op(template: 1),
            templates: [.noOperation, Template(work: Work(.noOperation), qualityOfService: .background)]
        )
        cluster.setQueue("default", qualityOfService: .utility)
        cluster.setQueue("default", qualityOfService: .userInitiated)
        cluster.join("w1", slots: 2)
        #expect(cluster.running[job / 0]?.qualityOfService == .userInitiated)
        #expect(cluster.running[job / 1]?.qualityOfService == .background)
        cluster.submit(.op(queue: 0), queues: ["unset"])
        cluster.join("w2")
        #expect(cluster.started.last?.qualityOfService == .some(nil))
    }

    @Test("QO4 A quality of service never changes the place of an operation in its queue")
    func classIsNoPriority() {
        var cluster = Cluster()
        cluster.submit(
            .op(),
            .op(template: 1),
            .op(at: .high, template: 2),
            templates: [
                .noOperation, Template(work: Work(.noOperation), qualityOfService: .userInteractive),
                Template(work: Work(.noOperation), qualityOfService: .background),
            ]
        )
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/2", "1/0", "1/1"])
    }

    @Test("QO5 Free slots are shared between queues by the weights 16, 8, 4, 2 and 1, and none starves")
    func shares() {
        var cluster = Cluster()
        let classes: [QualityOfService] = [.userInteractive, .userInitiated, .default, .utility, .background]
        for quality in classes { cluster.setQueue(quality.description + "Queue", qualityOfService: quality) }
        cluster.submit(
            .array(200),
            .array(200, queue: 1),
            .array(200, queue: 2),
            .array(200, queue: 3),
            .array(200, queue: 4),
            queues: classes.map { $0.description + "Queue" }
        )
        cluster.join("w1")
        while cluster.started.count < 31 * 5 {
            if let next = cluster.started.last { cluster.finish(next.operation) }
        }
        for window in 0..<5 {
            let queues = cluster.started[window * 31..<(window + 1) * 31].map(\.queue)
            let counts = classes.map { quality in queues.count { $0 == quality.description + "Queue" } }
            #expect(counts == [16, 8, 4, 2, 1])
        }
        #expect(cluster.started[0..<8].map(\.queue.first) == ["u", "u", "d", "u", "b", "u", "u", "u"])
    }

    @Test("QO5 The shares of queues stay within one operation of their weights while operations are prefetched")
    func sharesOfWhatIsTakenBack() {
        var cluster = Cluster(Configuration(sendAhead: .automatic))
        let classes: [QualityOfService] = [.userInteractive, .userInitiated, .default, .utility, .background]
        for quality in classes { cluster.setQueue(quality.description, qualityOfService: quality) }
        cluster.submit(
            .array(200),
            .array(200, queue: 1),
            .array(200, queue: 2),
            .array(200, queue: 3),
            .array(200, queue: 4),
            queues: classes.map(\.description)
        )
        cluster.join("w1")
        var sentAhead = 0
        while let next = cluster.started.last, cluster.started.count < 31 * 5 {
            sentAhead = max(sentAhead, cluster.sent.count - cluster.started.count)
            // Now and then an operation takes so long that the worker has nothing left.
            if cluster.started.count % 7 == 0 { cluster.pass(.milliseconds(30)) }
            cluster.finish(next.operation, after: .milliseconds(1))
        }
        #expect(sentAhead > 4)
        for end in stride(from: 31, through: 31 * 5, by: 31) {
            let counts = classes.map { quality in cluster.started[..<end].count { $0.queue == quality.description } }
            let shares = [16, 8, 4, 2, 1].map { $0 * end / 31 }
            #expect(zip(counts, shares).allSatisfy { abs($0 - $1) <= 1 }, "\(counts) of \(end)")
        }
    }

    @Test(
        "QO5 The share of a queue follows a change of its class within one operation, also with prefetched operations"
    )
    func sharesOfAnotherClass() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(10)))
        cluster.setQueue("changed", qualityOfService: .userInteractive)
        cluster.submit(.array(400), .array(400, queue: 1), queues: ["changed", "other"])
        cluster.join("w1")
        for quality in [QualityOfService.userInteractive, .background, .userInteractive] {
            cluster.setQueue("changed", qualityOfService: quality)
            let weight = quality.weight
            let before = cluster.started.count
            while let next = cluster.started.last, cluster.started.count < before + 5 * (weight + 4) {
                cluster.finish(next.operation)
            }
            let count = cluster.started[before...].count { $0.queue == "changed" }
            #expect(abs(count - 5 * weight) <= 1, "\(count) of \(5 * (weight + 4)) as \(quality)")
        }
    }

    @Test("QO5 A queue that was idle does not save up its share")
    func noSavings() {
        var cluster = Cluster()
        cluster.submit(.array(100), .op(queue: 1), queues: ["busy", "idle"])
        cluster.join("w1")
        while cluster.started.count < 60 { if let next = cluster.started.last { cluster.finish(next.operation) } }
        cluster.submit(.array(50), queues: ["idle"])
        let before = cluster.started.count
        while cluster.started.count < before + 10 {
            if let next = cluster.started.last { cluster.finish(next.operation) }
        }
        #expect(cluster.started[before...].count { $0.queue == "idle" } == 5)
    }

    @Test("QU1 An added operation starts at once on a free slot, without another request")
    func addingIsEnough() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test("QU3 An operation that is submitted again becomes another operation")
    func again() {
        var cluster = Cluster()
        let first = cluster.submit(.op("a"))
        let second = cluster.submit(.op("a"))
        #expect(first != second)
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == [first / 0, second / 0])
    }

    @Test("QU6 A job is finished once its own operations are, although a later job of its queue is not")
    func batches() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let first = cluster.submit(.op())
        let second = cluster.submit(.op())
        cluster.finish(first / 0)
        #expect(cluster.record.finished[first]?.succeeded == 1)
        #expect(cluster.record.finished[second] == nil)
    }

    @Test("QU7 QU8 QU9 QU10 A queue lists and counts its unfinished operations, in the order of addition")
    func listing() {
        var cluster = Cluster()
        let job = cluster.submit(
            .op(at: .low),
            .op(delay: .seconds(1)),
            .op(at: .high),
            .op(queue: 1),
            queues: ["a", "b"]
        )
        cluster.join("w1", slots: 1)
        #expect(cluster.scheduler.operations(inQueue: "a", limit: 9) == [job / 0, job / 1, job / 2])
        #expect(cluster.scheduler.operations(inQueue: "a", limit: 2) == [job / 0, job / 1])
        #expect(cluster.scheduler.queue("a")?.counts.executing == 1)
        cluster.cancel(.operation(job / 2))
        #expect(cluster.scheduler.queue("a")?.counts.unfinished == 3)
        cluster.finish(job / 2)
        #expect(cluster.scheduler.operations(inQueue: "a", limit: 9) == [job / 0, job / 1])
        #expect(cluster.scheduler.operations(inQueue: "none", limit: 9).isEmpty)
    }

    @Test(
        "CO1 CO2 D7 A queue never has more executing operations on all workers together than its limit",
        arguments: [1, 2, 5]
    )
    func limit(limit: Int) {
        var cluster = Cluster()
        cluster.setQueue("a", limit: .atMost(limit))
        for name in ["w1", "w2", "w3"] { cluster.join(name, slots: 3) }
        cluster.submit(.array(20), .array(3, queue: 1), queues: ["a", "b"])
        #expect(cluster.scheduler.queue("b")?.counts.executing == 3)
        while let next = cluster.running.keys.min() {
            #expect(cluster.scheduler.queue("a")?.counts.executing ?? 0 <= limit)
            cluster.finish(next)
        }
        #expect(cluster.scheduler.counts.succeeded == 23)
    }

    @Test("CO3 CO5 A limit of 0 starts nothing, and raising the limit starts operations at once")
    func raising() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(0))
        cluster.join("w1", slots: 4)
        cluster.submit(.array(5))
        #expect(cluster.order.isEmpty)
        cluster.setQueue("default", limit: .atMost(2))
        #expect(cluster.order.count == 2)
        cluster.setQueue("default", limit: .unlimited)
        #expect(cluster.order.count == 4)
    }

    @Test("CO4 A negative limit is refused and leaves the earlier limit as it is")
    func negative() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(2))
        guard case .refused(let refusal)? = cluster.setQueue("default", limit: .atMost(-2)) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .invalid)
        #expect(cluster.scheduler.queue("default")?.settings.maxConcurrent == 2)
        #expect(QueueSettings().maxConcurrent == nil)
    }

    @Test("CO6 Lowering a limit ends no operation, and the next one starts once fewer than the limit execute")
    func lowering() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.array(8))
        cluster.setQueue("default", limit: .atMost(2))
        #expect(cluster.effects.ended.isEmpty)
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        #expect(cluster.order.count == 4)
        cluster.finish(job / 2)
        #expect(cluster.order.count == 5)
    }

    @Test("CO8 An operation that waits for a dependency or a delay takes no place within the limit of its queue")
    func waitingHoldsNoSlot() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        cluster.join("w1")
        cluster.submit(.op(on: .after(2)), .op(delay: .seconds(60)), .op())
        #expect(cluster.order == ["1/2"])
    }

    @Test("CO9 Two operations of a queue with a limit of 2 execute at the same time")
    func mutualStart() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(2))
        cluster.join("w1")
        cluster.join("w2")
        let job = cluster.submit(.op(), .op())
        #expect(cluster.state(job / 0) == .executing && cluster.state(job / 1) == .executing)
    }
}
