@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Limits that several queues share", .timeLimit(.minutes(60)))
struct SharedLimitTests {
    private static func cluster(slots: Int = 8, _ limits: [String: UInt32]) -> Cluster {
        var cluster = Cluster()
        cluster.join("w1", slots: slots)
        for (name, units) in limits { cluster.setLimit(name, to: units) }
        return cluster
    }

    @Test("LI1 At most so many units are taken at once in all queues, and others pass the operations that wait")
    func bound() {
        var cluster = Self.cluster(["licence": 3])
        let templates = [Template.taking(["licence": 1]), .noOperation]
        let first = cluster.submit(.op(), .op(), .op(), .op(template: 1), queues: ["a"], templates: templates)
        let second = cluster.submit(.op(), .op(template: 1), queues: ["b"], templates: templates)
        #expect((0..<4).map { cluster.state(first / $0) } == [.executing, .executing, .executing, .executing])
        #expect(cluster.state(second / 0) == .ready && cluster.state(second / 1) == .executing)
        let holders: [OperationID] = (0..<3).map { first / $0 }
        let reason = Impediment.sharedLimit(
            "licence",
            needed: 1,
            units: 3,
            taken: 3,
            holders: holders,
            holderCount: 3,
            first: nil
        )
        #expect(cluster.scheduler.impediments(of: second / 0) == [reason])
        let view = cluster.scheduler.sharedLimits(listing: 2).first
        #expect(view?.holderCount == 3 && view?.holders.map(\.operation) == Array(holders.prefix(2)))
        #expect(view?.waitingCount == 1 && view?.waiting == [second / 0])
        cluster.finish(first / 1)
        #expect(cluster.state(second / 0) == .executing)
        cluster.finishAll()
        #expect(cluster.scheduler.limits["licence"]?.taken == 0 && cluster.scheduler.graph.requests.isEmpty)
    }

    @Test("LI3 Watchers are told each change of a limit, and who asked for it")
    func events() {
        var cluster = Self.cluster([:])
        cluster.requester = "laptop"
        cluster.setLimit("licence", to: 3)
        cluster.setLimit("licence", to: 3)
        cluster.setLimit("licence", to: 1)
        _ = cluster.answer { .setLimit(LimitChange("licence", units: nil), request: $0) }
        _ = cluster.answer { .setLimit(LimitChange("licence", units: nil), request: $0) }
        let told = cluster.record.events.events.compactMap { event -> UInt32?? in
            guard case .limit(let change) = event.subject, event.by == "laptop" else { return nil }
            return .some(change.units)
        }
        #expect(told == [3, 1, nil])
    }

