@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Completion hooks", .timeLimit(.minutes(60)))
struct HookTests {
    private static let hooked = Template(
        work: Work(.commands([["true"]]), environment: ["A": "1"], directory: "/somewhere"),
        onFinish: ["tell", "me"]
    )

    /// A template of operations that have a hook and a number of retries.
    private static func retrying(_ retries: UInt16) -> Template {
        var template = hooked
        template.retries = retries
        template.retryDelay = .zero
        return template
    }

    @Test(
        "CM1 CM3 A completion hook is sent once its operation is finished, for every outcome, with outcome and attempt"
    )
    func outcomes() {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 4)
        let job = cluster.submit(
            .op(),
            .op(),
            .op(),
            .op(on: .needs(1)),
            .op(delay: .seconds(60)),
            templates: [Self.hooked]
        )
        #expect(cluster.hooks.isEmpty)
        cluster.finish(job / 0)
        cluster.finish(job / 1, .exited(3))
        cluster.cancel(.operation(job / 2))
        #expect(cluster.hooks.count == 3)
        // A worker has at most four hooks.
        cluster.report(cluster.hooks[0])
        cluster.finish(job / 2, .cancelled(exitStatus: nil, signal: 15))
        cluster.cancel(.operation(job / 4))
        let expected: [(Int, Outcome, UInt32)] = [
            (0, .succeeded, 1), (1, .failed, 1), (3, .skipped, 0), (2, .cancelled, 1), (4, .cancelled, 0),
        ]
        #expect(cluster.hooks.map(\.operation) == expected.map { job / $0.0 })
        #expect(cluster.hooks.map(\.hookOutcome) == expected.map(\.1))
        #expect(cluster.hooks.map(\.attempt) == expected.map(\.2))
        #expect(cluster.hooks.allSatisfy { $0.session == session && $0.queue == "default" && $0.template == nil })
        #expect(
            cluster.hooks[0].work
                == Work(.commands([["tell", "me"]]), environment: ["A": "1"], directory: "/somewhere")
        )
        #expect(cluster.record.hooks.count == 4)
        for hook in cluster.hooks.dropFirst() { cluster.report(hook) }
        #expect(cluster.record.hooks.isEmpty)
        #expect(cluster.scheduler.hooks.entries.count == 0)
        #expect(cluster.ends.values.allSatisfy { $0 == 1 })
    }

    @Test("CM7 CM1 CA7 The completion hook of an operation that was cancelled before its start runs once")
    func cancelledBeforeStart() {
        var cluster = Cluster()
        var cancelled = Entry.op()
        cancelled.isCancelled = true
        cluster.submit(cancelled, .op(), templates: [Self.hooked])
        cluster.cancel(.job(JobNumber(1)))
        #expect(cluster.hooks.isEmpty)
        #expect(cluster.record.hooks.count == 2)
        cluster.join("w1")
        #expect(cluster.hooks.map(\.hookOutcome) == [.cancelled, .cancelled])
        cluster.apply(.timePassed)
        #expect(cluster.hooks.count == 2)
    }

    @Test("CM1 A completion hook runs after the last attempt, and not before a retry")
    func retries() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.retrying(1)])
        cluster.finish(job / 0, .exited(1))
        cluster.apply(.timePassed)
        #expect(cluster.hooks.isEmpty)
        cluster.finish(job / 0)
        #expect(cluster.hooks.map(\.attempt) == [2])
    }

    @Test("CM5 CM6 Neither dependents nor the end of the job wait for a completion hook")
    func nobodyWaits() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)), templates: [Self.hooked, .noOperation])
        cluster.finish(job / 0)
        #expect(cluster.hooks.count == 1)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        #expect(cluster.record.finished[job] != nil)
        cluster.report(cluster.hooks[0])
        #expect(cluster.record.hooks.count == 1)
        cluster.report(cluster.hooks[1])
        #expect(cluster.record.hooks.isEmpty)
    }

    @Test("CM9 A completion hook that fails is logged, is not run again and leaves the outcome as it was")
    func fails() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.retrying(3)])
        cluster.finish(job / 0)
        cluster.report(cluster.hooks[0], .exited(7))
        #expect(
            cluster.effects.contains {
                if case .hookFailed(job / 0, let end) = $0 { end.exitStatus == 7 } else { false }
            }
        )
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.hooks.count == 1)
        #expect(cluster.record.hooks.isEmpty)
        // A repeated completion of the hook is late.
        #expect(cluster.report(cluster.hooks[0]).acknowledgement == .stale)
    }

    @Test(
        "A cancellation of a finished operation or job ends its executing hooks, and no others of its worker",
        arguments: [false, true]
    )
    func cancelled(isWhole: Bool) {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(), .op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        let hook = cluster.hooks[0]
        #expect(cluster.scheduler.runsOfHooks(of: job).mapValues(\.worker) == [job / 0: "w1"])
        func ends() -> [AttemptToken] {
            cluster.effects.flatMap { effect -> [AttemptToken] in
                if case .endAttempts(_, let tokens) = effect { tokens } else { [] }
            }
        }
        // The cancellation of an unfinished job is about its operations.
        if isWhole {
            cluster.cancel(.job(job))
            cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
            #expect(!ends().contains(hook.token))
        }
        cluster.cancel(isWhole ? .job(job) : .operation(job / 0))
        #expect(ends().contains(hook.token))
        #expect(
            cluster.record.hooks.filter(\.isCancelled).map(\.operation) == (isWhole ? [job / 0, job / 1] : [job / 0])
        )
        cluster.report(hook, .cancelled(exitStatus: nil, signal: 15))
        #expect(!cluster.record.hooks.contains { $0.operation == job / 0 })
        #expect(
            cluster.effects.contains {
                if case .hookFailed(job / 0, let end) = $0 {
                    end.reason?.code == .cancelled && end.signal == 15
                } else {
                    false
                }
            }
        )
    }

    @Test("A cancellation of a finished job ends all of its hooks, also those that wait, and those of no other job")
    func cancelledWhileWaiting() {
        var cluster = Cluster()
        cluster.join("w1", slots: 10)
        let job = cluster.submit(.array(10), templates: [Self.hooked])
        let other = cluster.submit(.op(), templates: [Self.hooked])
        cluster.finishAll()
        let hooks = cluster.hooks
        #expect(hooks.count == HookTable.perWorker && cluster.record.hooks.count == 11)
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        guard case .changed(let report)? = cluster.answers[request] else {
            Issue.record("\(cluster.answers[request] as Any)")
            return
        }
        #expect(report.notes.count == 5)
        #expect(report.notes.last == "6 completion hooks of job 1 wait, and will not run.")
        #expect(cluster.record.cancelledHooks == Set((4..<10).map { job / $0 }))
        for hook in hooks { cluster.report(hook, .cancelled(exitStatus: nil, signal: 15)) }
        #expect(cluster.hooks.dropFirst(4).map(\.operation) == [other / 0])
        #expect(cluster.record.hooks.map(\.operation) == [other / 0])
    }

    @Test(
        "A cancellation of a finished operation ends its hook, although no worker is there",
        arguments: [false, true]
    )
    func cancelledWithoutWorker(isCommitted: Bool) {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(), templates: [Self.hooked])
        cluster.isDiskSlow = !isCommitted
        cluster.cancel(.job(job))
        let request = cluster.request { .cancel([.operation(job / 0)], request: $0) }
        if !isCommitted { cluster.commit() }
        let note = "The completion hook of 1/0 waits, and will not run."
        #expect(cluster.answers[request] == .changed(ChangeReport(changed: 0, notes: [note])))
        #expect(cluster.record.hooks.map(\.operation) == [job / 1])
        cluster.restart()
        cluster.join("w1")
        #expect(cluster.hooks.map(\.operation) == [job / 1])
    }

    @Test("A cancelled hook does not run again, whether its worker or the coordinator goes away", arguments: 0..<3)
    func cancelledForGood(how: Int) {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        let hook = cluster.hooks[0]
        cluster.cancel(.operation(job / 0))
        switch how {
        case 0:
            cluster.apply(.workerLeft(session))
        case 1:
            cluster.restart()
            cluster.apply(.workerLeft(cluster.join("w1", processID: 8)))
        default:
            cluster.restart()
            cluster.join("w1", holding: [hook])
            let asked = cluster.effects.contains {
                if case .endAttempts(_, let tokens) = $0 { tokens == [hook.token] } else { false }
            }
            #expect(asked)
            cluster.report(hook, .cancelled(exitStatus: 0, signal: nil), session: cluster.hooks.last?.session)
        }
        cluster.join("w2")
        #expect(cluster.hooks.count == 1)
        if how < 2 { #expect(cluster.record.hooks.isEmpty) }
    }

    @Test("CM9 Completion hooks take no slot, and each worker gets only a bounded number of them at once")
    func noSlot() {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 1)
        let job = cluster.submit(.array(20), .op(at: .low), templates: [Self.hooked])
        cluster.submit(.op(at: .low))
        cluster.cancel(.operations(job, 1..<20))
        #expect(cluster.state(job / 0) == .executing)
        #expect(cluster.hooks.count == HookTable.perWorker)
        let other = cluster.join("w2", slots: 1)
        #expect(cluster.hooks.count == 2 * HookTable.perWorker)
        #expect(cluster.hooks.count { $0.session == other } == HookTable.perWorker)
        #expect(cluster.workers[session]?.running.count == 1)
        var next = 0
        while next < cluster.hooks.count {
            cluster.report(cluster.hooks[next])
            next += 1
        }
        #expect(next == 19)
        #expect(Set(cluster.hooks.map(\.operation)) == Set((1..<20).map { job / $0 }))
        #expect(cluster.hooks.map(\.arrayNumber) == (1..<20).map { Int64($0) })
    }

    @Test("CM1 A completion hook goes to the worker of its attempt, and each array element has a hook of its own")
    func preferredWorker() {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let second = cluster.join("w2")
        let job = cluster.submit(.array(6, on: .needs(1)), .op(), .op(), templates: [Self.hooked])
        let attempt = cluster.running[job / 7]
        cluster.finish(job / 7)
        #expect(cluster.hooks.map(\.session) == [attempt?.session])
        cluster.finish(job / 6, .exited(1))
        #expect(cluster.hooks.count == 8)
        #expect(cluster.hooks[1].session == (attempt?.session == first ? second : first))
        #expect(cluster.hooks.suffix(6).map(\.hookOutcome) == [Outcome?](repeating: .skipped, count: 6))
        #expect(cluster.hooks.suffix(6).map(\.operation) == (0..<6).map { job / $0 })
    }

    @Test(
        "CM9 A completion hook runs again after its worker was lost, left, interrupted it or gave it back",
        arguments: 0..<4
    )
    func again(how: Int) {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        let hook = cluster.hooks[0]
        switch how {
        case 0: cluster.pass(.seconds(50), silent: session)
        case 1: cluster.apply(.workerLeft(session))
        case 2:
            cluster.apply(.workerLeaving(session))
            cluster.report(hook, .interrupted)
        default: cluster.apply(.attemptsReturned(session, [hook.token]))
        }
        #expect(cluster.record.hooks.count == 1)
        cluster.join("w2")
        #expect(cluster.hooks.count == 2)
        #expect(cluster.hooks[1].token != hook.token)
        cluster.report(cluster.hooks[1])
        #expect(cluster.record.hooks.isEmpty)
        #expect(cluster.ends == [job / 0: 1])
    }

    @Test("CM9 A completion hook that no worker could take is sent once a silent worker is heard again")
    func afterSilence() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.pass(.seconds(11), silent: session)
        let job = cluster.submit(.op(), templates: [Self.hooked])
        cluster.cancel(.job(job))
        #expect(cluster.hooks.isEmpty)
        cluster.apply(.workerHeard(session))
        #expect(cluster.hooks.count == 1)
    }

    @Test("CM9 A worker that comes back keeps the hooks that it names, and the others are run again")
    func comesBack() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        let hooks = cluster.hooks
        let session = cluster.join("w1", holding: [hooks[0]])
        #expect(cluster.effects.stale == [])
        #expect(cluster.hooks.count == 3)
        #expect(cluster.hooks[2].operation == job / 1)
        #expect(cluster.report(hooks[0], session: session).acknowledgement == .valid)
        #expect(cluster.report(hooks[1], session: session).acknowledgement == .stale)
        #expect(cluster.record.hooks.count == 1)
    }

    @Test("CM9 D6 A restart keeps completion hooks: a held hook goes on, and an unclaimed one runs again")
    func restart() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(.op(), .op(), .op(), templates: [Self.hooked])
        for index in 0..<3 { cluster.finish(job / index) }
        let hooks = cluster.hooks
        cluster.report(hooks[2])
        cluster.join("w2")
        cluster.restart()
        #expect(cluster.scheduler.counts.unfinished == 0)
        let session = cluster.join("w1", slots: 3, holding: [hooks[1]])
        #expect(cluster.effects.stale == [])
        #expect(cluster.hooks.count == 3)
        cluster.join("w2", holding: [hooks[2]])
        #expect(cluster.effects.stale == [hooks[2].token])
        #expect(cluster.hooks.count == 4)
        #expect(cluster.hooks[3].operation == job / 0)
        #expect(cluster.report(hooks[1], session: session).acknowledgement == .valid)
        cluster.report(cluster.hooks[3])
        #expect(cluster.record.hooks.isEmpty)
    }

    @Test("CM9 D6 A completion hook whose end arrives after a restart is not run again")
    func finishedOverRestart() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        let hook = cluster.hooks[0]
        cluster.restart()
        let session = cluster.join("w1", holding: [hook], areFinished: true)
        #expect(cluster.effects.stale == [])
        #expect(cluster.report(hook, session: session).acknowledgement == .valid)
        cluster.pass(.seconds(6))
        #expect(cluster.hooks.count == 1)
        #expect(cluster.record.hooks.isEmpty)
    }

    @Test("CM9 A hook of a job that never reached the disk is not taken for a hook of the new job of that number")
    func numberUsedAgain() {
        var cluster = Cluster()
        cluster.submit(.op(delay: .seconds(3600)))
        for name in ["w1", "w2"] { cluster.join(name) }
        let committed = cluster.record
        var cancelled = Entry.op()
        cancelled.isCancelled = true
        let forgotten = cluster.submit(cancelled, templates: [Self.hooked])
        let hooks = cluster.hooks
        #expect(hooks.map(\.operation) == [forgotten / 0])
        cluster.restart(from: committed)
        #expect(cluster.submit(cancelled, templates: [Self.hooked]) == forgotten)
        cluster.join("w1", holding: hooks)
        #expect(cluster.effects.stale == hooks.map(\.token))
        cluster.join("w2")
        #expect(cluster.hooks.count == 2)
    }

    @Test("D8 A worker that claims a completion hook whose operation has not ended on disk does not get the hook")
    func claimedEarly() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Self.hooked])
        let attempt = cluster.started[0]
        cluster.join("w2")
        cluster.restart()
        let session = cluster.join("w1", holding: [attempt])
        cluster.isDiskSlow = true
        cluster.report(attempt, session: session)
        var introduction = Cluster.introduction("bad", SessionID(rawValue: 77))
        let token = AttemptToken(epoch: 1, serial: 99)
        introduction.attempts = [ClaimedAttempt(token: token, operation: job / 0, attempt: 1, isHook: true)]
        cluster.apply(.workerJoined(introduction))
        #expect(cluster.effects.stale == [token])
        cluster.commit()
        cluster.pass(.seconds(5))
        #expect(cluster.hooks.map(\.operation) == [job / 0])
        for hook in cluster.hooks { cluster.report(hook) }
        #expect(cluster.record.hooks.isEmpty)
    }

    @Test("D8 A worker that claims forged completion hooks leaves none of the real ones unfinished")
    func hostile() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), templates: [Self.hooked])
        cluster.finish(job / 0)
        let hook = cluster.hooks[0]
        cluster.restart()
        var introduction = Cluster.introduction("bad", SessionID(rawValue: 77), slots: 2)
        let tokens = [hook.token, hook.token, AttemptToken(epoch: 1, serial: 9), AttemptToken(epoch: 9, serial: 9)]
        introduction.attempts = tokens.flatMap { token in
            [job / 0, job / 1, job / 7].map { ClaimedAttempt(token: token, operation: $0, attempt: 1, isHook: true) }
        }
        cluster.apply(.workerJoined(introduction))
        introduction.session = SessionID(rawValue: 78)
        introduction.name = "worse"
        cluster.apply(.workerJoined(introduction))
        cluster.pass(.seconds(60), silent: SessionID(rawValue: 77), SessionID(rawValue: 78))
        cluster.join("good", slots: 2)
        cluster.finishAll()
        for hook in cluster.hooks where hook.session != SessionID(rawValue: 77) { cluster.report(hook) }
        #expect(cluster.record.hooks.isEmpty)
    }
}

extension Cluster {
    /// The hooks that were sent, in order.
    var hooks: [Dispatch] { sent.filter { $0.hookOutcome != nil } }
}
