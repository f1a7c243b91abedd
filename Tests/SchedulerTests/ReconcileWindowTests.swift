@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Reconciliation window after a restart", .timeLimit(.minutes(60)))
struct ReconcileWindowTests {
    @Test("D6 A restarted coordinator dispatches at once if no worker had a session")
    func nobody() {
        var cluster = Cluster()
        cluster.submit(.op())
        cluster.apply(.workerLeft(cluster.join("w1", slots: 1)))
        cluster.submit(.op())
        cluster.restart()
        cluster.join("w2", slots: 2)
        // The second attempt of 1/0 is on disk before the dispatch.
        #expect(cluster.order.sorted() == ["1/0", "2/0"])
    }

    @Test(
        "D6 Ready operations start once all workers are back, and operations of a new queue start before that"
    )
    func everybody() {
        var cluster = Cluster()
        for name in ["w1", "w2", "w3"] { cluster.join(name) }
        let job = cluster.submit(.array(4))
        let claimed = cluster.started
        let names = claimed.map { cluster.workers[$0.session]?.name ?? "" }
        cluster.restart()
        cluster.join(names[2], holding: [claimed[2]])
        cluster.join(names[0], holding: [claimed[0]])
        cluster.join("stranger", slots: 3)
        #expect(cluster.order.isEmpty)
        let behind = cluster.submit(.op())
        #expect(cluster.order.isEmpty && cluster.state(behind / 0) == .ready, "first added, first started")
        cluster.submit(.op(), queues: ["new"])
        #expect(cluster.order == ["3/0"])
        cluster.join(names[1], holding: [claimed[1]])
        #expect(cluster.order == ["3/0", "1/3", "2/0"])
        #expect(cluster.started.map(\.attempt) == [1, 1, 1])
        cluster.pass(.seconds(50))
        #expect((0..<3).allSatisfy { cluster.running[job / $0] == nil && cluster.last(job / $0)?.attempt == 1 })
    }

