@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Cancellation", .timeLimit(.minutes(60)))
struct CancellationTests {
    @Test("CA1 CA2 CA3 CA8 A cancelled operation that waits finishes at once, never runs and ignores its dependencies")
    func waiting() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .op(delay: .seconds(9)), .op())
        #expect(cluster.cancel(.operation(job / 1), .operation(job / 2), .operation(job / 3)) == 3)
        for index in 1...3 {
            #expect(cluster.outcome(job / index) == .cancelled)
            #expect(cluster.last(job / index)?.isCancelled == true)
            #expect(cluster.last(job / index)?.reason?.code == .cancelled)
        }
        cluster.join("w1", slots: 4)
        cluster.pass(.seconds(20))
        #expect(cluster.order == ["1/0"])
    }

    @Test(
        "CA4 CA14 CA16 A cancelled executing operation keeps its flag, and the end of its attempt decides the outcome",
        arguments: [
            // The attempt had ended before the request to end.
            (AttemptEnd.exited(0), 0 as UInt16, Outcome.succeeded), (.exited(1), 0, .failed),
            (.signalled(15), 0, .failed),
            (.timedOut, 0, .failed), (.threw("no"), 0, .failed),
            // Without the cancellation another attempt would start.
            (.exited(1), 5, .cancelled), (.timedOut, 5, .cancelled),
            (.cancelled(exitStatus: 0, signal: nil), 5, .cancelled),
            (.cancelled(exitStatus: 3, signal: nil), 0, .cancelled),
            (.cancelled(exitStatus: nil, signal: 9), 0, .cancelled), (.interrupted, 5, .cancelled),
        ]
    )
    func executing(end: AttemptEnd, retries: UInt16, outcome: Outcome) {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(retries)])
        cluster.cancel(.operation(job / 0))
        let asked = cluster.effects.compactMap { effect in
            if case .endAttempts(session, let tokens) = effect { tokens } else { nil }
        }
        #expect(asked == [[cluster.started[0].token]])
        #expect(cluster.state(job / 0) == .executing)
        #expect(cluster.last(job / 0)?.isCancelled == true)
        cluster.finish(job / 0, end)
        #expect(cluster.outcome(job / 0) == outcome)
        #expect(cluster.last(job / 0)?.isCancelled == true)
        #expect((cluster.last(job / 0)?.reason?.code == .cancelled) == (outcome == .cancelled))
        #expect(cluster.ends == [job / 0: 1])
    }

    @Test("CA6 Cancelling a queue cancels its operations of all jobs, executing ones included, and none added later")
    func queue() {
        var cluster = Cluster()
        cluster.join("w1")
        let first = cluster.submit(.op(), .op(queue: 1), .array(3), queues: ["a", "b"])
        let second = cluster.submit(.op(), queues: ["a"])
        #expect(cluster.cancel(.queue("a")) == 5)
        let third = cluster.submit(.op(), queues: ["a"])
        #expect(cluster.effects.ended.isEmpty)
        cluster.finish(first / 0, .cancelled(exitStatus: nil, signal: 15))
        #expect([0, 2, 3, 4].allSatisfy { cluster.outcome(first / $0) == .cancelled })
        #expect(cluster.outcome(second / 0) == .cancelled)
        cluster.finishAll()
        #expect(cluster.outcome(first / 1) == .succeeded)
        #expect(cluster.outcome(third / 0) == .succeeded)
    }

    @Test(
        "Cancelling 10,000 elements takes four effects, and cancelling a range splits a block only at the ends of the range"
    )
    func range() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .array(10_000), .op(), .array(10))
        #expect(cluster.cancel(.operations(job, 1..<10_001)) == 10_000)
        // One record, two events, one answer.
        #expect(cluster.effects.count == 4)
        #expect(cluster.cancel(.operations(job, 10_004..<10_007)) == 3)
        #expect(cluster.scheduler.graph.nodeCount == 4)
        #expect(cluster.cancel(.operations(job, 10_005..<UInt32.max), .operation(job / 0)) == 6)
        #expect(cluster.cancel(.operations(JobNumber(7), 0..<1), .operation(job / Int(UInt32.max))) == 0)
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/10001", "1/10002", "1/10003"])
    }

    @Test("CA9 Cancelling an operation twice, also within one request, has the effect of cancelling it once")
    func twice() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        #expect(cluster.cancel(.operation(job / 0), .job(job), .operation(job / 1), .queue("default")) == 2)
        #expect(cluster.effects.ended.count == 1)
        cluster.cancel(.job(job))
        #expect(cluster.effects.ended.isEmpty)
        cluster.finish(job / 0, .signalled(9))
        #expect(cluster.ends == [job / 0: 1, job / 1: 1])
        #expect(cluster.cancel(.job(job), .operation(JobNumber(9) / 9), .queue("none")) == 0)
    }

    @Test(
        "CA10 The dependents of a cancelled operation stay uncancelled: after is ready, needs and onFailure are skipped"
    )
    func dependents() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .op(on: .needs(0)), .op(on: .onFailure(0)))
        cluster.cancel(.operation(job / 0))
        #expect(cluster.state(job / 1) == .ready)
        #expect(cluster.outcome(job / 2) == .skipped)
        #expect(cluster.outcome(job / 3) == .skipped)
        #expect(cluster.last(job / 2)?.isCancelled == false)
    }

    @Test(
        "CA10 An operation named in a cancellation is cancelled, not skipped, also if it needs another one of the request"
    )
    func dependentOfAnother() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .array(10, on: .needs(0)))
        #expect(cluster.cancel(.operation(job / 0), .operation(job / 5)) == 2)
        #expect(cluster.outcome(job / 5) == .cancelled)
        #expect((1...10).allSatisfy { cluster.outcome(job / $0) == ($0 == 5 ? .cancelled : .skipped) })
        #expect(cluster.scheduler.counts.unfinished == 0)
    }

    @Test("CA14 A cancelled operation that waits for its retry ends as cancelled and starts no further attempt")
    func betweenAttempts() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(1)])
        cluster.finish(job / 0, .exited(1))
        cluster.cancel(.operation(job / 0))
        #expect(cluster.outcome(job / 0) == .cancelled)
        cluster.pass(.seconds(9))
        #expect(cluster.order == ["1/0"])
    }

    @Test("The ready queue and the timers keep fewer than 150 entries each after 600 operations were cancelled")
    func leavesNothing() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(0))
        let first = cluster.submit(.op())
        for _ in 0..<300 {
            let job = cluster.submit(.op(), .op(delay: .seconds(86_400)))
            cluster.cancel(.job(job))
        }
        #expect(cluster.scheduler.firstQueue.line.entries.count < 150)
        #expect(cluster.scheduler.timers.all.count < 150)
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == [first / 0])
    }
}
