@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Restoration from the record", .timeLimit(.minutes(60)))
struct RestoreTests {
    @Test("D6 A restart keeps counts, order, priorities, limits and delays, and dispatches nothing within the window")
    func keeps() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1), qualityOfService: .utility)
        let job = cluster.submit(
            .op(),
            .op(at: .high),
            .op(on: .needs(1)),
            .op(delay: .seconds(60)),
            .array(3, at: .low)
        )
        // The workers have sessions, and no operations yet.
        cluster.isDiskSlow = true
        for name in ["w1", "w2"] { cluster.join(name) }
        cluster.cancel(.operation(job / 5))
        let before = cluster.scheduler.counts
        cluster.restart()
        #expect(cluster.scheduler.counts == before)
        #expect(cluster.scheduler.queue("default")?.settings.qualityOfService == .utility)
        cluster.join("w1", slots: 9)
        #expect(cluster.order.isEmpty)
        #expect(
            cluster.scheduler.impediments(of: job / 0)?.contains { if case .reconciling = $0 { true } else { false } }
                == true
        )
        cluster.pass(.milliseconds(4_999))
        #expect(cluster.order.isEmpty)
        cluster.pass(.milliseconds(1))
        cluster.finishAll()
        #expect(cluster.order == ["1/1", "1/0", "1/2", "1/4", "1/6", "1/3"])
    }

    /// The waits of a summary and of a trace began with the restart.
    @Test("D6 A restart keeps the moments at which waiting operations became ready")
    func readyMoments() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w1")
        let job = cluster.submit(
            .op(),
            .op(),
            .op(),
            .op(delay: .seconds(5)),
            .op(),
            .op(on: .after(0)),
            .op(),
            .array(2),
            .op(on: .after(4))
        )
        for index in [4, 6] { cluster.hold(.operation(job / index)) }
        cluster.request { .depend(job / 6, [.after(job / 4)], ends: [:], request: $0) }
        cluster.pass(.seconds(5))
        cluster.release(.operation(job / 6))
        cluster.pass(.seconds(5))
        cluster.request { .undepend(job / 6, [.operation(job / 4)], request: $0) }
        cluster.pass(.seconds(5))
        cluster.release(.operation(job / 4))
        cluster.pass(.seconds(5))
        cluster.finish(job / 0, after: .seconds(20))
        cluster.pass(.seconds(5))
        let waiting = (2...9).map { job / $0 }
        func moments() -> [Timestamp?] { waiting.map { cluster.scheduler.record(of: $0)?.readyAt } }
        let before = moments()
        #expect(Set(before).count == 6 && before.last == .some(nil), "\(before)")
        cluster.restart()
        #expect(moments() == before)
        cluster.pass(.seconds(5))
        cluster.restart()
        #expect(moments() == before)
    }

    /// The waits of what an array, a job or an operation of a finished job had kept waiting began with the restart.
    @Test("D6 A restart keeps the moments at which operations became ready after arrays, jobs and finished jobs")
    func readyMomentsAfterWholes() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w1", slots: 5)
        let beginning = cluster.now
        let gone = cluster.submit(.array(2, name: "a"))
        let job = cluster.submit(
            .array(3, name: "b", at: .high),
            .array(2, name: "c", on: .on(.named(gone, "a"))),
            .op(on: .needs(0)),
            .array(3, on: .after(0)),
            .op(on: .after(gone / 0)),
            .op(on: .on(.job(gone), .success)),
            .array(2),
            .op(on: .after(1)),
            .array(2),
            .op(on: .after(8)),
            .op(),
            .op(),
            .op()
        )
        let other = cluster.submit(
            .op(on: .on(.named(job, "b"))),
            .op(on: .after(job / 1)),
            .op(on: .on(.job(job)))
        )
        cluster.submit(.array(5, at: .veryHigh))
        for index in [11, 12, 17, 18] { cluster.hold(.operation(job / index)) }
        for index in [17, 18] {
            cluster.request { .depend(job / index, [.on(.named(job, "b"))], ends: [:], request: $0) }
        }
        for element in [gone / 0, gone / 1] {
            cluster.pass(.seconds(1))
            cluster.finish(element, after: cluster.now - beginning)
        }
        cluster.pass(.seconds(1))
        cluster.cancel(.operations(job, 14..<16))
        cluster.release(.operation(job / 18))
        // The element that ends last is not the last one in the order of indices.
        for index in [2, 0, 1] {
            cluster.pass(.seconds(1))
            cluster.finish(job / index, after: cluster.now - beginning)
        }
        for index in [17, 12, 11] {
            cluster.pass(.seconds(1))
            cluster.release(.operation(job / index))
        }
        cluster.pass(.seconds(1))
        cluster.hold(.operation(job / 19))
        let waiting = (3...19).map { job / $0 } + (0...2).map { other / $0 }
        let moments: [Int?] = [
            2, 2, 6, 6, 6, 6, 1, 2, 9, 8, nil, nil, nil, 3, 7, 6, 0, 6, 6, nil,
        ]
        let expected = moments.map { $0.map { beginning + .seconds($0) } }
        func found() -> [Timestamp?] { waiting.map { cluster.scheduler.record(of: $0)?.readyAt } }
        #expect(found() == expected)
        for _ in 0..<2 {
            cluster.restart()
            #expect(found() == expected)
            cluster.pass(.seconds(5))
        }
    }

    @Test("A worker that comes back within the window goes on with its executing attempts")
    func adopted() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(5))
        let claimed = cluster.started
        cluster.cancel(.operation(job / 1))
        cluster.restart()
        #expect(cluster.state(job / 0) == .executing)
        let session = cluster.join("w1", slots: 2, holding: claimed)
        #expect(cluster.effects.stale == [])
        #expect(cluster.effects.ended == [claimed[1].token])
        cluster.report(claimed[0], session: session)
        #expect(cluster.outcome(job / 0) == .succeeded)
        cluster.report(claimed[1], .cancelled(exitStatus: nil, signal: 15), session: session)
        #expect(cluster.outcome(job / 1) == .cancelled)
        cluster.pass(.seconds(5))
        #expect(cluster.order == ["1/2", "1/3"])
        #expect(cluster.last(job / 0)?.attempt == 1)
    }

    @Test("Dispatches and starts that are missing in the record are adopted without another attempt", arguments: 1...6)
    func unrecorded(missing: Int) {
        var cluster = Cluster()
        let job = cluster.submit(.array(5))
        let names = ["w1", "w2", "w3"]
        cluster.isDiskSlow = true
        for name in names { cluster.join(name) }
        cluster.commit()
        let claimed = cluster.started
        // A dispatch and a start are one event each.
        cluster.restart(from: cluster.record.withoutLast(missing))
        let sessions = zip(names, claimed).map { cluster.join($0, holding: [$1]) }
        #expect(cluster.effects.stale == [])
        cluster.pass(.seconds(5))
        #expect(cluster.order.isEmpty)
        for (session, attempt) in zip(sessions, claimed) { cluster.report(attempt, session: session) }
        #expect(cluster.order == ["1/3", "1/4"])
        #expect((0..<3).allSatisfy { cluster.last(job / $0)?.attempt == 1 && cluster.outcome(job / $0) == .succeeded })
    }

    @Test("A chain whose completions are missing in the record is not run again", arguments: [true, false])
    func unrecordedCompletions(endsBeforehand: Bool) {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .needs(1)))
        let committed = cluster.record
        cluster.finish(job / 0, result: [1])
        cluster.finish(job / 1)
        let claimed = cluster.started
        cluster.restart(from: committed)
        let second = cluster.join("w2", slots: 2, holding: [claimed[1], claimed[2]])
        #expect(cluster.effects.stale == [])
        if endsBeforehand {
            let effects = cluster.report(claimed[2], session: second)
            #expect(effects.acknowledgement == nil)
        }
        let first = cluster.join("w1", holding: [claimed[0]])
        cluster.report(claimed[0], result: [1], session: first)
        #expect(cluster.state(job / 1) == .executing)
        cluster.report(claimed[1], session: second)
        if !endsBeforehand {
            #expect(cluster.state(job / 2) == .executing)
            cluster.report(claimed[2], session: second)
        }
        #expect((0..<3).allSatisfy { cluster.outcome(job / $0) == .succeeded && cluster.last(job / $0)?.attempt == 1 })
        cluster.pass(.seconds(9))
        #expect(cluster.order.isEmpty)
    }

    @Test(
        "An attempt that nothing explains within the window is ended, and runs again as the next attempt"
    )
    func unexplained() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .after(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        cluster.restart(from: committed)
        cluster.join("w2", slots: 4, holding: [claimed[1]])
        cluster.pass(.seconds(5))
        let session = cluster.scheduler.session(ofWorker: "w2")
        #expect(cluster.report(claimed[1], session: session).acknowledgement == .stale)
        #expect(cluster.order.isEmpty, "w1 may still have it")
        cluster.pass(.seconds(40))
        #expect(cluster.started.map(\.operation) == [job / 0])
        #expect(cluster.last(job / 0)?.attempt == 2)
        cluster.finishAll()
        #expect((1...2).allSatisfy { cluster.last(job / $0)?.attempt == 2 })
    }

    @Test("The kept end of a claimed attempt does not make its silent worker alive when it is applied")
    func keptEndOfSilentWorker() {
        var cluster = Cluster(Configuration(reconcileWindow: .seconds(30)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)))
        let committed = cluster.record
        let first = cluster.started
        cluster.finish(job / 0)
        let second = cluster.started.suffix(1)
        cluster.restart(from: committed)
        let silent = cluster.join("w2", holding: Array(second), areFinished: true)
        for attempt in second { cluster.report(attempt, session: silent) }
        cluster.pass(.seconds(12), silent: silent)
        cluster.join("w1", holding: first, areFinished: true)
        for attempt in first { cluster.report(attempt, session: cluster.scheduler.session(ofWorker: "w1")) }
        #expect(cluster.outcome(job / 1) == .succeeded)
        #expect(cluster.scheduler.allWorkers.first { $0.name == "w2" }?.condition == .suspect)
    }

    @Test("CA15 A claimed attempt of a cancelled operation is told to end, and the operation is cancelled")
    func claimedAndCancelled() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        cluster.restart(from: committed)
        cluster.join("w1", slots: 2, holding: claimed)
        cluster.cancel(.operation(job / 1))
        cluster.pass(.seconds(5))
        #expect(cluster.workers.values.first?.ending == [claimed[1].token])
        #expect(cluster.outcome(job / 1) == .cancelled)
    }

    @Test("An attempt of a job that never reached the disk is not taken for one of the new job of its number")
    func numberUsedAgain() {
        var cluster = Cluster()
        cluster.submit(.op(delay: .seconds(3600)))
        for name in ["w1", "w2"] { cluster.join(name) }
        let committed = cluster.record
        let forgotten = cluster.submit(.op())
        let claimed = cluster.started
        cluster.restart(from: committed)
        let job = cluster.submit(.op())
        #expect(job == forgotten)
        cluster.join("w1", holding: claimed)
        #expect(cluster.effects.stale == claimed.map(\.token))
        #expect(cluster.state(job / 0) == .ready)
    }

    @Test("D3 Unclaimed attempts run again as the next attempts once their worker counts as lost")
    func unclaimed() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        let old = cluster.started
        cluster.restart()
        cluster.join("w2", slots: 4)
        cluster.pass(.seconds(44))
        #expect(cluster.order.isEmpty)
        cluster.pass(.seconds(1))
        #expect(cluster.started.map(\.attempt) == [2, 2])
        #expect(cluster.last(job / 0)?.losses == 1)
        cluster.join("w1", slots: 2, holding: old)
        #expect(cluster.effects.stale == old.map(\.token))
    }

    @Test("An operation that runs again after a restart is still told that it has inputs")
    func inputs() {
        var cluster = Cluster()
        cluster.join("w1")
        let first = cluster.submit(.op())
        let job = cluster.submit(.op(), .op(on: .after(0)), .op(on: .after(first / 0)))
        cluster.finish(first / 0, result: [1])
        cluster.finish(job / 0, result: [1])
        cluster.join("w2")
        #expect(cluster.running.count == 2)
        cluster.restart()
        cluster.join("w3", slots: 2)
        cluster.pass(.seconds(45))
        #expect(cluster.started.count == 2)
        #expect(cluster.started.allSatisfy { $0.hasInputs && $0.attempt == 2 })
    }

    @Test("Attempts that were given back use up no retry over a restart, and a failure uses up one")
    func failures() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        for _ in 0..<3 {
            let session = cluster.join("w1")
            cluster.apply(.workerLeft(session))
        }
        cluster.join("w1")
        cluster.finish(job / 0, .exited(1))
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(5))
        #expect(cluster.running[job / 0]?.attempt == 5)
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.outcome(job / 0) == .failed)
    }

    @Test("An operation that was given back three times still has its retry after a restart")
    func givenBack() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        for _ in 0..<3 { cluster.apply(.workerLeft(cluster.join("w1"))) }
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.outcome(job / 0) == nil)
        cluster.apply(.timePassed)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("D6 Dependencies on finished jobs, finished operations and split arrays survive a restart")
    func dependencies() {
        var cluster = Cluster()
        cluster.join("w1")
        let done = cluster.submit(.op())
        cluster.finish(done / 0, result: [1])
        let open = cluster.submit(.op(), .array(10))
        cluster.finish(open / 0, .exited(1))
        let job = cluster.submit(
            .op(on: .needs(done / 0), .onFailure(open / 0), .after(open / 6)),
            .op(on: .on(.job(done))),
            .op(on: .on(.job(open)))
        )
        cluster.restart()
        #expect([0, 1, 2].map { cluster.state(job / $0) } == [.pending, .ready, .pending])
        #expect((2...10).allSatisfy { cluster.state(open / $0) == .ready })
        cluster.join("w2")
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(cluster.scheduler.counts.unfinished == 0)
        #expect(cluster.scheduler.counts.succeeded == 1 + 10 + 3)
        #expect(cluster.started.first { $0.operation == job / 0 }?.hasInputs == true)
    }

    @Test(
        "D8 Forged claims of attempts after a restart leave each operation with exactly one end",
        arguments: [true, false]
    )
    func hostile(sameWorker: Bool) {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(on: .after(0)), .array(4))
        let orphan = cluster.started[0].token
        cluster.restart()
        let made = AttemptToken(epoch: 1, serial: 77)
        let attempts = [made, orphan, AttemptToken(epoch: 2, serial: 1)].flatMap { token in
            (0...6).map { ClaimedAttempt(token: token, operation: job / $0, attempt: $0 == 0 ? 2 : 1) }
        }
        var introduction = Cluster.introduction("w1", SessionID(rawValue: 50), slots: 3)
        introduction.attempts = attempts.reversed()
        cluster.apply(.workerJoined(introduction))
        introduction.session = SessionID(rawValue: 51)
        if !sameWorker { introduction.name = "w2" }
        cluster.apply(.workerJoined(introduction))
        cluster.pass(.seconds(5))
        cluster.pass(.seconds(60), silent: SessionID(rawValue: 50), SessionID(rawValue: 51))
        cluster.join("w3")
        cluster.finishAll()
        #expect(cluster.scheduler.counts.succeeded == 7)
        #expect(cluster.ends.values.allSatisfy { $0 == 1 })
    }

    @Test("The scheduler restores a contradictory record without a violated invariant, and with all operations")
    func nonsense() {
        let job = JobRecord(
            number: JobNumber(1),
            submittedAt: Timestamp(rawValue: 0),
            order: 1,
            submission: Submission(templates: [.noOperation], entries: [.array(10), .op(on: .after(0))])
        )
        func record(_ index: Int, _ count: UInt32, _ state: OperationState, token: UInt64? = nil) -> OperationRecord {
            var record = OperationRecord(id: job.number / index, count: count, state: state)
            record.token = token.map { RecordToken(rawValue: $0) }
            record.losses = .max
            return record
        }
        let records = [
            record(0, 3, .finished), record(1, 1, .executing), record(3, 0, .ready), record(3, 2, .executing, token: 5),
            record(6, 1, .executing, token: 5), record(7, 1, .executing, token: 5), record(8, 99, .finished),
            record(99, 1, .executing, token: 9),
        ]
        let scheduler = Scheduler(
            epoch: 3,
            nextJob: JobNumber(2),
            queues: [:],
            jobs: [RestoredJob(job: job, records: records)],
            ends: [:],
            finished: JobCounts(),
            at: Timestamp(rawValue: 9)
        )
        #expect(scheduler.violations().isEmpty)
        #expect(scheduler.counts.total == 11)
    }

    // Seed 148 of the simulation: a large job had its number, and a smaller one came before its operations.
    @Test("PR3 Operations keep their order after a restart if a later number was accepted first")
    func overtaken() {
        func job(_ number: UInt32, order: UInt64) -> RestoredJob {
            let submission = Submission(templates: [.noOperation], entries: [.op()])
            let record = JobRecord(
                number: JobNumber(number),
                submittedAt: Timestamp(rawValue: 0),
                order: order,
                submission: submission
            )
            return RestoredJob(job: record, records: [])
        }
        var scheduler = Scheduler(
            epoch: 3,
            nextJob: JobNumber(4),
            queues: [:],
            jobs: [job(1, order: 3), job(2, order: 1), job(3, order: 2)],
            ends: [:],
            finished: JobCounts(),
            at: Timestamp(rawValue: 9)
        )
        let introduction = WorkerIntroduction(name: "w1", session: SessionID(rawValue: 1), slots: 1)
        var sent: [JobNumber] = []
        var events: [Event] = [.workerJoined(introduction), .committed(.session(introduction.session))]
        while !events.isEmpty, sent.count < 3 {
            let effects = scheduler.apply(events, at: Timestamp(rawValue: 10))
            events = []
            for case .dispatch(let dispatch) in effects {
                sent.append(dispatch.operation.job)
                let result = AttemptResult(end: .exited(0), microseconds: 1_000_000)
                events.append(.attemptEnded(introduction.session, dispatch.token, dispatch.operation, result, seed: 0))
            }
        }
        #expect(sent == [JobNumber(2), JobNumber(3), JobNumber(1)])
    }
}
