@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Restored prefetches, holds, suspensions and cancellations", .timeLimit(.minutes(60)))
struct RestoreChangesTests {
    private static func cluster(ahead: Int = 3) -> Cluster {
        Cluster(Configuration(sendAhead: .atMost(ahead)))
    }

    /// A cluster with one worker, one running operation and other, prefetched operations.
    ///
    /// - Returns: the cluster, the running attempts, and the waiting attempts.
    private static func loaded(_ entries: Entry...) -> (Cluster, running: [Dispatch], waiting: [Dispatch]) {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let submission = Submission(queueNames: ["default", "b"], templates: [.noOperation], entries: entries)
        _ = cluster.answer(to: submission)
        return (cluster, cluster.started, cluster.workers[session]?.waiting ?? [])
    }

    @Test("D6 A prefetched operation is ready after a restart, and its worker goes on with it as the same attempt")
    func sent() {
        var (cluster, running, waiting) = Self.loaded(.array(4))
        let job = JobNumber(1)
        cluster.restart()
        #expect((0..<4).map { cluster.state(job / $0) } == [.executing, .ready, .ready, .ready])
        cluster.join("w1", holding: running, waiting: waiting)
        #expect(cluster.effects.stale == [])
        cluster.pass(.seconds(5))
        cluster.report(running[0], session: cluster.scheduler.session(ofWorker: "w1"))
        cluster.finishAll()
        #expect(cluster.order == ["1/1", "1/2", "1/3"])
        #expect((0..<4).allSatisfy { cluster.last(job / $0)?.attempt == 1 && cluster.last(job / $0)?.losses == 0 })
    }

    @Test("D3 An attempt that was given back and sent again before a crash goes on under its newer token")
    func sentAnew() {
        var (cluster, running, waiting) = Self.loaded(.array(2))
        let job = JobNumber(1)
        var newer = waiting[0]
        newer.assignment.token = AttemptToken(rawValue: newer.token.inRecord.rawValue + 100)
        cluster.restart()
        cluster.join("w1", slots: 2, holding: running + [newer])
        #expect(cluster.effects.stale == [])
        #expect(cluster.state(job / 1) == .executing)
        cluster.pass(.seconds(5))
        for attempt in running + [newer] {
            cluster.report(attempt, session: cluster.scheduler.session(ofWorker: "w1"))
        }
        #expect([0, 1].allSatisfy { cluster.outcome(job / $0) == .succeeded })
        #expect([0, 1].allSatisfy { cluster.last(job / $0)?.attempt == 1 && cluster.last(job / $0)?.losses == 0 })
    }

    @Test("D3 A prefetched operation that no worker claims after a restart runs again as the next attempt")
    func sentAndLost() {
        var (cluster, _, _) = Self.loaded(.array(2))
        let job = JobNumber(1)
        cluster.restart()
        cluster.join("w2", slots: 2)
        cluster.pass(.seconds(45))
        #expect([0, 1].map { cluster.running[job / $0]?.attempt } == [2, 2])
        #expect(cluster.last(job / 1)?.losses == 1)
    }

