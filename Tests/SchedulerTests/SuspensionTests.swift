@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Suspension", .timeLimit(.minutes(60)))
struct SuspensionTests {
    /// A cluster that sends a number of operations ahead.
    private static func cluster(ahead: Int = 3) -> Cluster {
        Cluster(Configuration(sendAhead: .atMost(ahead)))
    }

    @Test("SU1 SU2 SU4 A suspended queue takes operations and starts none; the resume starts them by priority")
    func startsNothing() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(on: .after(0)))
        #expect(cluster.suspend("default") == ChangeReport(changed: 1))
        #expect(cluster.scheduler.queue("default")?.settings.isSuspended == true)
        let second = cluster.submit(.op(at: .veryHigh))
        #expect(cluster.order == ["1/0"])
        #expect(cluster.effects.ended.isEmpty)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.state(job / 1) == .ready)
        #expect(cluster.order == ["1/0"])
        cluster.resume("default")
        #expect(cluster.order == ["1/0", "2/0", "1/1"])
        #expect(cluster.state(second / 0) == .executing)
    }

    @Test("SU1 A retry in a suspended queue waits for the resume, and a submission can bring a suspended queue")
    func retry() {
        var cluster = Cluster()
        cluster.join("w1")
        let submission = Submission(
            queueChanges: [QueueChange(name: "q", isSuspended: true)],
            queueNames: ["q"],
            templates: [.retrying(1, delay: .zero)],
            entries: [.op()]
        )
        _ = cluster.answer(to: submission)
        #expect(cluster.order.isEmpty)
        cluster.resume("q")
        #expect(cluster.order == ["1/0"])
        cluster.suspend("q")
        cluster.finish(JobNumber(1) / 0, .exited(1))
        cluster.pass(.seconds(3))
        #expect(cluster.state(JobNumber(1) / 0) == .ready)
        cluster.resume("q")
        #expect(cluster.order == ["1/0", "1/0"])
    }

    @Test(
        "SU3 SU4 A cancelled operation of a suspended queue stays counted, and finishes on the resume without running"
    )
    func cancelled() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        cluster.suspend("default")
        let job = cluster.submit(.op(), .op(on: .after(0)), .array(4), .op(delay: .seconds(3600)), .op(at: .low))
        #expect(cluster.cancel(.operation(job / 1), .operations(job, 3..<5), .operation(job / 6)) == 4)
        for index in [1, 3, 4, 6] {
            #expect(cluster.outcome(job / index) == nil)
            #expect(cluster.last(job / index)?.isCancelled == true)
            #expect(cluster.record.events.history(job / index).last == "cancelled")
        }
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 8)
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9).count == 8)
        // A second cancellation changes nothing.
        #expect(cluster.cancel(.operation(job / 1)) == 0)
        cluster.resume("default")
        for index in [1, 3, 4, 6] { #expect(cluster.outcome(job / index) == .cancelled) }
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/5", "1/7"])
        #expect(cluster.ends.values.allSatisfy { $0 == 1 })
    }

    @Test("SU3 Dependents of a cancelled operation in a suspended queue wait for the resume that finishes it")
    func dependentsOfCancelled() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        cluster.suspend("a")
        let job = cluster.submit(
            .op(),
            .op(queue: 1, on: .after(0)),
            .op(queue: 1, on: .needs(0)),
            .op(on: .needs(0)),
            queues: ["a", "b"]
        )
        cluster.cancel(.operation(job / 0), .operation(job / 3))
        #expect([0, 1, 2, 3].map { cluster.state(job / $0) } == [.ready, .pending, .pending, .pending])
        cluster.resume("a")
        #expect(cluster.outcome(job / 0) == .cancelled)
        #expect(cluster.state(job / 1) == .executing)
        #expect(cluster.outcome(job / 2) == .skipped)
        #expect(cluster.outcome(job / 3) == .cancelled)
    }

    @Test("SU3 CA3 A cancelled operation of a suspended queue is not skipped when its dependency fails")
    func cancelledNotSkipped() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        cluster.suspend("a")
        let job = cluster.submit(.op(queue: 1), .op(on: .needs(0)), .array(3, on: .needs(0)), queues: ["a", "b"])
        cluster.cancel(.operation(job / 1), .operation(job / 3))
        cluster.finish(job / 0, .exited(1))
        #expect([2, 4].map { cluster.outcome(job / $0) } == [.skipped, .skipped])
        #expect([1, 3].map { cluster.outcome(job / $0) } == [nil, nil])
        cluster.resume("a")
        #expect([1, 3].map { cluster.outcome(job / $0) } == [.cancelled, .cancelled])
    }

    @Test("SU3 A cancelled executing operation of a suspended queue is asked to end and ends as cancelled")
    func cancelledExecuting() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.suspend("default")
        cluster.cancel(.job(job))
        #expect(cluster.effects.ended == [cluster.started[0].token])
        cluster.finish(job / 0, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.outcome(job / 0) == .cancelled)
    }

    @Test(
        "SU3 A sent operation that was cancelled in a suspended queue and then lost is unfinished until the resume",
        arguments: [true, false]
    )
    func cancelledAndLost(isLostTooOften: Bool) {
        var cluster = Cluster(
            Configuration(maximumLosses: isLostTooOften ? 0 : 5, sendAhead: .atMost(3))
        )
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        cluster.suspend("default")
        cluster.cancel(.operation(job / 1))
        cluster.pass(.seconds(60), silent: session)
        #expect(cluster.outcome(job / 1) == nil)
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == (isLostTooOften ? 1 : 2))
        cluster.resume("default")
        #expect(cluster.outcome(job / 1) == .cancelled)
    }

    @Test("SU5 Suspending a queue twice is suspending it once, and so is resuming it")
    func twice() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(on: .after(0)))
        #expect(cluster.suspend("default")?.changed == 1)
        let changes = cluster.record.changes.count
        #expect(cluster.suspend("default")?.changed == 0)
        #expect(cluster.record.changes.count == changes)
        #expect(cluster.resume("default")?.changed == 1)
        #expect(cluster.resume("default")?.changed == 0)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing)
    }

    @Test("SU6 Other queues go on, and a dependent of a suspended queue's waiting operation waits")
    func otherQueues() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        cluster.suspend("a")
        let job = cluster.submit(
            .op(),
            .op(queue: 1),
            .op(queue: 1, on: .after(0)),
            .op(queue: 1, on: .after(1)),
            queues: ["a", "b"]
        )
        cluster.finish(job / 1)
        #expect(cluster.order == ["1/1", "1/3"])
        #expect(cluster.state(job / 2) == .pending)
    }

    @Test("SU7 A job with a cancelled operation in a suspended queue is not finished before the resume")
    func waiting() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.suspend("default")
        let job = cluster.submit(.op())
        cluster.cancel(.job(job))
        cluster.pass(.seconds(100))
        #expect(cluster.record.finished[job] == nil)
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 1)
        cluster.resume("default")
        #expect(cluster.record.finished[job]?.cancelled == 1)
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 0)
    }

    @Test("SU8 Prefetched operations of a queue are recalled before its suspension is answered")
    func takenBack() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.array(6), .op(queue: 1), queues: ["a", "b"])
        #expect(cluster.sent.count == 4)
        #expect(cluster.suspend("a") == ChangeReport(changed: 1))
        #expect(cluster.workers[session]?.waiting.map(\.queue) == ["b"])
        let started = cluster.started.count
        cluster.finish(cluster.started[0].operation)
        #expect(cluster.started[started...].map(\.queue) == ["b"])
        cluster.finish(job / 6)
        #expect(cluster.started.count == started + 1)
        cluster.resume("a")
        cluster.finishAll()
        #expect(cluster.order.filter { $0 != "1/6" } == (0..<6).map { "1/\($0)" })
        #expect((0..<6).allSatisfy { cluster.last(job / $0)?.attempt == 1 && cluster.last(job / $0)?.losses == 0 })
    }

    @Test("SU8 The answer to a suspension waits for the recall, and no operation starts after the answer")
    func awaited() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.array(6))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        #expect(cluster.answers[request] == nil)
        // An operation that starts before the recall arrives has started before the answer.
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing)
        #expect(cluster.answers[request] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        cluster.finish(job / 1)
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test("SU8 The answer to a suspension also waits for an operation that was sent to a free slot")
    func freeSlot() {
        var cluster = Self.cluster(ahead: 0)
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.op(), .op())
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        #expect(cluster.answers[request] == nil)
        #expect(cluster.state(job / 0) == .ready)
        cluster.deliverMessages(to: session)
        // The dispatch reached the worker together with the recall.
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        #expect(cluster.started.isEmpty)
        cluster.resume("default")
        #expect(cluster.order == ["1/0"])
    }

    @Test("SU8 A suspension names the workers that do not answer in time, and only their late starts still run")
    func unanswered() {
        var cluster = Self.cluster()
        let mute = cluster.join("mute")
        let other = cluster.join("other")
        let job = cluster.submit(.array(20))
        #expect(cluster.sent.count == 8)
        cluster.delayMessages(to: mute)
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        cluster.pass(.microseconds(1_999_999))
        #expect(cluster.answers[request] == nil)
        cluster.pass(.microseconds(1))
        #expect(cluster.report(request) == ChangeReport(changed: 1, unanswered: ["mute"]))
        // The slot of the mute worker is freed before the recall arrives.
        let running = cluster.started.first { $0.session == mute }
        let started = cluster.started.count
        if let running { cluster.report(running) }
        #expect(cluster.started.count == started + 1)
        cluster.deliverMessages(to: mute)
        #expect(cluster.workers[mute]?.waiting.isEmpty == true)
        for attempt in cluster.running.values.sorted(by: { $0.token < $1.token }) { cluster.report(attempt) }
        #expect(cluster.started.count == started + 1)
        #expect(cluster.workers[other]?.waiting.isEmpty == true)
        cluster.resume("default")
        cluster.finishAll()
        #expect((0..<20).allSatisfy { cluster.last(job / $0)?.attempt == 1 })
    }

    @Test("SU8 A second suspension waits for the recall of the first one, and is answered on its own")
    func twiceUnanswered() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        cluster.submit(.array(3))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", isSuspended: true)
        let first = cluster.request { .setQueue(change, request: $0) }
        cluster.pass(.seconds(1))
        let second = cluster.request { .setQueue(change, request: $0) }
        cluster.pass(.seconds(1))
        #expect(cluster.report(first)?.unanswered == ["w1"])
        #expect(cluster.answers[second] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(second) == ChangeReport(changed: 0))
    }

    @Test("SU8 A worker that is lost or leaves counts as an answer to the suspension", arguments: [true, false])
    func workerGone(isLost: Bool) {
        var cluster = Cluster(
            Configuration(suspectAfter: .milliseconds(200), lostAfter: .seconds(1), sendAhead: .atMost(2))
        )
        let session = cluster.join("w1")
        let job = cluster.submit(.array(3))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        if isLost { cluster.pass(.seconds(1), silent: session) } else { cluster.apply(.workerLeft(session)) }
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        #expect((0..<3).allSatisfy { cluster.state(job / $0) == .ready })
        // Attempts of a lost worker may have started unheard; attempts that a worker gave back have not started.
        cluster.join("w2", slots: 3)
        cluster.resume("default")
        #expect((1..<3).allSatisfy { cluster.running[job / $0]?.attempt == (isLost ? 2 : 1) })
    }

    @Test("SU8 A worker that comes back in a new session is asked for the recall again")
    func newSession() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.array(3))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        let waiting = cluster.workers[session]?.waiting ?? []
        #expect(waiting.count == 2)
        let again = cluster.join("w1", holding: [cluster.started[0]], waiting: waiting)
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        #expect(cluster.workers[again]?.waiting.isEmpty == true)
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test("SU8 A resume before the recall is answered lets the recalled operations start again")
    func resumedBefore() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        cluster.submit(.array(3))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", isSuspended: true)
        let request = cluster.request { .setQueue(change, request: $0) }
        cluster.resume("default")
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request)?.unanswered == [])
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
    }
}
