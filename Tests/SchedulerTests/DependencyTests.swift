@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Dependencies and readiness", .timeLimit(.minutes(60)))
struct DependencyTests {
    @Test("DE1 An operation starts only once its dependency is finished")
    func afterOne() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op("a"), .op("b", on: .after(0)))
        #expect(cluster.order == ["1/0"])
        #expect(cluster.state(job / 1) == .pending)
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test(
        "DE2 An operation with several dependencies starts only once the last of them is finished",
        arguments: [[0, 1, 2], [2, 0, 1]]
    )
    func afterSeveral(order: [Int]) {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .after(0), .after(1), .after(2)))
        for index in order {
            #expect(cluster.state(job / 3) == .pending)
            cluster.finish(job / index)
        }
        #expect(cluster.state(job / 3) == .executing)
    }

    @Test("DE3 An operation whose dependency comes later in the file waits without a slot, also with a limit of 1")
    func laterDependency() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        cluster.join("w1")
        let job = cluster.submit(.op("b", on: .after(1)), .op("a"))
        #expect(cluster.order == ["1/1"])
        cluster.finish(job / 1)
        #expect(cluster.order == ["1/1", "1/0"])
    }

    @Test("DE5 A dependency may lie in another queue or another job, and be given by address or by name")
    func elsewhere() {
        var cluster = Cluster()
        cluster.join("w1", slots: 8)
        let first = cluster.submit(.op("a"), .op(queue: 1, on: .after(0)), queues: ["one", "two"])
        let second = cluster.submit(
            .op(on: .after(first / 0)),
            .op(on: .on(.named(first, "a"))),
            .op(on: .on(.job(first)))
        )
        #expect(cluster.order == ["1/0"])
        cluster.finish(first / 0)
        #expect(cluster.order == ["1/0", "1/1", "2/0", "2/1"])
        cluster.finish(first / 1)
        #expect(cluster.state(second / 2) == .executing)
    }

    @Test(
        "DE6 A dependency that is finished at submission does not block, and its result counts as an input",
        arguments: [true, false]
    )
    func finishedBefore(jobIsFinished: Bool) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let first = cluster.submit(.op("a"), .op())
        cluster.finish(first / 0, result: [1])
        if jobIsFinished { cluster.finish(first / 1) }
        let second = cluster.submit(.op(on: .after(first / 0), .needs(first / 0)))
        #expect(cluster.running[second / 0]?.hasInputs == true)
    }

    @Test("DE6 A finished operation of an unfinished job can be named as a dependency, and its outcome counts")
    func finishedByName() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let first = cluster.submit(.op("a"), .op())
        cluster.finish(first / 0, .exited(1))
        let second = cluster.submit(
            .op(on: .on(.named(first, "a"), .success)),
            .op(on: .on(.named(first, "a"), .failure))
        )
        #expect(cluster.outcome(second / 0) == .skipped)
        #expect(cluster.state(second / 1) == .executing)
    }

    @Test("DE7 A failed or cancelled dependency lets a plain dependent run", arguments: [true, false])
    func afterAnything(isCancelled: Bool) {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)))
        if isCancelled {
            cluster.cancel(.operation(job / 0))
            cluster.join("w1")
        } else {
            cluster.join("w1")
            cluster.finish(job / 0, .signalled(9))
        }
        #expect(cluster.state(job / 1) == .executing)
    }

    @Test(
        "DE9 needs holds only after success, onFailure only after a failure or a skip because of one; else both skip",
        arguments: [Outcome.succeeded, .failed, .cancelled, .skipped]
    )
    func conditions(outcome: Outcome) {
        var cluster = Cluster()
        let job = cluster.submit(
            .op("root"),
            .op("a", on: .needs(0)),
            .op("after", on: .after(1)),
            .op("needs", on: .needs(1)),
            .op("onFailure", on: .onFailure(1))
        )
        cluster.join("w1", slots: 8)
        if outcome == .cancelled { cluster.cancel(.operation(job / 1)) }
        cluster.finish(job / 0, .exited(outcome == .skipped ? 1 : 0))
        if outcome == .succeeded { cluster.finish(job / 1) }
        if outcome == .failed { cluster.finish(job / 1, .exited(3)) }
        #expect(cluster.outcome(job / 1) == outcome)
        #expect(cluster.state(job / 2) == .executing)
        #expect((cluster.outcome(job / 3) == .skipped) == (outcome != .succeeded))
        // The failure further up counts too.
        #expect((cluster.outcome(job / 4) == .skipped) == (outcome == .succeeded || outcome == .cancelled))
        if outcome == .failed {
            #expect(cluster.last(job / 3)?.reason == Reason(.dependency, "It needs 1/1 (a), which failed."))
        } else if outcome != .skipped {
            #expect(
                cluster.last(job / 4)?.reason?.message.hasPrefix("It runs only on the failure of 1/1 (a), which")
                    == true
            )
        }
    }

    @Test("DE9 An operation is skipped as soon as one condition can no longer hold, and its needs dependents with it")
    func skipsEarly() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(
            .op(),
            .op(),
            .op("c", on: .needs(0), .after(1)),
            .op(on: .needs(2)),
            .op(on: .after(3))
        )
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 1) == .executing)
        #expect(cluster.outcome(job / 2) == .skipped)
        #expect(cluster.outcome(job / 3) == .skipped)
        #expect(cluster.last(job / 3)?.reason?.message == "It needs 1/2 (c), which was skipped because of 1/0.")
        #expect(cluster.state(job / 4) == .executing)
    }

    @Test("DE9 An onFailure dependent starts only once its dependency has failed after its retries")
    func afterRetries() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .onFailure(0)), templates: [.retrying(1)])
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 1) == .pending)
        cluster.pass(.seconds(2))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 1) == .executing)
    }

    @Test(
        "DE16 DE18 A submission with a dependency cycle or a self-dependency is refused with the path, and nothing is kept"
    )
    func cycles() {
        var cluster = Cluster()
        let cycle = Submission(
            templates: [.noOperation],
            entries: [.op("a", on: .after(1)), .op("b", on: .after(2)), .op("c", on: .after(0))]
        )
        guard case .refused(let refusal)? = cluster.answer(to: cycle) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .cycle)
        #expect(refusal.path == ["a", "b", "c", "a"])
        let loop = Submission(templates: [.noOperation], entries: [.op("a", on: .after(0))])
        guard case .refused(let refusal)? = cluster.answer(to: loop) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.path == ["a", "a"])
        #expect(cluster.record.changes.isEmpty)
    }

    @Test("DE20 An attempt is told whether any of its dependencies left a result")
    func inputs() {
        var cluster = Cluster()
        cluster.join("w1", slots: 8)
        let job = cluster.submit(
            .op("a"),
            .op("b"),
            .array(2, name: "c"),
            .op(on: .after(0)),
            .op(on: .after(1)),
            .op(on: .after(2)),
            .op(on: .after(1), .after(0))
        )
        cluster.finish(job / 0, result: [1])
        cluster.finish(job / 1)
        cluster.finish(job / 2, result: [])
        cluster.finish(job / 3)
        #expect(cluster.last(job / 0)?.hasResult == true)
        #expect(cluster.last(job / 1)?.hasResult == false)
        #expect([4, 5, 6, 7].map { cluster.running[job / $0]?.hasInputs } == [true, false, true, true])
    }

    @Test("DE21 A delayed operation takes no place within the limit of its queue, and counts as in its queue")
    func delay() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(delay: .seconds(10)), .op(), .op(delay: .seconds(10), on: .after(1)))
        #expect(cluster.order == ["1/1"])
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 3)
        cluster.finish(job / 1)
        cluster.pass(.milliseconds(9_999))
        #expect(cluster.order == ["1/1"])
        cluster.pass(.milliseconds(1))
        #expect(cluster.order == ["1/1", "1/0"])
        #expect(cluster.state(job / 2) == .ready)
    }

    @Test("DE22 A pending operation of the highest priority does not keep back a ready one of the lowest")
    func readinessFirst() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op(), .op("vip", at: .veryHigh, on: .after(2)), .op("slow", at: .veryLow))
        cluster.finish(JobNumber(1) / 0)
        #expect(cluster.order == ["1/0", "1/2"])
    }

    @Test("DE23 A dependent starts whether its dependency finishes before or after the submission")
    func wakeUps() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        var previous = cluster.submit(.op())
        for round in 0..<20 {
            if round.isMultiple(of: 2) { cluster.finish(previous / 0) }
            let next = cluster.submit(.op(on: .after(previous / 0), .on(.job(previous))))
            if !round.isMultiple(of: 2) { cluster.finish(previous / 0) }
            #expect(cluster.state(next / 0) == .executing)
            previous = next
        }
    }
}