    @Test("LI1 An operation takes all of its limits or none, so that two that take the same do not lock each other out")
    func allOrNone() {
        var cluster = Self.cluster(["a": 1, "b": 1])
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 1),
            .op(template: 2),
            templates: [.taking(["a": 1]), .taking(["a": 1, "b": 1]), .taking(["b": 1])]
        )
        // The second waits for "a" and holds nothing of "b", which is left to it nevertheless: it comes first.
        #expect((0..<3).map { cluster.state(job / $0) } == [.executing, .ready, .ready])
        #expect(cluster.scheduler.limits["b"]?.taken == 0)
        let reason = Impediment.sharedLimit(
            "b",
            needed: 1,
            units: 1,
            taken: 0,
            holders: [],
            holderCount: 0,
            first: job / 1
        )
        #expect(cluster.scheduler.impediments(of: job / 2)?.first == reason)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing && cluster.state(job / 2) == .ready)
        cluster.finish(job / 1)
        #expect(cluster.state(job / 2) == .executing)
        cluster.finishAll()
    }

    @Test("LI1 What is left beside the units of an operation that comes first is free for others")
    func leavesTheRest() {
        var cluster = Self.cluster(["a": 1, "b": 3])
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 1),
            .op(template: 2),
            .op(template: 2),
            .op(template: 2),
            templates: [.taking(["a": 1]), .taking(["a": 1, "b": 1]), .taking(["b": 1])]
        )
        #expect((0..<5).map { cluster.state(job / $0) } == [.executing, .ready, .executing, .executing, .ready])
        cluster.finishAll()
    }

    @Test("LI2 The order is that of priority and age in all queues, and small requests do not starve a large one")
    func order() {
        var cluster = Self.cluster(["licence": 3])
        let templates = [Template.taking(["licence": 1]), .taking(["licence": 3])]
        let small = cluster.submit(.op(), .op(), .op(), queues: ["a"], templates: templates)
        let large = cluster.submit(.op(template: 1), queues: ["b"], templates: templates)
        var later = cluster.submit(.op(), .op(), queues: ["a"], templates: templates)
        for index in 0..<3 {
            #expect(cluster.state(large / 0) == .ready && cluster.state(later / 0) == .ready)
            cluster.finish(small / index)
            later = cluster.submit(.op(), queues: ["c"], templates: templates)
        }
        #expect(cluster.state(large / 0) == .executing && cluster.state(later / 0) == .ready)
        let urgent = cluster.submit(.op(at: .high, template: 1), queues: ["c"], templates: templates)
        cluster.finish(large / 0)
        #expect(cluster.state(urgent / 0) == .executing && cluster.state(later / 0) == .ready)
        cluster.finishAll()
    }

    @Test("LI2 Units are left to an operation whose turn has come, also while its queue executes others")
    func claim() {
        var cluster = Self.cluster(["licence": 1])
        cluster.setQueue("a", limit: .atMost(1))
        let templates = [Template.taking(["licence": 1]), .noOperation]
        let first = cluster.submit(.op(), queues: ["b"], templates: templates)
        let waiting = cluster.submit(.op(), queues: ["a"], templates: templates)
        let passing = cluster.submit(.op(template: 1), queues: ["a"], templates: templates)
        let later = cluster.submit(.op(), queues: ["b"], templates: templates)
        #expect(cluster.state(passing / 0) == .executing)
        cluster.finish(first / 0)
        #expect(cluster.state(waiting / 0) == .ready && cluster.state(later / 0) == .ready)
        cluster.finish(passing / 0)
        #expect(cluster.state(waiting / 0) == .executing && cluster.state(later / 0) == .ready)
        cluster.finish(waiting / 0)
        #expect(cluster.state(later / 0) == .executing)
        cluster.finishAll()
        #expect(cluster.scheduler.limits.claims.isEmpty)
    }

    @Test("LI2 Operations that cannot start for other reasons hold up nobody")
    func otherReasons() {
        var cluster = Self.cluster(["licence": 2])
        let templates = [Template.taking(["licence": 1]), .taking(["licence": 9])]
        cluster.suspend("suspended")
        let suspended = cluster.submit(.op(), .op(), queues: ["suspended"], templates: templates)
        cluster.setQueue("full", limit: .atMost(1))
        let full = cluster.submit(.op(), .op(), .op(), queues: ["full"], templates: templates)
        let impossible = cluster.submit(.op(at: .veryHigh, template: 1), queues: ["a"], templates: templates)
        let other = cluster.submit(.op(), .op(), queues: ["b"], templates: templates)
        #expect(cluster.state(full / 0) == .executing && cluster.state(other / 0) == .executing)
        #expect(cluster.state(suspended / 0) == .ready && cluster.state(impossible / 0) == .ready)
        cluster.cancel(.job(impossible))
        cluster.resume("suspended")
        cluster.finish(other / 0)
        #expect(cluster.state(suspended / 0) == .executing && cluster.state(other / 1) == .ready)
        cluster.finishAll()
    }

    @Test("LI3 Lowering a limit stops nobody, and nobody starts before enough units are free")
    func lowering() {
        var cluster = Self.cluster(["licence": 3])
        let job = cluster.submit(.op(), .op(), .op(), .op(), templates: [.taking(["licence": 1])])
        cluster.setLimit("licence", to: 1)
        #expect(cluster.running.count == 3 && cluster.scheduler.limits["licence"]?.taken == 3)
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        #expect(cluster.state(job / 3) == .ready)
        cluster.finish(job / 2)
        #expect(cluster.state(job / 3) == .executing)
        let next = cluster.submit(.op(), templates: [.taking(["licence": 1])])
        #expect(cluster.state(next / 0) == .ready)
        cluster.setLimit("licence", to: 2)
        #expect(cluster.state(next / 0) == .executing)
        cluster.finishAll()
    }

    @Test("A submission that takes units of an unknown limit is refused, and a limit in use is not removed")
    func unknown() {
        var cluster = Self.cluster(["licence": 1])
        let submission = Submission(templates: [.taking(["license": 1])], entries: [.op()])
        guard case .refused(let refusal)? = cluster.answer(to: submission) else {
            Issue.record("it was not refused: \(cluster.effects)")
            return
        }
        #expect(refusal.code == .invalid && refusal.message.contains("the limit \"license\", which does not exist"))
        #expect(cluster.record.jobs.isEmpty)
        let job = cluster.submit(.op(), templates: [.taking(["licence": 1])])
        func code(removing name: String) -> Refusal.Code? {
            let answer = cluster.answer { .setLimit(LimitChange(name, units: nil), request: $0) }
            if case .refused(let refusal)? = answer { return refusal.code }
            return nil
        }
        #expect(code(removing: "licence") == .invalid)
        #expect(code(removing: "license") == .notFound)
        cluster.finish(job / 0)
        #expect(code(removing: "licence") == nil)
        #expect(cluster.record.limits.isEmpty && cluster.scheduler.limits.isEmpty)
        for change in [
            LimitChange("a b", units: 1), LimitChange("memory", units: 1), LimitChange("CPUs", units: 1),
            LimitChange("a", units: LimitChange.maximumUnits + 1),
        ] {
            guard case .refused(let refusal)? = cluster.answer(to: { .setLimit(change, request: $0) }) else {
                Issue.record("\(change) was not refused")
                continue
            }
            #expect(refusal.code == .invalid)
        }
    }

    @Test("LI1 An operation holds no units during the delay of a retry, nor while it is held")
    func retry() {
        var cluster = Self.cluster(["licence": 1])
        var template = Template.taking(["licence": 1])
        (template.retries, template.retryDelay) = (1, .seconds(60))
        let job = cluster.submit(.op(), .op(), templates: [template])
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 0) == .pending && cluster.state(job / 1) == .executing)
        cluster.hold(.operation(job / 0))
        cluster.finish(job / 1)
        #expect(cluster.scheduler.limits["licence"]?.taken == 0)
        cluster.release(.operation(job / 0))
        cluster.finishAll()
        #expect((0..<2).allSatisfy { cluster.outcome(job / $0) == .succeeded })
    }

    @Test("Limits survive a restart, and the attempts that go on hold their units")
    func restart() {
        var cluster = Self.cluster(["licence": 2, "other": 1])
        let templates = [Template.taking(["licence": 1])]
        let job = cluster.submit(.op(), .op(), .op(), queues: ["a"], templates: templates)
        let attempts = (0..<2).compactMap { cluster.running[job / $0] }
        #expect(attempts.count == 2)
        cluster.restart()
        #expect(cluster.scheduler.limits["licence"]?.taken == 2 && cluster.scheduler.limits["other"]?.units == 1)
        cluster.join("w2", slots: 8, id: WorkerID(rawValue: 2))
        let later = cluster.submit(.op(), queues: ["b"], templates: templates)
        #expect(cluster.state(job / 2) == .ready && cluster.state(later / 0) == .ready)
        let session = cluster.join("w1", slots: 8, holding: attempts)
        #expect(cluster.scheduler.limits["licence"]?.taken == 2)
        for attempt in attempts { cluster.report(attempt, session: session) }
        #expect(cluster.state(job / 2) == .executing && cluster.state(later / 0) == .executing)
        cluster.finishAll()
    }

    @Test("Nobody takes units that an attempt may hold of which the record knows nothing")
    func unknownAttempts() {
        var cluster = Self.cluster(["licence": 1])
        let templates = [Template.noOperation, .taking(["licence": 1])]
        let job = cluster.submit(.op(), .op(template: 1, on: .needs(0)), queues: ["a"], templates: templates)
        let committed = cluster.record
        cluster.finish(job / 0)
        let attempts = cluster.started
        #expect(attempts.map(\.operation) == [job / 0, job / 1])
        // The crash comes before the end of the first operation is on disk.
        cluster.restart(from: committed)
        cluster.join("w2", slots: 8, id: WorkerID(rawValue: 2))
        let later = cluster.submit(.op(at: .high, template: 1), queues: ["b"], templates: templates)
        #expect(cluster.state(later / 0) == .ready)
        guard case .reconciling? = cluster.scheduler.impediments(of: later / 0)?.first else {
            Issue.record("\(cluster.scheduler.impediments(of: later / 0) ?? [])")
            return
        }
        let session = cluster.join("w1", slots: 8, holding: attempts)
        if let first = attempts.first { cluster.report(first, session: session) }
        #expect(cluster.state(job / 1) == .executing && cluster.state(later / 0) == .ready)
        #expect(cluster.scheduler.limits["licence"]?.taken == 1)
        if let second = attempts.last { cluster.report(second, session: session) }
        #expect(cluster.state(later / 0) == .executing)
        cluster.finishAll()
    }

    @Test("WA3 A wait is refused if its target takes units that waiting operations hold")
    func deadlock() {
        var cluster = Self.cluster(["licence": 2])
        let templates = [Template.taking(["licence": 1]), .taking(["licence": 2])]
        let job = cluster.submit(.op("a"), .op("b", template: 1), templates: templates)
        let refusal = cluster.scheduler.deadlock(of: job / 0, for: [.operation(job / 1)], among: [:])
        #expect(refusal?.code == .deadlock && refusal?.message.contains("the limit \"licence\"") == true)
        #expect(refusal?.path == ["1/a", "1/b", "1/a"])
        let other = cluster.submit(.op("c"), templates: templates)
        #expect(cluster.scheduler.deadlock(of: job / 0, for: [.operation(other / 0)], among: [:]) == nil)
        // The large request would wait for the first operation, which waits for the small one: nothing is left to the large one.
        #expect(cluster.state(other / 0) == .ready)
        cluster.apply(.operationsWaiting([job / 0]))
        #expect(cluster.state(other / 0) == .executing)
        cluster.apply(.operationsWaiting([]))
        cluster.finishAll()
    }

    @Test("LI1 LI2 Never more is taken than there is, and nobody starts before one who comes first, whatever happens")
    func random() {
        for seed in UInt64(1)...200 {
            var run = SharedLimitRun(seed: seed)
            run.run()
            #expect(run.faults.isEmpty, "seed \(seed): \(run.faults.prefix(3))")
        }
    }
}
