@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Workers, sessions and liveness", .timeLimit(.minutes(60)))
struct WorkerTests {
    @Test("D8 A batch of 100,000 events without effects takes memory for fewer than 10,000 effects")
    func eventsWithoutEffects() {
        var scheduler = Scheduler()
        let session = SessionID(rawValue: 1)
        let start = Timestamp(rawValue: 0)
        _ = scheduler.join("w1", session, slots: 1, at: start)
        let effects = scheduler.apply(Array(repeating: .workerHeard(session), count: 100_000), at: start)
        #expect(effects.isEmpty && effects.capacity < 10_000)
    }

    @Test("D7 A worker gets as many attempts as it has slots, and the worker with most free slots gets the next")
    func slots() {
        var cluster = Cluster()
        let small = cluster.join("small", slots: 1)
        let large = cluster.join("large", slots: 3)
        cluster.submit(.array(9))
        #expect(cluster.sent.prefix(2).map(\.session) == [large, large])
        #expect(cluster.sent.suffix(2).map(\.session).count { $0 == small } == 1)
        #expect(cluster.started.count == 4)
        #expect(cluster.scheduler.allWorkers.map(\.executing) == [3, 1])
    }

    @Test("D3 An operation of a lost worker is ready again in its old place, as the next attempt with another token")
    func lost() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        let first = cluster.started[0]
        cluster.pass(.seconds(50), silent: session)
        #expect(cluster.state(job / 0) == .ready)
        #expect(cluster.last(job / 0)?.losses == 1)
        cluster.join("w2")
        #expect(cluster.order == ["1/0", "1/0"])
        #expect(cluster.running[job / 0]?.attempt == 2)
        #expect(cluster.running[job / 0]?.token != first.token)
        let effects = cluster.report(first)
        guard case .unknownSession(session)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test("D8 A hello that arrives after a later session of its worker began changes nothing")
    func earlierSession() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let session = cluster.join("w1", sessionNumber: 2)
        var late = Cluster.introduction("w1", SessionID(rawValue: 99))
        late.life = WorkerLife(rawValue: 7)
        late.sessionNumber = 1
        let effects = cluster.scheduler.apply(.workerJoined(late), at: cluster.now)
        guard case .unknownSession(late.session)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(cluster.scheduler.session(ofWorker: "w1") == session && cluster.state(job / 0) == .executing)
        // A late hello does not bring a lost worker back either.
        cluster.pass(.seconds(50), silent: session)
        #expect(cluster.scheduler.apply(.workerJoined(late), at: cluster.now).count == 1)
        #expect(cluster.scheduler.session(ofWorker: "w1") == nil)
        cluster.join("w1", sessionNumber: 3)
        #expect(cluster.running[job / 0]?.attempt == 2)
    }

    @Test("D8 A hello of an earlier life that arrives after a later life began changes nothing")
    func earlierLife() {
        func life(_ start: UInt32, directory: UInt32 = 9) -> WorkerLife {
            WorkerLife(directory: directory, start: start, random: 5)
        }
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let session = cluster.join("w1", life: life(2))
        let late = cluster.join("w1", processID: 6, life: life(1))
        guard case .superseded(late, let by, isCopy: true)? = cluster.effects.first, cluster.effects.count == 1,
            by.host == "host-w1", by.processID == 7
        else {
            Issue.record("\(cluster.effects)")
            return
        }
        #expect(cluster.scheduler.session(ofWorker: "w1") == session && cluster.state(job / 0) == .executing)
        // A worker with a lost count of its starts counts as later than all counted lives.
        cluster.join("w1", processID: 8, life: life(1, directory: 8))
        #expect(cluster.running[job / 0]?.attempt == 2)
        // The later life is lost: any worker of the name is welcome.
        let last = cluster.join("w1", processID: 9, life: life(3, directory: 8))
        cluster.pass(.seconds(50), silent: last)
        cluster.join("w1", processID: 8, life: life(2, directory: 8))
        #expect(cluster.running[job / 0]?.attempt == 4)
    }

    @Test("D3 An operation that is lost too often fails with the reason lost, and its failures are counted apart")
    func lostTooOften() {
        var cluster = Cluster(Configuration(maximumLosses: 2))
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        for round in 1...3 {
            let session = cluster.join("w\(round)")
            if round == 1 {
                cluster.finish(job / 0, .exited(1))
                cluster.apply(.timePassed)
            }
            cluster.pass(.seconds(50), silent: session)
        }
        #expect(cluster.outcome(job / 0) == .failed)
        #expect(cluster.last(job / 0)?.reason?.code == .lost)
        #expect(cluster.last(job / 0)?.attempt == 4)
        #expect(cluster.last(job / 0)?.losses == 3)
    }

    @Test("D3 D7 A worker that may no longer work is lost at once, and no loss counts, however often it happens")
    func expelled() {
        var cluster = Cluster(Configuration(maximumLosses: 0))
        let job = cluster.submit(.op())
        let cause = "The key of its worker was revoked"
        for round in 1...3 {
            cluster.join("w1")
            #expect(cluster.running[job / 0]?.attempt == UInt32(round))
            let effects = cluster.apply(.workerExpelled("w1", because: cause))
            #expect(effects.contains { if case .worker("w1", .lost) = $0 { true } else { false } })
            #expect(cluster.scheduler.allWorkers.isEmpty)
            #expect(cluster.state(job / 0) == .ready)
            #expect(cluster.last(job / 0)?.losses == 0)
            // A second word about the worker changes nothing.
            #expect(cluster.apply(.workerExpelled("w1", because: cause)).isEmpty)
        }
        cluster.join("w2", slots: 1)
        cluster.finishAll()
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("ST8 D3 A worker that leaves in order gives its operations back, and no operation fails")
    func goodbye() {
        var cluster = Cluster(Configuration(maximumLosses: 0))
        let job = cluster.submit(.op(), .op())
        let session = cluster.join("w1", slots: 2)
        cluster.finish(job / 1, .interrupted)
        cluster.apply(.workerLeft(session))
        #expect(cluster.scheduler.allWorkers.isEmpty)
        #expect([0, 1].map { cluster.state(job / $0) } == [.ready, .ready])
        cluster.apply(.workerLeft(session))
        cluster.join("w2", slots: 2)
        #expect(cluster.running[job / 0]?.attempt == 2)
        cluster.finishAll()
        #expect(cluster.scheduler.counts.succeeded == 2)
    }

    @Test("A draining worker gets nothing new, not even an operation that it gave back, also after a silence")
    func leaving() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op())
        let session = cluster.join("w1", slots: 3)
        cluster.apply(.workerLeaving(session))
        cluster.apply(.workerLeaving(session))
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.draining])
        cluster.finish(job / 0, .interrupted)
        #expect(cluster.state(job / 0) == .ready)
        cluster.pass(.seconds(10), silent: session)
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.suspect])
        cluster.apply(.workerHeard(session))
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.draining])
        #expect(cluster.state(job / 0) == .ready)
        let other = cluster.join("w2")
        #expect(cluster.running[job / 0]?.session == other)
        #expect(cluster.running[job / 0]?.attempt == 2)
        // After its return the worker is a worker like any other.
        cluster.join("w1")
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.alive, .alive])
    }

    @Test("A silent worker is suspect after 10 s and lost after 45 s, and any message makes a suspect alive")
    func twoStages() {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(.op())
        func condition() -> WorkerCondition? { cluster.scheduler.allWorkers.first?.condition }
        cluster.pass(.microseconds(9_999_999), silent: session)
        #expect(condition() == .alive)
        cluster.pass(.microseconds(1), silent: session)
        #expect(condition() == .suspect)
        cluster.submit(.op())
        #expect(cluster.order == ["1/0"])
        cluster.apply(.workerHeard(session))
        #expect(condition() == .alive)
        #expect(cluster.order == ["1/0", "2/0"])
        // The silent worker is suspect after the usual time, whatever was planned for the earlier silence.
        cluster.pass(.microseconds(9_999_999), silent: session)
        #expect(condition() == .alive)
        cluster.pass(.microseconds(1), silent: session)
        #expect(condition() == .suspect)
        cluster.pass(.microseconds(34_999_999), silent: session)
        #expect(condition() == .suspect)
        #expect(cluster.state(job / 0) == .executing)
        cluster.pass(.microseconds(1), silent: session)
        #expect(condition() == .lost)
        #expect(cluster.state(job / 0) == .ready)
        #expect(cluster.scheduler.session(ofWorker: "w1") == nil)
    }

    @Test("Bytes of a message that takes long keep a worker from being suspect, and no longer than they arrive")
    func longMessage() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        func condition() -> WorkerCondition? { cluster.scheduler.allWorkers.first?.condition }
        for _ in 0..<20 {
            cluster.pass(.microseconds(9_999_999), silent: session)
            cluster.now = cluster.now + .microseconds(1)
            #expect(cluster.scheduler.silentSessions(at: cluster.now).map(\.session) == [session])
            cluster.apply(.workerBytesArrived(session, at: cluster.now))
            #expect(cluster.scheduler.silentSessions(at: cluster.now).isEmpty)
            cluster.apply(.timePassed)
            #expect(condition() == .alive)
        }
        cluster.pass(.microseconds(9_999_999), silent: session)
        #expect(condition() == .alive)
        cluster.pass(.microseconds(1), silent: session)
        #expect(condition() == .suspect)
    }

    @Test("A suspect worker whose bytes arrive is alive again, and one whose bytes have stopped since is lost later")
    func longMessageOfSuspect() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        func condition() -> WorkerCondition? { cluster.scheduler.allWorkers.first?.condition }
        cluster.pass(.seconds(40), silent: session)
        // News from before the last sign of life is none.
        cluster.apply(.workerBytesArrived(session, at: cluster.now.before(microseconds: 50_000_000)))
        #expect(condition() == .suspect)
        cluster.apply(.workerBytesArrived(session, at: cluster.now.before(microseconds: 15_000_000)))
        #expect(condition() == .suspect)
        cluster.pass(.microseconds(29_999_999), silent: session)
        #expect(condition() == .suspect)
        cluster.apply(.workerBytesArrived(session, at: cluster.now))
        #expect(condition() == .alive)
        cluster.pass(.seconds(45), silent: session)
        #expect(condition() == .lost)
        #expect(cluster.apply(.workerBytesArrived(session, at: cluster.now)).isEmpty)
    }

    @Test("A worker that alternates between silence and messages leaves few timers behind")
    func flutter() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        for _ in 0..<300 {
            cluster.pass(.milliseconds(10_001), silent: session)
            cluster.apply(.workerHeard(session))
        }
        #expect(cluster.scheduler.timers.all.count < 10)
    }

    @Test("A worker that comes back with its attempts keeps them, without another start")
    func returns() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        let claimed = cluster.started
        let session = cluster.join("w1", slots: 2, holding: claimed)
        #expect(cluster.effects.stale == [])
        #expect(cluster.started.count == 2)
        cluster.report(claimed[0], session: session)
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.last(job / 0)?.attempt == 1)
    }

    @Test("An attempt is lost if its worker comes back without it")
    func returnsWithout() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        cluster.join("w1", slots: 2, holding: [cluster.started[1]])
        #expect(cluster.last(job / 0)?.losses == 1)
        #expect(cluster.running[job / 0]?.attempt == 2)
        #expect(cluster.running[job / 1]?.attempt == 1)
    }

    @Test("A worker that comes back after its loss is told that its attempts are no longer valid")
    func returnsLate() {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        let claimed = cluster.started
        cluster.pass(.seconds(50), silent: session)
        cluster.join("w2", slots: 2)
        cluster.join("w1", slots: 2, holding: claimed)
        #expect(cluster.effects.stale == claimed.map(\.token))
        #expect(cluster.state(job / 0) == .executing)
        #expect(cluster.started.count == 4)
    }

    @Test("D8 A worker that has begun the session of a lost worker keeps it when the lost worker comes back")
    func sessionOfLostWorker() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.pass(.seconds(50), silent: session)
        cluster.apply(.workerJoined(Cluster.introduction("w2", session)))
        let other = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        #expect(Set(cluster.started.map(\.session)) == [session, other])
        for index in 0..<2 { cluster.finish(job / index) }
        #expect(cluster.scheduler.counts.succeeded == 2)
    }

    @Test("A finished attempt whose end was counted before is not named stale in the welcome, and counts once")
    func returnsWithCountedResult() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        let attempt = cluster.started[0]
        cluster.finish(job / 0)
        let session = cluster.join("w1", holding: [attempt], areFinished: true)
        #expect(cluster.effects.stale == [])
        #expect(cluster.report(attempt, session: session).acknowledgement == .stale)
        #expect(cluster.ends == [job / 0: 1])
    }

    @Test("A worker that comes back is told again to end its cancelled attempts")
    func returnsCancelled() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.cancel(.job(job))
        cluster.join("w1", holding: cluster.started)
        #expect(cluster.effects.ended == [cluster.started[0].token])
    }

    @Test("CA14 A cancelled operation whose worker is lost ends as cancelled")
    func cancelledAndLost() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.cancel(.job(job))
        cluster.pass(.seconds(50), silent: session)
        #expect(cluster.outcome(job / 0) == .cancelled)
    }

    @Test("A new process of a worker takes over its name, and the earlier process is told of its successor")
    func superseded() {
        var cluster = Cluster()
        let first = cluster.join("w1", processID: 7)
        let second = cluster.join("w1", processID: 8)
        let effects = cluster.apply(.workerHeard(first))
        guard case .superseded(first, _, isCopy: true)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        let third = cluster.join("w1", processID: 9)
        guard case .superseded(second, _, _)? = cluster.apply(.workerHeard(second)).first,
            case .unknownSession(first)? = cluster.apply(.workerHeard(first)).first
        else {
            Issue.record("the earlier sessions are not told apart")
            return
        }
        cluster.apply(.workerLeft(second))
        #expect(cluster.scheduler.session(ofWorker: "w1") == third)
        cluster.apply(.workerLeft(third))
        #expect(cluster.scheduler.workers.supersededSession(first) == nil)
        #expect(cluster.scheduler.workers.supersededSession(second) == nil)
    }

    @Test("A session that the scheduler does not know is told so when it reports a sign of life or an end")
    func unknown() {
        var cluster = Cluster()
        let session = SessionID(rawValue: 99)
        for event in [
            Event.workerHeard(session),
            .attemptEnded(
                session,
                AttemptToken(rawValue: 5),
                OperationID(job: JobNumber(1), index: 0),
                AttemptResult(end: .exited(0)),
                seed: 0
            ),
        ] {
            guard case .unknownSession(session)? = cluster.apply(event).first else {
                Issue.record("not told")
                return
            }
        }
        #expect(cluster.apply(.workerLeft(session)).isEmpty)
    }

    @Test("D1 D8 A repeated completion counts once, and a completion for another operation does not count")
    func completions() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        let attempt = cluster.started[0]
        #expect(cluster.report(attempt, operation: job / 1).acknowledgement == .stale)
        #expect(cluster.state(job / 0) == .executing && cluster.state(job / 1) == .executing)
        #expect(cluster.report(attempt).acknowledgement == .valid)
        #expect(cluster.report(attempt).acknowledgement == .stale)
        #expect(cluster.ends == [job / 0: 1])
    }

    @Test("D8 A late completion of an earlier attempt is refused")
    func lateCompletion() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op())
        let old = cluster.started[0]
        cluster.join("w1")
        #expect(cluster.running[job / 0]?.attempt == 2)
        let current = cluster.scheduler.session(ofWorker: "w1") ?? session
        #expect(cluster.report(old, session: current).acknowledgement == .stale)
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test(
        "D8 Hostile introductions of workers leave the attempt of another worker untouched",
        arguments: [Int.min, -1, 0, 1, Int.max]
    )
    func hostileIntroductions(slots: Int) {
        var cluster = Cluster()
        let job = cluster.submit(.array(3))
        let session = cluster.join("good")
        let attempt = cluster.started[0]
        let nonsense = [
            AttemptToken(rawValue: 0), AttemptToken(rawValue: .max), attempt.token, attempt.token,
            AttemptToken(rawValue: 1),
        ].flatMap { token in
            [job / 0, job / 1, job / 99, JobNumber(0) / 0, JobNumber(.max) / Int(UInt32.max)].flatMap { id in
                [0, 1, UInt32.max].map { ClaimedAttempt(token: token, operation: id, attempt: $0) }
            }
        }
        for (name, number) in [("", 0), ("other", 99), (String(repeating: "x", count: 10_000), UInt64.max)] {
            cluster.apply(
                .workerJoined(
                    WorkerIntroduction(
                        name: name,
                        session: SessionID(rawValue: number),
                        slots: slots,
                        attempts: nonsense
                    )
                )
            )
        }
        // The session of another worker, under another name.
        cluster.apply(.workerJoined(Cluster.introduction("thief", session, holding: [attempt])))
        #expect(cluster.scheduler.session(ofWorker: "thief") == nil)
        #expect(cluster.scheduler.session(ofWorker: "good") == session)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.ends.count == 1)
    }

    @Test("D8 An introduction that names an attempt twice is welcomed without a stale attempt")
    func namedTwice() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op())
        cluster.join("w1", holding: [cluster.started[0], cluster.started[0]])
        #expect(cluster.effects.stale == [])
    }

    @Test("Queries with positions outside a job or a queue give empty answers")
    func positions() {
        var cluster = Cluster()
        let job = cluster.submit(.array(5))
        #expect(cluster.scheduler.records(of: job, from: 3, limit: .max).keys.sorted() == [3, 4])
        #expect(cluster.scheduler.records(of: job, from: .max, limit: .max).isEmpty)
        #expect(cluster.scheduler.records(of: job, from: 0, limit: .min).isEmpty)
        #expect(cluster.scheduler.record(of: job / 5) == nil)
        #expect(cluster.scheduler.impediments(of: job / 5) == nil)
        #expect(cluster.scheduler.operations(inQueue: "default", limit: -1).isEmpty)
    }
}
