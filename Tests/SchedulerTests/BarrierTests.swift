@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Barriers", .timeLimit(.minutes(60)))
struct BarrierTests {
    @Test(
        "BA1 BA2 A barrier starts once all earlier operations have finished; later ones start once it has finished",
        arguments: [0, 3]
    )
    func order(ahead: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(ahead)))
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(), .op(), .barrier(), .op(), .op())
        let late = cluster.submit(.op())
        #expect(cluster.order == ["1/0", "1/1"])
        #expect([job / 2, job / 3, late / 0].allSatisfy { cluster.state($0) == .ready })
        cluster.finish(job / 1)
        #expect(cluster.order.count == 2)
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
        cluster.finish(job / 2)
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3", "1/4", "2/0"])
    }

    @Test(
        "BA1 A barrier waits for pending, held and delayed operations of earlier submissions in its queue"
    )
    func allBefore() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        var held = Entry.op()
        held.isHeld = true
        let first = cluster.submit(
            .op(on: .after(3)),
            held,
            .op(delay: .seconds(60)),
            .op(queue: 1),
            queues: ["a", "b"]
        )
        let wall = cluster.submit(.barrier(), queues: ["a"])
        cluster.finish(first / 3)
        cluster.finish(first / 0)
        cluster.release(.operation(first / 1))
        cluster.finish(first / 1)
        #expect(cluster.state(wall / 0) == .ready)
        cluster.pass(.seconds(60))
        cluster.finish(first / 2)
        #expect(cluster.state(wall / 0) == .executing)
    }

    @Test("BA1 A barrier that is the first entry of an empty queue starts at once")
    func alone() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.barrier(), .op())
        #expect(cluster.order == ["1/0"])
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test("BA2 A higher priority lifts no operation over a barrier, and counts again behind the barrier")
    func priorities() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(
            .op(at: .low),
            .barrier(at: .veryLow),
            .op(),
            .op(at: .veryHigh),
            .barrier(at: .veryHigh),
            .op(at: .veryHigh)
        )
        cluster.setPriority(.operation(job / 2), to: .high)
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/3", "1/2", "1/4", "1/5"])
    }

    @Test("BA3 Several barriers of one queue run in order, each alone")
    func several() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.barrier(), .barrier(), .op(), .barrier(), .barrier())
        for index in 0..<5 {
            #expect(cluster.order == (0...index).map { "1/\($0)" })
            cluster.finish(job / index)
        }
        #expect(cluster.scheduler.firstQueue.segments.count == 1)
    }

    @Test("BA6 CA6 A barrier that is cancelled with its queue does not run and lets later operations start")
    func cancelledQueue() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(.op(), .barrier(), .op())
        #expect(cluster.cancel(.queue("default")) == 3)
        #expect([1, 2].map { cluster.outcome(job / $0) } == [.cancelled, .cancelled])
        let later = cluster.submit(.op(), .barrier())
        #expect(cluster.state(later / 0) == .executing)
        cluster.finish(later / 0)
        #expect(cluster.state(later / 1) == .ready)
        cluster.finish(job / 0, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.state(later / 1) == .executing)
    }

    @Test(
        "BA6 A barrier that is cancelled alone does not run, and the other operations run in order",
        arguments: [0, 1, 2]
    )
    func cancelledAlone(which: Int) {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.op(), .barrier(), .op(), .barrier(), .op(), .barrier(), .op())
        cluster.cancel(.operation(job / (2 * which + 1)))
        #expect(cluster.outcome(job / (2 * which + 1)) == .cancelled)
        cluster.finishAll()
        #expect(cluster.order == (0..<7).filter { $0 != 2 * which + 1 }.map { "1/\($0)" })
        if which == 0 { #expect(cluster.sent.prefix(2).map(\.operation) == [job / 0, job / 2]) }
    }

    @Test("BA3 A cancelled barrier that executes keeps later operations back until its attempt has ended")
    func cancelledExecuting() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.barrier(), .op())
        cluster.cancel(.operation(job / 0))
        #expect(cluster.order == ["1/0"])
        cluster.finish(job / 0, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test("BA7 A barrier keeps back no operation of another queue")
    func otherQueues() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        cluster.submit(.op(), .barrier(), .op(), .op(queue: 1), queues: ["a", "b"])
        cluster.submit(.op(), .barrier(), queues: ["b"])
        #expect(cluster.order == ["1/0", "1/3", "2/0"])
    }

    @Test("BA8 A cancelled operation behind a barrier finishes before the barrier has started")
    func laterCancelled() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .barrier(), .op(), .array(4))
        #expect(cluster.cancel(.operation(job / 2), .operation(job / 4)) == 2)
        #expect([2, 4].map { cluster.outcome(job / $0) } == [.cancelled, .cancelled])
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/3", "1/5", "1/6"])
    }

    @Test("BA10 A barrier behind a failed, a cancelled and a skipped operation still runs")
    func afterFailure() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(.op(), .op(), .op(on: .needs(0)), .barrier())
        cluster.cancel(.operation(job / 1))
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.outcome(job / 2) == .skipped)
        #expect(cluster.state(job / 3) == .executing)
    }

    @Test("BA11 BA9 A barrier is listed and counted like any other entry, obeys suspension and has an outcome")
    func entry() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .barrier(), .op())
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == [job / 0, job / 1, job / 2])
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 3)
        cluster.suspend("default")
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .ready)
        cluster.cancel(.operation(job / 2))
        #expect(cluster.outcome(job / 2) == nil)
        cluster.resume("default")
        #expect(cluster.state(job / 1) == .executing)
        #expect(cluster.outcome(job / 2) == .cancelled)
        cluster.finish(job / 1, .exited(4))
        #expect(cluster.outcome(job / 1) == .failed)
        #expect(cluster.record.finished[job]?.failed == 1)
    }

    @Test("BA11 SU3 A cancelled barrier of a suspended queue stays counted until the resume, then later ones start")
    func cancelledSuspended() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.suspend("default")
        let job = cluster.submit(.barrier(), .op())
        cluster.cancel(.operation(job / 0))
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 2)
        cluster.resume("default")
        #expect(cluster.outcome(job / 0) == .cancelled)
        #expect(cluster.order == ["1/1"])
    }

    @Test(
        "BA1 BA2 A barrier with a dependency, a hold, a delay and a retry keeps later operations back until its end"
    )
    func conditions() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        var wall = Entry.barrier(on: .after(2))
        wall.isHeld = true
        wall.delay = .seconds(5)
        let job = cluster.submit(wall, .op(), .op(queue: 1), queues: ["a", "b"], templates: [.retrying(1)])
        cluster.finish(job / 2)
        cluster.pass(.seconds(6))
        #expect(cluster.order == ["1/2"])
        cluster.release(.operation(job / 0))
        #expect(cluster.order == ["1/2", "1/0"])
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.order.count == 2)
        cluster.pass(.seconds(2))
        #expect(cluster.order == ["1/2", "1/0", "1/0"])
        cluster.finish(job / 0)
        #expect(cluster.order.last == "1/1")
    }

    @Test("BA2 A barrier and an operation behind it can depend on earlier operations, also of another queue")
    func dependencies() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(
            .op(),
            .op(queue: 1, on: .after(0)),
            .barrier(on: .after(1)),
            .op(on: .after(1), .after(2)),
            queues: ["a", "b"]
        )
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3"])
        #expect(cluster.ends.count == 4 && job == JobNumber(1))
    }

    @Test("DE16 A submission whose dependencies contradict the order of its barriers is refused as a cycle")
    func againstBarriers() {
        var cluster = Cluster()
        for entries in [
            [Entry.op(on: .after(2)), .barrier(), .op()], [.op(on: .after(1)), .barrier()],
            [.barrier(on: .after(1)), .op()],
            [.op(on: .after(3)), .barrier(), .op(queue: 1), .op()],
        ] {
            let submission = Submission(queueNames: ["a", "b"], templates: [.noOperation], entries: entries)
            guard case .refused(let refusal)? = cluster.answer(to: submission) else {
                Issue.record("not refused: \(entries)")
                continue
            }
            #expect(refusal.code == .cycle)
        }
        #expect(cluster.record.changes.isEmpty)
    }

    @Test("BA1 CO1 A barrier needs a place within the limit of its queue like any other operation")
    func limit() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(2))
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.array(3), .barrier(), .array(3))
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
        cluster.setQueue("default", limit: .atMost(0))
        cluster.finish(job / 1)
        cluster.finish(job / 2)
        #expect(cluster.order.count == 3)
        cluster.setQueue("default", limit: .atMost(2))
        #expect(cluster.order.last == "1/3")
        cluster.finish(job / 3)
        #expect(cluster.order.suffix(2) == ["1/4", "1/5"])
    }

    @Test(
        "An array behind a barrier runs each element once after it was split, held, released and given other priorities"
    )
    func changedBehind() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .barrier(), .array(10), .op())
        for _ in 0..<100 {
            cluster.hold(.operation(job / 5))
            cluster.release(.operation(job / 5))
            cluster.setPriority(.operation(job / 12), to: .low)
            cluster.setPriority(.operation(job / 12), to: .normal)
        }
        cluster.setPriority(.operation(job / 7), to: .high)
        cluster.hold(.operation(job / 12))
        #expect(cluster.scheduler.firstQueue.segments.parked(in: 1).count < 10)
        cluster.join("w1")
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        cluster.release(.operation(job / 12))
        cluster.finishAll()
        let rest = (2..<12).filter { $0 != 7 }.map { "1/\($0)" }
        #expect(cluster.order == ["1/0", "1/1", "1/7"] + rest + ["1/12"])
    }

    @Test(
        "D6 BA2 Operations and barriers of a queue keep their order over a restart, and none runs twice",
        arguments: 0..<4
    )
    func restored(finished: Int) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), .barrier(), .op(), .barrier(), .op())
        for index in 0..<finished { cluster.finish(job / index) }
        let claimed = cluster.running.values.sorted { $0.token < $1.token }
        let order = cluster.order
        cluster.restart()
        cluster.join("w1", slots: 2, holding: claimed)
        for attempt in claimed { cluster.running[attempt.operation] = attempt }
        for attempt in claimed { cluster.running[attempt.operation]?.session = SessionID(rawValue: 2) }
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(order + cluster.order == (0..<6).map { "1/\($0)" })
    }

    @Test("D6 BA2 An unrecorded attempt behind a barrier is adopted only once the end of the barrier is reported")
    func adoption() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.barrier(), .op())
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        cluster.restart(from: committed)
        let second = cluster.join("w2", holding: [claimed[1]])
        #expect(cluster.effects.stale == [])
        #expect(cluster.state(job / 1) == .ready)
        let first = cluster.join("w1", holding: [claimed[0]], areFinished: true)
        cluster.report(claimed[0], session: first)
        #expect(cluster.state(job / 1) == .executing)
        cluster.report(claimed[1], session: second)
        #expect(cluster.outcome(job / 1) == .succeeded)
        #expect(cluster.last(job / 1)?.attempt == 1)
    }
}
