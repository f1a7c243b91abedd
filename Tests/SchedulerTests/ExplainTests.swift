@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Reasons why an operation does not run", .timeLimit(.minutes(60)))
struct ExplainTests {
    private static func counts(_ state: OperationState, _ number: Int = 1) -> JobCounts {
        JobCounts(of: state, number: number)
    }

    @Test("The explanation of a pending operation follows its chain of dependencies to a depth of four")
    func dependencies() {
        var cluster = Cluster()
        let job = cluster.submit(
            .op(delay: .seconds(9)),
            .op(on: .after(0)),
            .op(on: .needs(1)),
            .op(on: .onFailure(2)),
            .op(on: .after(3)),
            .op(on: .after(4))
        )
        let due = cluster.now + .seconds(9)
        func reasons(_ depth: Int, _ index: Int) -> [Impediment] {
            guard depth > 0 else { return [] }
            guard index > 0 else { return [.delay(until: due, isRetry: false)] }
            let conditions: [DependencyCondition] = [.any, .any, .success, .failure, .any, .any]
            return [
                .dependency(
                    .operation(job / (index - 1)),
                    condition: conditions[index],
                    counts: Self.counts(.pending),
                    reasons: reasons(depth - 1, index - 1)
                )
            ]
        }
        for index in 0..<6 { #expect(cluster.scheduler.impediments(of: job / index) == reasons(4, index)) }
    }

    @Test("The explanation tells the counts of each unfinished dependency, be it an operation, an array or a job")
    func kinds() {
        var cluster = Cluster()
        cluster.join("w1")
        let first = cluster.submit(.op(), .op())
        let job = cluster.submit(
            .array(3, name: "many"),
            .op(on: .after(0), .after(first / 0), .on(.job(first), .success)),
            .op("done"),
            .op(on: .after(2), .after(0))
        )
        cluster.cancel(.operation(job / 4))
        var mixed = JobCounts()
        mixed.executing = 1
        mixed.ready = 1
        #expect(
            cluster.scheduler.impediments(of: job / 3) == [
                .dependency(
                    .named(job, "many"),
                    condition: .any,
                    counts: Self.counts(.ready, 3),
                    reasons: [.slots(total: 1), .order(queue: "default", ahead: 1)]
                ),
                .dependency(.operation(first / 0), condition: .any, counts: Self.counts(.executing), reasons: []),
                .dependency(.job(first), condition: .success, counts: mixed, reasons: []),
            ]
        )
        // A finished dependency is no reason any more.
        #expect(cluster.scheduler.impediments(of: job / 5)?.count == 1)
        #expect(cluster.scheduler.impediments(of: first / 0) == [])
        #expect(cluster.scheduler.impediments(of: job / 4) == nil)
    }