    @Test("D3 A dispatch missing at a returning worker keeps its number for the same process, not for another one")
    func neverReached() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.array(2))
        cluster.join("w1")
        #expect([0, 1].map { cluster.running[job / $0]?.attempt } == [1, nil])
        let again = cluster.scheduler.session(ofWorker: "w1") ?? session
        cluster.delayMessages(to: again)
        cluster.finish(job / 0)
        // Another process cannot say which attempts the earlier process has started.
        cluster.join("w1", processID: 8)
        #expect(cluster.running[job / 1]?.attempt == 2)
    }

    @Test("SU1 SU8 D6 An operation that waits at a worker is recalled after a restart if its queue is suspended")
    func suspended() {
        var (cluster, running, waiting) = Self.loaded(.array(3), .op(queue: 1))
        let job = JobNumber(1)
        let session = cluster.scheduler.session(ofWorker: "w1") ?? SessionID(rawValue: 0)
        cluster.delayMessages(to: session)
        cluster.suspend("default")
        cluster.restart()
        #expect(cluster.scheduler.queue("default")?.settings.isSuspended == true)
        let again = cluster.join("w1", holding: running, waiting: waiting)
        #expect(cluster.workers[again]?.waiting.allSatisfy { $0.queue == "b" } == true)
        cluster.pass(.seconds(5))
        cluster.report(running[0], session: again)
        #expect(cluster.order == ["1/3"])
        #expect([1, 2].map { cluster.state(job / $0) } == [.ready, .ready])
        cluster.resume("default")
        cluster.finishAll()
        #expect(cluster.last(job / 1)?.attempt == 1)
    }

    @Test("SU8 D6 An unrecorded dispatch does not start in a queue that was suspended before its worker came back")
    func suspendedUnrecorded() {
        var (cluster, running, waiting) = Self.loaded(.array(3))
        cluster.restart(from: cluster.record.withoutLast(2))
        cluster.suspend("default")
        let again = cluster.join("w1", holding: running, waiting: waiting)
        #expect(cluster.workers[again]?.waiting.isEmpty == true)
        cluster.pass(.seconds(5))
        cluster.report(running[0], session: again)
        #expect(cluster.order.isEmpty)
    }

    @Test("CA15 The reply to a cancellation names a worker that comes back and does not answer in time")
    func cancelledAtReturningWorker() {
        var (cluster, running, waiting) = Self.loaded(.array(3))
        cluster.restart()
        let request = cluster.request { .cancel([.operation(JobNumber(1) / 1)], request: $0) }
        // The worker is told which attempts to give back, and does not answer.
        var introduction = Cluster.introduction("w1", SessionID(rawValue: 77), holding: running)
        introduction.attempts += waiting.map { ClaimedAttempt($0, .waiting) }
        _ = cluster.scheduler.apply(.workerJoined(introduction), at: cluster.now)
        let effects = cluster.scheduler.apply(.timePassed, at: cluster.now + .seconds(2))
        let reports = effects.compactMap { effect in
            if case .answer(request, .changed(let report)) = effect { report } else { nil }
        }
        #expect(reports == [ChangeReport(changed: 1, unanswered: ["w1"])])
    }

    @Test("A request that waited for the workers does not wait for the recalls of other operations")
    func othersAskedBack() throws {
        var (cluster, running, waiting) = Self.loaded(.array(2))
        let other = cluster.submit(.op(delay: .seconds(3600)))
        cluster.restart()
        let request = cluster.request { .hold([.job(other)], request: $0) }
        #expect(cluster.answers[request] == nil)
        cluster.join("w1", holding: running, waiting: waiting)
        let answered = cluster.effects.firstIndex { if case .answer(request, _) = $0 { true } else { false } }
        let returned = cluster.effects.firstIndex { effect in
            guard case .commit(.operation(let record)) = effect else { return false }
            return record.id == waiting[0].operation && record.token == nil
        }
        #expect(try #require(answered) < #require(returned))
    }

    @Test("DE6 DE9 A dependency that fails while its request waits for the workers counts as failed")
    func dependencyFinishedMeanwhile() {
        var (cluster, running, _) = Self.loaded(.op())
        let job = cluster.submit(.op(delay: .seconds(3600)))
        let first = JobNumber(1) / 0
        cluster.join("w2")
        cluster.restart()
        let request = cluster.request(cluster.dependEvent(job / 0, [.needs(first)]))
        let session = cluster.join("w1", holding: running)
        cluster.report(running[0], .exited(1), session: session)
        #expect(cluster.outcome(first) == .failed && cluster.answers[request] == nil)
        cluster.join("w2")
        #expect(cluster.report(request)?.changed == 1)
        #expect(cluster.outcome(job / 0) == .skipped)
    }

    @Test(
        "PR9 D6 A prefetched operation does not start before one of higher priority, also over a restart",
        arguments: [0, 1]
    )
    func priorities(when: Int) {
        var (cluster, running, waiting) = Self.loaded(.array(3), .op(at: .high, delay: .seconds(2)))
        if when == 0 {
            let session = cluster.scheduler.session(ofWorker: "w1") ?? SessionID(rawValue: 0)
            cluster.delayMessages(to: session)
            cluster.pass(.seconds(2))
        }
        cluster.restart()
        let again = cluster.join("w1", holding: running, waiting: waiting)
        cluster.pass(.seconds(5))
        cluster.report(running[0], session: again)
        cluster.finishAll()
        #expect(cluster.order == ["1/3", "1/1", "1/2"])
    }

    @Test("SU3 D6 Cancelled operations of a suspended queue survive a restart and finish on the resume without running")
    func flagged() {
        var cluster = Cluster()
        cluster.suspend("default")
        let job = cluster.submit(.op(), .op(on: .after(0)), .array(5), .barrier(), .op())
        cluster.cancel(.operation(job / 1), .operations(job, 3..<5), .operation(job / 7))
        cluster.restart()
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 9)
        #expect([1, 3, 4, 7].allSatisfy { cluster.scheduler.record(of: job / $0)?.isCancelled == true })
        cluster.resume("default")
        #expect([1, 3, 4, 7].allSatisfy { cluster.outcome(job / $0) == .cancelled })
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/5", "1/6", "1/8"])
    }

    @Test(
        "CA15 D6 A sent operation that was cancelled before a restart is ended or recalled when its worker comes back",
        arguments: [0, 1]
    )
    func cancelledSent(isRunning: Int) {
        var (cluster, running, waiting) = Self.loaded(.array(2))
        let job = JobNumber(1)
        let session = cluster.scheduler.session(ofWorker: "w1") ?? SessionID(rawValue: 0)
        cluster.delayMessages(to: session)
        cluster.cancel(.operation(job / 1))
        cluster.restart()
        #expect(cluster.scheduler.record(of: job / 1)?.isCancelled == true)
        if isRunning == 1 {
            let again = cluster.join("w1", slots: 2, holding: running + waiting)
            #expect(cluster.effects.ended == [waiting[0].token])
            cluster.report(waiting[0], .cancelled(exitStatus: nil, signal: 15), session: again)
        } else {
            cluster.join("w1", holding: running, waiting: waiting)
        }
        #expect(cluster.outcome(job / 1) == .cancelled)
        #expect(cluster.last(job / 1)?.attempt == UInt32(isRunning))
    }

    @Test("D6 Holds, releases, priorities and the order within them survive a restart")
    func holdsAndPriorities() {
        var cluster = Cluster()
        var held = Entry.op()
        held.isHeld = true
        let job = cluster.submit(held, held, .op(), .array(4), .op(at: .high))
        cluster.release(.operation(job / 1))
        cluster.hold(.operation(job / 4))
        cluster.setPriority(.operation(job / 2), .operation(job / 7), to: .low)
        cluster.setPriority(.operation(job / 2), to: .normal)
        cluster.restart()
        let later = cluster.submit(.op(), .op(at: .low))
        #expect(cluster.setPriority(.operation(job / 3), to: .low)?.changed == 1)
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(5))
        while let next = cluster.running.keys.first { cluster.finish(next) }
        #expect(cluster.order == ["1/1", "1/5", "1/6", "1/2", "2/0", "1/7", "2/1", "1/3"])
        #expect([0, 4].allSatisfy { cluster.scheduler.record(of: job / $0)?.isHeld == true })
        cluster.release(.job(job))
        cluster.finishAll()
        #expect(cluster.order.suffix(2) == ["1/0", "1/4"] && later == JobNumber(2))
    }

    @Test("D6 Holds on a delayed operation and on one that waits for its retry survive a restart")
    func holdAndDelay() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(delay: .seconds(60)), templates: [.retrying(1, delay: .seconds(30))])
        cluster.finish(job / 0, .exited(1))
        cluster.hold(.job(job))
        cluster.restart()
        cluster.join("w1", slots: 2)
        cluster.pass(.seconds(100))
        #expect(cluster.order.isEmpty)
        cluster.restart()
        cluster.join("w1", slots: 2)
        cluster.pass(.seconds(5))
        cluster.release(.job(job))
        // The second attempt is on disk before the dispatch.
        #expect(cluster.order.sorted() == ["1/0", "1/1"])
        #expect(cluster.running[job / 0]?.attempt == 2)
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.outcome(job / 0) == .failed)
    }

    @Test("OB10 The numbers of events go on after a restart, and no event is told twice")
    func events() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(delay: .seconds(2)), .op(on: .after(0)), .array(3))
        let before = cluster.record.events.events.count
        let claimed = cluster.started
        cluster.restart()
        #expect(cluster.record.events.events.count == before)
        #expect(cluster.scheduler.newestEvent == cluster.record.events.next - 1)
        cluster.now = cluster.now + .seconds(3)
        // The next coordinator tells of operations that fell due while no coordinator ran.
        cluster.restart()
        #expect(cluster.record.events.history(job / 1) == ["ready"])
        cluster.restart()
        #expect(cluster.record.events.history(job / 1) == ["ready"])
        let session = cluster.join("w1", holding: claimed)
        cluster.report(claimed[0], session: session)
        #expect(cluster.record.events.history(job / 0) == ["ready", "executing", "succeeded"])
    }

    @Test(
        "OB10 An operation whose delay ended during the coordinator's absence is told to be ready once"
    )
    func delayEndedMeanwhile() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(delay: .seconds(1), on: .after(0)))
        let running = cluster.started
        // A worker that does not come back delays the dispatch.
        cluster.join("w2")
        cluster.now = cluster.now + .seconds(2)
        cluster.restart()
        let again = cluster.join("w1", holding: running)
        cluster.report(running[0], session: again)
        #expect(cluster.state(job / 1) == .ready)
        cluster.restart()
        #expect(cluster.record.events.history(job / 1) == ["ready"])
    }

    @Test("A recorded cancellation in a queue that is not suspended finishes the operation after a restart")
    func cancelledNotSuspended() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .array(3))
        for index in [0, 1, 3] {
            var record = OperationRecord(id: job / index, state: index == 1 ? .pending : .ready)
            record.isCancelled = true
            cluster.record.commit([.operation(record)])
            cluster.record.commit([
                .event(
                    ClusterEvent(
                        sequence: cluster.record.events.next,
                        time: cluster.now,
                        subject: .operations(job / index, count: 1, .cancelled)
                    )
                )
            ])
        }
        cluster.restart()
        #expect([0, 1, 3].allSatisfy { cluster.outcome(job / $0) == .cancelled })
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(cluster.order == ["1/2", "1/4"])
    }
}