    @Test("D3 An operation whose attempt no returned worker has runs again at once as the next attempt")
    func claimedByNobody() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.restart()
        cluster.join("w1", processID: 8)
        #expect(cluster.started.map(\.attempt) == [2])
        #expect(cluster.last(job / 0)?.losses == 1)
        #expect(cluster.record.attempts[job / 0]?.count == 1)
    }

    @Test(
        "D6 An attempt goes on if the record has an earlier attempt, which never arrived, whoever returns first",
        arguments: [
            ["w1", "w2", "w3"], ["w1", "w3", "w2"], ["w2", "w1", "w3"], ["w3", "w1", "w2"], ["w3", "w2", "w1"],
        ],
        [false, true]
    )
    func givenToAnother(order: [String], isReplaced: Bool) {
        var cluster = Cluster()
        cluster.join("w3")
        let filler = cluster.submit(.op())
        cluster.join("w2")
        let other = cluster.submit(.op())
        let silent = cluster.join("w1")
        cluster.delayMessages(to: silent)
        let job = cluster.submit(.op())
        let committed = cluster.record
        #expect(committed.operation(job / 0)?.worker == "w1")
        cluster.finish(other / 0)
        // The dispatch never arrived, and another worker got the operation.
        cluster.apply(.workerLeft(silent))
        let claimed = cluster.started
        #expect(cluster.last(job / 0)?.worker == "w2" && cluster.running[job / 0]?.attempt == 1)
        cluster.restart(from: committed)
        for name in order {
            switch name {
            case "w1": cluster.join("w1", processID: isReplaced ? 8 : 7)
            case "w2": cluster.join("w2", slots: 2, holding: Array(claimed[1...]))
            default: cluster.join("w3", processID: 8)
            }
        }
        #expect(cluster.state(job / 0) == .executing)
        #expect(!cluster.order.contains("\(job / 0)"), "it runs already")
        #expect(cluster.last(job / 0)?.attempt == 1)
        #expect(cluster.last(job / 0)?.losses == 0)
        #expect(cluster.record.attempts[job / 0] == nil)
        #expect(cluster.last(filler / 0)?.losses == 1)
        cluster.report(claimed[2], session: cluster.scheduler.session(ofWorker: "w2") ?? silent)
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test(
        "D3 An attempt of a replaced worker that may have started is counted once nobody has claimed the operation",
        arguments: [0, 1, 5]
    )
    func unclaimed(maximumLosses: UInt32) {
        var cluster = Cluster(Configuration(maximumLosses: maximumLosses))
        cluster.join("w2")
        cluster.submit(.op())
        cluster.delayMessages(to: cluster.join("w1"))
        let job = cluster.submit(.op())
        cluster.restart()
        cluster.join("w1", processID: 8)
        cluster.join("w2", slots: 2, processID: 8)
        #expect(cluster.last(job / 0)?.losses == 1)
        if maximumLosses == 0 {
            #expect(cluster.outcome(job / 0) == .failed)
        } else {
            #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1])
            #expect(cluster.record.attempts[job / 0]?.first?.worker == "w1")
            #expect(cluster.started.first { $0.operation == job / 0 }?.attempt == 2)
        }
    }

    @Test("An attempt whose dependency's end is still unreported keeps the reconciliation window open")
    func claims() {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        let first = cluster.last(job / 0)?.worker ?? ""
        cluster.restart(from: committed)
        cluster.join(first == "w1" ? "w2" : "w1", holding: [claimed[2]])
        let session = cluster.join(first, slots: 2, holding: [claimed[0], claimed[1]])
        let other = cluster.submit(.op())
        #expect(cluster.state(other / 0) == .ready)
        cluster.report(claimed[0], session: session)
        #expect(cluster.order == ["2/0"])
        #expect([1, 2].allSatisfy { cluster.state(job / $0) == .executing && cluster.last(job / $0)?.attempt == 1 })
    }

    @Test(
        "D3 An unrecorded attempt that its worker gives back before the dependency's end is reported starts once more"
    )
    func claimGivenBack() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        #expect(claimed.map(\.operation) == [job / 0, job / 1])
        cluster.restart(from: committed)
        let session = cluster.join("w1", holding: [claimed[0]], waiting: [claimed[1]])
        cluster.workers[session]?.waiting = []
        cluster.apply(.attemptsReturned(session, [claimed[1].token]))
        cluster.report(claimed[0], session: session)
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.started.map(\.operation) == [job / 1] && cluster.started.first?.token != claimed[1].token)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded)
    }

    @Test("D3 An attempt of this start whose worker is replaced within the window is counted at once")
    func lostWithinWindow() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op())
        cluster.restart()
        // The first worker stays away, and keeps the window open.
        cluster.delayMessages(to: cluster.join("w2"))
        let job = cluster.submit(.op(), queues: ["new"])
        cluster.join("w2", processID: 8)
        #expect(cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.last(job / 0)?.losses == 1)
        #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1])
        cluster.pass(.seconds(40))
        #expect(cluster.started.filter { $0.operation == job / 0 }.map(\.attempt) == [2])
        #expect(cluster.record.attempts[job / 0]?.count == 1)
    }

    /// A restarted coordinator whose window lasts another millisecond: a worker has just returned with the unrecorded end of an
    /// operation and with the attempt of the operation's dependent, and another worker stays away.
    private func returnedAtTheEnd() -> (cluster: Cluster, job: JobNumber, claimed: [Dispatch], session: SessionID) {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(.op(), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        let first = cluster.last(job / 0)?.worker ?? ""
        cluster.restart(from: committed)
        let time = cluster.scheduler.configuration.reconcileTime
        cluster.pass(time - .milliseconds(1))
        let session = cluster.join(first, slots: 2, holding: claimed, areFinished: true)
        return (cluster, job, claimed, session)
    }

    @Test("D3 A worker that returns at the end of the window has the time to report the ends that decide claims")
    func lateReturn() {
        var (cluster, job, claimed, session) = returnedAtTheEnd()
        cluster.pass(.milliseconds(2))
        #expect(cluster.scheduler.reconciliation.isOpen)
        cluster.report(claimed[0], session: session)
        cluster.report(claimed[1], session: session)
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.outcome(job / 1) == .succeeded)
        #expect(cluster.order.isEmpty, "nothing runs again")
    }

    @Test("A worker that announces ends and never reports them does not keep the window open for good")
    func neverReported() {
        var (cluster, _, _, _) = returnedAtTheEnd()
        cluster.pass(cluster.scheduler.configuration.reconcileTime)
        #expect(cluster.scheduler.reconciliation.isOpen)
        cluster.pass(.milliseconds(2))
        #expect(!cluster.scheduler.reconciliation.isOpen)
    }

    @Test("D3 A coordinator killed within the window lets its successor adopt attempts missing in the record")
    func killedWhileWaiting() {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        let staying = cluster.last(job / 0)?.worker ?? ""
        let lost = staying == "w1" ? "w2" : "w1"
        cluster.restart(from: committed)
        cluster.join(lost, processID: 8)
        #expect(cluster.record.jobsMissingAttempts == [job], "the lost worker may have had first attempts")
        cluster.restart()
        cluster.join(lost, processID: 8)
        let session = cluster.join(staying, slots: 2, holding: [claimed[0], claimed[1]])
        cluster.report(claimed[0], session: session)
        let returned = claimed[1].operation
        #expect(
            cluster.last(returned)?.attempt == 1 && cluster.state(returned) == .executing,
            "its worker came back with it"
        )
        #expect(cluster.started.last?.operation == claimed[2].operation && cluster.started.last?.attempt == 2)
    }

    /// A request that lets a waiting operation start.
    enum LettingGo: CaseIterable {
        case release, undepend, cancel, resume

        func event(_ request: RequestID) -> Event {
            let (first, second) = (JobNumber(1) / 0, JobNumber(1) / 1)
            return switch self {
            case .release: .release([.operation(second)], request: request)
            case .undepend: .undepend(second, [.operation(first)], request: request)
            case .cancel: .cancel([.operation(first)], request: request)
            case .resume: .setQueue(QueueChange(name: "b", isSuspended: false), request: request)
            }
        }
    }

    @Test(
        "D6 An attempt that started because of an unrecorded request goes on once the client repeats the request",
        arguments: LettingGo.allCases
    )
    func letGoAgain(_ way: LettingGo) {
        var cluster = Cluster()
        let job = cluster.submit(.op(queue: 1), .op(on: .after(0)), .op(), queues: ["default", "b"])
        cluster.hold(.operation(job / 2))
        if way == .resume {
            cluster.suspend("b")
            cluster.cancel(.operation(job / 0))
        } else {
            cluster.hold(.operation(job / 0))
        }
        if way == .release {
            cluster.hold(.operation(job / 1))
            cluster.cancel(.operation(job / 0))
        }
        cluster.join("w1")
        let committed = cluster.record
        cluster.request(way.event)
        let claimed = cluster.started
        #expect(claimed.map(\.operation) == [job / 1])
        cluster.restart(from: committed)
        // Another request in between does not prevent the effect.
        let priority = cluster.request { .setPriority([.operation(job / 2)], .high, request: $0) }
        let request = cluster.request(way.event)
        cluster.join("w1", slots: 2, holding: claimed)
        #expect(cluster.answers[request] == nil)
        cluster.pass(.seconds(5))
        #expect(cluster.report(priority)?.changed == 1 && cluster.report(request)?.changed == 1)
        let last = cluster.last(job / 1)
        #expect(cluster.order.isEmpty && last?.state == .executing && last?.attempt == 1 && last?.losses == 0)
    }

    @Test(
        "CA3 An unrecorded attempt is ended, not adopted, if its operation was cancelled in a suspended queue meanwhile"
    )
    func cancelledMeanwhile() {
        var cluster = Cluster()
        let job = cluster.submit(.op(delay: .seconds(100)), .op(on: .after(0)))
        cluster.join("w1")
        let committed = cluster.record
        cluster.cancel(.operation(job / 0))
        let claimed = cluster.started
        #expect(claimed.map(\.operation) == [job / 1])
        cluster.restart(from: committed)
        let session = cluster.join("w1", holding: claimed)
        cluster.request { .setQueue(QueueChange(name: "default", isSuspended: true), request: $0) }
        cluster.request { .cancel([.operation(job / 0), .operation(job / 1)], request: $0) }
        cluster.request { .setQueue(QueueChange(name: "default", isSuspended: false), request: $0) }
        cluster.now = cluster.now + .seconds(5)
        let ended = cluster.apply(.timePassed).contains { effect in
            if case .endAttempts(session, [claimed[0].token]) = effect { true } else { false }
        }
        #expect(ended && cluster.outcome(job / 1) == .cancelled && cluster.order.isEmpty)
    }

    @Test("D6 A restarted coordinator does not wait for workers that left, were lost or stayed away the last time")
    func gone() {
        var cluster = Cluster()
        cluster.submit(.op(delay: .seconds(3600)))
        for name in ["w1", "w2"] { cluster.join(name) }
        cluster.apply(.workerLeft(cluster.join("w3")))
        let lost = cluster.join("w4")
        cluster.pass(.seconds(60), silent: lost)
        #expect(cluster.record.workers == ["w1", "w2"])
        cluster.restart()
        cluster.join("w2")
        cluster.pass(.seconds(5))
        #expect(cluster.record.workers == ["w2"])
        cluster.restart()
        cluster.submit(.op())
        cluster.join("w2")
        #expect(cluster.order == ["2/0"])
    }

    @Test("D6 A restarted coordinator does not wait for a departed worker whose operations are finished")
    func leftItsWorkDone() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)))
        cluster.finish(job / 0)
        cluster.apply(.workerLeft(session))
        cluster.join("w2")
        cluster.finish(job / 1, .interrupted)
        let claimed = cluster.started.suffix(1)
        cluster.restart()
        cluster.submit(.op())
        cluster.join("w2", slots: 2, holding: Array(claimed))
        #expect(cluster.order == ["2/0"])
    }

    @Test("D6 A restarted coordinator waits for no worker if nothing is unfinished")
    func nothing() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.finish(job / 0)
        cluster.restart()
        #expect(cluster.record.workers.isEmpty)
        cluster.submit(.op())
        cluster.join("w2")
        #expect(cluster.order == ["2/0"])
    }

    @Test("A worker gets no dispatch before its session is on disk, and its earlier attempt goes on meanwhile")
    func firstDispatch() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(), .op())
        cluster.isDiskSlow = true
        cluster.join("w1")
        #expect(cluster.sent.isEmpty && cluster.record.workers == ["w1"])
        cluster.commit()
        #expect(cluster.order == ["1/0"])
        cluster.isDiskSlow = true
        let session = cluster.join("w1", slots: 2, holding: cluster.started)
        #expect(cluster.sent.count == 1)
        cluster.report(cluster.started[0], session: session)
        #expect(cluster.outcome(job / 0) == .succeeded)
        cluster.commit()
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
    }

    @Test("The commit of a session that is over lets no attempt be sent to the worker's new session")
    func lateConfirmation() {
        var cluster = Cluster()
        cluster.submit(.op())
        cluster.isDiskSlow = true
        let first = cluster.join("w1")
        let second = cluster.join("w1")
        cluster.unconfirmed = []
        cluster.apply(.committed(.session(first)))
        #expect(cluster.sent.isEmpty)
        cluster.apply(.committed(.session(second)))
        cluster.apply(.committed(.session(second)))
        #expect(cluster.order == ["1/0"])
    }

    @Test("D3 Every attempt but the first is on disk before it is sent", arguments: [true, false])
    func laterAttempts(isLost: Bool) {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        cluster.join("w2")
        cluster.isDiskSlow = true
        if isLost { cluster.pass(.seconds(60), silent: first) } else { cluster.finish(job / 0, .exited(1)) }
        cluster.apply(.timePassed)
        #expect(cluster.sent.count == 1 && cluster.last(job / 0)?.token != nil)
        cluster.commit()
        #expect(cluster.sent.map(\.attempt) == [1, 2])
    }

    /// A job whose first two operations were sent to a worker each, with dispatches missing on disk.
    private func unrecorded() -> (cluster: Cluster, job: JobNumber, claimed: [Dispatch], committed: TestRecord) {
        var cluster = Cluster()
        let job = cluster.submit(.array(4), templates: [.retrying(1, delay: .zero)])
        cluster.isDiskSlow = true
        for name in ["w1", "w2"] { cluster.join(name) }
        let committed = cluster.record
        cluster.commit()
        return (cluster, job, cluster.started, committed)
    }

    @Test("D3 An operation that may have been sent unrecorded to an absent worker runs under the next attempt number")
    func numbersSkip() {
        var (cluster, job, claimed, committed) = unrecorded()
        cluster.restart(from: committed)
        let session = cluster.join("w1", holding: [claimed[0]])
        cluster.pass(.seconds(5))
        cluster.report(claimed[0], session: session)
        #expect(cluster.last(job / 0)?.attempt == 1 && cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.started.map(\.operation) == [job / 1] && cluster.started.map(\.attempt) == [2])
        let late = cluster.join("w2", holding: [claimed[1]])
        #expect(cluster.effects.stale == [claimed[1].token])
        cluster.report(claimed[1], .signalled(15), session: late)
        // The operation has spent neither a retry nor a loss.
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.last(job / 1)?.losses == 0 && cluster.last(job / 1)?.failures == 1)
        cluster.apply(.timePassed)
        cluster.finishAll()
        #expect(cluster.outcome(job / 1) == .succeeded && cluster.last(job / 1)?.attempt == 3)
        #expect(cluster.last(job / 3)?.attempt == 2)
    }

    @Test("D3 Skipped attempt numbers stay skipped after a worker returns as another process and after another restart")
    func numbersSkipForGood() {
        var (cluster, job, claimed, committed) = unrecorded()
        cluster.restart(from: committed)
        cluster.join("w1", holding: [claimed[0]])
        cluster.join("w2", processID: 8)
        #expect(cluster.started.map(\.operation) == [job / 1] && cluster.started.map(\.attempt) == [2])
        let second = cluster.started
        cluster.restart()
        let first = cluster.join("w1", holding: [claimed[0]])
        let session = cluster.join("w2", holding: second, processID: 8)
        cluster.report(claimed[0], session: first)
        cluster.report(second[0], .exited(1), session: session)
        cluster.finishAll()
        #expect((1...3).map { cluster.last(job / $0)?.attempt } == [3, 2, 2])
    }

    @Test(
        "D3 An operation that its worker no longer holds gets the next number if an absent worker may hold it",
        arguments: [true, false]
    )
    func givenBackUnrecorded(isBackAtOnce: Bool) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        let first = cluster.started
        cluster.isDiskSlow = true
        cluster.join("w2")
        let committed = cluster.record
        cluster.commit()
        #expect(cluster.order == ["1/0", "1/1"])
        cluster.restart(from: committed)
        if !isBackAtOnce { cluster.pass(.seconds(5)) }
        let session = cluster.join("w1", holding: first)
        cluster.report(first[0], session: session)
        if isBackAtOnce {
            #expect(cluster.started.isEmpty, "the other one may have it")
            cluster.pass(.seconds(5))
        }
        #expect(cluster.started.map(\.operation) == [job / 1] && cluster.started.map(\.attempt) == [2])
    }

    @Test("D3 A claimed attempt that is not adopted uses up its number, also if it started after the restart")
    func startedClaim() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let second = cluster.started[1]
        cluster.restart(from: committed)
        let session = cluster.join("w2", waiting: [second])
        #expect(cluster.order == ["1/1"], "it was not asked back")
        cluster.pass(.seconds(5))
        cluster.report(second, .signalled(15), session: session)
        cluster.pass(.seconds(40))
        cluster.finishAll()
        #expect(cluster.started.map { "\($0.operation) \($0.attempt)" } == ["1/1 1", "1/0 2", "1/1 2"])
    }

    @Test("D3 An attempt that a worker has started is adopted although its delay has not ended by the record's clock")
    func delayUnrecorded() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(delay: .seconds(10)), .op())
        let committed = cluster.record
        let submitted = cluster.now
        cluster.pass(.seconds(10))
        let claimed = cluster.started
        #expect(claimed.map(\.operation) == [job / 1, job / 0])

        cluster.now = submitted
        cluster.restart(from: committed)
        let session = cluster.join("w1", slots: 2, holding: claimed)
        #expect(cluster.effects.stale == [] && cluster.state(job / 0) == .executing)
        cluster.report(claimed[1], session: session)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.last(job / 0)?.attempt == 1)
        cluster.pass(.seconds(20))
        #expect(cluster.started.isEmpty)
    }

    @Test("CA15 D5 Requests about attempts of an absent worker name the worker, and are carried out on its return")
    func requestsMeanwhile() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        let sent = cluster.sent
        cluster.restart()
        cluster.join("w2")
        cluster.pass(.seconds(5))
        let cancel = cluster.request { .cancel([.operation(job / 1)], request: $0) }
        let hold = cluster.request { .hold([.operation(job / 2)], request: $0) }
        let running = cluster.request { .cancel([.operation(job / 0)], request: $0) }
        #expect(cluster.report(running)?.changed == 1)
        #expect(cluster.answers[cancel] == nil && cluster.answers[hold] == nil)
        cluster.pass(.seconds(2))
        #expect(cluster.report(cancel)?.unanswered == ["w1"])
        guard case .refused(let refusal) = cluster.answers[hold] else { return #expect(Bool(false), "it was held") }
        #expect(refusal.message.contains("w1"))
        #expect(cluster.order.isEmpty)
        cluster.join("w1", holding: Array(sent.prefix(1)), waiting: Array(sent.dropFirst()))
        #expect(cluster.outcome(job / 1) == .cancelled)
        #expect(cluster.effects.ended.contains(sent[0].token))
        // The operation's first number is passed over, as w1 was not back in time to say that no worker holds the
        // attempt.
        #expect(cluster.started.map(\.operation) == [job / 2] && cluster.started.map(\.attempt) == [2])
    }

    @Test("D3 An absent worker counts as suspect after a restart, and as lost after the usual time")
    func absent() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.restart()
        func seen() -> WorkerView? { cluster.scheduler.allWorkers.first { $0.name == "w1" } }
        cluster.join("w2")
        cluster.pass(.seconds(44))
        #expect(seen()?.condition == .suspect && seen()?.isAbsent == true && seen()?.executing == 1)
        #expect(cluster.order.isEmpty && cluster.last(job / 0)?.worker == "w1")
        cluster.pass(.seconds(1))
        #expect(seen()?.condition == .lost)
        #expect(cluster.started.map(\.attempt) == [2] && cluster.last(job / 0)?.losses == 1)
    }

    @Test(
        "D3 D6 Random crashes of coordinators let no attempt start twice, none run in two places, and all operations end",
        arguments: 1...(Thoroughness.isFull ? 30 : 8) as ClosedRange<UInt64>
    )
    func crashes(seed: UInt64) {
        var history = CrashHistory(seed: seed)
        for _ in 0..<300 where history.failure == nil { history.step() }
        if history.failure == nil { history.finishAll() }
        #expect(history.failure == nil, "seed \(seed)")
    }
}