    @Test("The explanation of a held operation names the hold and its delay or its wait for a retry")
    func conditions() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(delay: .seconds(5)), templates: [.retrying(1, delay: .seconds(4))])
        cluster.finish(job / 0, .exited(1))
        cluster.hold(.operation(job / 0), .operation(job / 1))
        let due = cluster.last(job / 0)?.notBefore ?? cluster.now
        #expect(cluster.scheduler.impediments(of: job / 0) == [.hold, .delay(until: due, isRetry: true)])
        #expect(
            cluster.scheduler.impediments(of: job / 1)
                == [.hold, .delay(until: cluster.now + .seconds(5), isRetry: false)]
        )
    }

    @Test("The explanation names missing workers, busy slots and the number of operations ahead")
    func workers() {
        var cluster = Cluster()
        let job = cluster.submit(.op(at: .low), .array(5), .op(at: .high))
        #expect(cluster.scheduler.impediments(of: job / 6) == [.noWorker(silent: [])])
        #expect(
            cluster.scheduler.impediments(of: job / 4) == [
                .noWorker(silent: []), .order(queue: "default", ahead: 1 + 3),
            ]
        )
        cluster.join("w1")
        #expect(cluster.scheduler.impediments(of: job / 1) == [.slots(total: 1)])
        #expect(
            cluster.scheduler.impediments(of: job / 0) == [.slots(total: 1), .order(queue: "default", ahead: 5)]
        )
    }

    @Test("The explanation names a suspended queue, a reached limit and a cancellation that waits for the resume")
    func queues() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        cluster.setQueue("q", limit: .atMost(2))
        let job = cluster.submit(.array(3), .op(queue: 1), queues: ["q", "r"])
        #expect(cluster.scheduler.impediments(of: job / 2) == [.limit(queue: "q", limit: 2, executing: 2)])
        cluster.suspend("q")
        #expect(
            cluster.scheduler.impediments(of: job / 2)
                == [.suspended(queue: "q"), .limit(queue: "q", limit: 2, executing: 2)]
        )
        cluster.finish(job / 0)
        #expect(cluster.scheduler.impediments(of: job / 2) == [.suspended(queue: "q")])
        cluster.cancel(.operation(job / 2))
        #expect(cluster.scheduler.impediments(of: job / 2) == [.cancelled(queue: "q")])
        let delayed = cluster.submit(.op(delay: .seconds(5)), queues: ["q"])
        cluster.cancel(.operation(delayed / 0))
        // Only the suspension keeps the operation unfinished (CA3, SU3).
        #expect(cluster.scheduler.impediments(of: delayed / 0) == [.cancelled(queue: "q")])
    }

    @Test("The explanation lists the first 20 of 1,000 dependencies and counts the others")
    func manyDependencies() {
        var cluster = Cluster()
        cluster.checkInterval = 100
        var last = Entry.op()
        last.dependencies = EntryDependencies((0..<1000).map { .after($0) })
        let submission = Submission(templates: [.noOperation], entries: Array(repeating: .op(), count: 1000) + [last])
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            Issue.record("refused")
            return
        }
        let impediments = cluster.scheduler.impediments(of: job / 1000) ?? []
        #expect(impediments.count == 21)
        #expect(impediments.last == .moreDependencies(980))
        cluster.join("w1", slots: 1000)
        for index in 0..<979 { cluster.finish(job / index) }
        #expect(cluster.scheduler.impediments(of: job / 1000)?.last == .moreDependencies(1))
        cluster.finish(job / 979)
        #expect(cluster.scheduler.impediments(of: job / 1000)?.count == 20)
    }

    @Test("The explanation of a barrier and of operations behind it counts the unfinished operations before it")
    func barriers() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.array(3), .barrier(), .array(2), .barrier(), .op())
        let (three, five) = ((0..<3).map { job / $0 }, (0..<5).map { job / $0 })
        func impediments(_ index: Int) -> [Impediment]? { cluster.scheduler.impediments(of: job / index) }
        #expect(impediments(3) == [.beforeBarrier(queue: "default", unfinished: 3, first: three)])
        #expect(impediments(4) == [.barrier(job / 3, queue: "default", unfinished: 3, first: three)])
        #expect(impediments(6) == [.beforeBarrier(queue: "default", unfinished: 6, first: five)])
        #expect(impediments(7) == [.barrier(job / 6, queue: "default", unfinished: 6, first: five)])
        for index in 0..<3 { cluster.finish(job / index) }
        #expect(impediments(3) == [])
        #expect(impediments(4) == [.barrier(job / 3, queue: "default", unfinished: 0, first: [])])
    }

    @Test("The explanation of a prefetched operation names its worker")
    func sent() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        #expect(cluster.scheduler.impediments(of: job / 1) == [.sent(worker: "w1", isRecalled: false, isAway: false)])
        #expect(cluster.scheduler.impediments(of: job / 2) == [.slots(total: 1)])
    }

    @Test("The explanation after a restart names the end of the reconciliation window and the missing workers")
    func reconciling() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.restart()
        #expect(
            cluster.scheduler.impediments(of: job / 1) == [
                .reconciling(until: cluster.now + .seconds(5), workers: ["w1"]), .noWorker(silent: ["w1"]),
            ]
        )
    }
}
