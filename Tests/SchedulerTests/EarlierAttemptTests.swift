@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// The records of attempts that end before their operation.
@Suite("Earlier attempts", .timeLimit(.minutes(60)))
struct EarlierAttemptTests {
    @Test(
        "An attempt that fails before a retry is recorded with its worker, its times and its end",
        arguments: [
            (AttemptEnd.exited(3), Reason.Code.exit, 3 as Int32?, nil as Int32?), (.signalled(11), .signal, nil, 11),
            (.timedOut, .timeout, nil, nil), (.notStarted("There is no program \"x\"."), .launch, nil, nil),
            (.unusableResult("Its result is no file."), .result, nil, nil), (.threw("no"), .error, nil, nil),
        ]
    )
    func failure(end: AttemptEnd, code: Reason.Code, status: Int32?, signal: Int32?) throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        let start = cluster.now
        cluster.pass(.seconds(2))
        cluster.finish(job / 0, end, after: .seconds(2))
        let first = try #require(cluster.record.attempts[job / 0]?.first)
        #expect((first.attempt, first.worker, first.reason.code) == (1, "w1", code))
        #expect((first.exitStatus, first.signal) == (status, signal))
        #expect((first.startedAt, first.endedAt) == (start, start + .seconds(2)))
        cluster.apply(.timePassed)
        cluster.finish(job / 0, end)
        // The second attempt ends the operation, and belongs to the operation's own record.
        #expect(cluster.record.attempts[job / 0] == [first])
        #expect(cluster.last(job / 0)?.attempt == 2 && cluster.last(job / 0)?.reason == first.reason)
    }

    @Test("D3 An attempt that is lost with its worker is recorded, with its start if the worker reported a start")
    func loss() throws {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let job = cluster.submit(.op())
        let start = cluster.now
        cluster.pass(.seconds(50), silent: first)
        let second = cluster.join("w2", slots: 0)
        cluster.delayMessages(to: second)
        cluster.pass(.seconds(1))
        cluster.pass(.seconds(50), silent: second)
        let attempts = try #require(cluster.record.attempts[job / 0])
        #expect(attempts.map(\.attempt) == [1, 2] && attempts.map(\.worker) == ["w1", "w2"])
        #expect(attempts.map(\.reason.code) == [.lost, .lost])
        #expect(attempts.map(\.reason.message) == ["Its worker w1 was lost.", "Its worker w2 was lost."])
        #expect(attempts[0].startedAt == start && attempts[0].endedAt > start)
        cluster.join("w3")
        cluster.finish(job / 0)
        #expect(cluster.record.attempts[job / 0] == attempts && cluster.last(job / 0)?.attempt == 3)
    }

    @Test("D3 An attempt without a reported start is recorded without a start, also if an earlier attempt had started")
    func lossBeforeStart() throws {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        cluster.finish(job / 0, .exited(1))
        cluster.delayMessages(to: session)
        cluster.apply(.timePassed)
        #expect(cluster.state(job / 0) == .ready)
        cluster.pass(.seconds(50), silent: session)
        let attempts = try #require(cluster.record.attempts[job / 0])
        #expect(attempts.map(\.attempt) == [1, 2] && attempts.map(\.reason.code) == [.exit, .lost])
        #expect(attempts[0].startedAt != nil && attempts[1].startedAt == nil)
    }

    @Test("An attempt is lost if its worker leaves, returns as another process, is replaced, or gives the attempt up")
    func goodbye() throws {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.apply(.workerLeft(first))
        cluster.join("w2")
        cluster.join("w2", processID: 8)
        let last = cluster.join("w2", processID: 9, id: WorkerID(rawValue: 2), replaces: true)
        cluster.apply(.workerLeaving(last))
        cluster.finish(job / 0, .interrupted)
        let attempts = try #require(cluster.record.attempts[job / 0])
        #expect(attempts.map(\.attempt) == [1, 2, 3, 4] && attempts.map(\.worker) == ["w1", "w2", "w2", "w2"])
        #expect(attempts.allSatisfy { $0.reason.code == .lost && $0.startedAt != nil })
        #expect(
            attempts.map(\.reason.message) == [
                "Its worker was stopped.", "Its worker w2 was lost.",
                "Another worker has taken the place of its worker w2.", "Its worker went away.",
            ]
        )
    }

    @Test("CA14 A cancelled operation of a suspended queue keeps the record of the attempt that was lost unstarted")
    func cancelledAndSuspended() throws {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.op())
        cluster.suspend("default")
        cluster.cancel(.operation(job / 0))
        cluster.pass(.seconds(50), silent: session)
        #expect(cluster.state(job / 0) == .ready)
        let attempts = try #require(cluster.record.attempts[job / 0])
        #expect(attempts.map(\.attempt) == [1] && attempts[0].reason.code == .cancelled)
        #expect(cluster.last(job / 0)?.attempt == 1)
    }

    @Test("ST7 An operation that ends at its first attempt, or whose attempt is given back, has no earlier attempts")
    func none() {
        for end in [AttemptEnd.exited(0), .exited(1), .cancelled(exitStatus: nil, signal: 15)] {
            var cluster = Cluster()
            cluster.join("w1")
            let job = cluster.submit(.op())
            cluster.finish(job / 0, end)
            #expect(cluster.state(job / 0) == .finished && cluster.record.attempts.isEmpty, "\(end)")
        }
        var cluster = Cluster()
        let returning = cluster.join("w1", slots: 1)
        let job = cluster.submit(.op(), .op())
        cluster.join("w2")
        cluster.report(cluster.started[0], .workerFault("It has no memory left.", hasRun: false))
        cluster.apply(.workerLeft(returning))
        cluster.finishAll()
        #expect(cluster.last(job / 0)?.attempt == 1 && cluster.last(job / 1)?.attempt == 1)
        #expect(cluster.record.attempts.isEmpty)
    }

    @Test("D3 An attempt whose cause the record lacks is listed as lost once the reconcile window is closed")
    func unexplained() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = try #require(cluster.running[job / 1])
        cluster.restart(from: committed)
        // The worker has forgotten the first operation, whose end would explain the start of the second.
        let session = cluster.join("w1", holding: [claimed])
        cluster.pass(.seconds(60))
        cluster.report(claimed, .signalled(15), session: session)
        cluster.join("w2")
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded && cluster.last(job / 1)?.attempt == 2)
        #expect(cluster.last(job / 1)?.losses == 1)
        let attempts = try #require(cluster.record.attempts[job / 1])
        #expect(attempts.map(\.attempt) == [1] && attempts.map(\.worker) == ["w1"])
        #expect(attempts.map(\.reason.code) == [.lost] && attempts.allSatisfy { $0.startedAt != nil })
    }

    @Test("The record of an attempt is in the same commit as the operation's own record, and survives a restart")
    func commits() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(2, delay: .seconds(9))])
        cluster.finish(job / 0, .exited(1))
        let ends = cluster.record.commits
        let position = try #require(
            cluster.record.changes.firstIndex { change in
                if case .attempt = change { true } else { false }
            }
        )
        let end = try #require(ends.first { $0 > position })
        let start = ends.last { $0 <= position } ?? 0
        let states = cluster.record.changes[start..<end].compactMap { change in
            if case .operation(let record) = change, record.id == job / 0 { record.state } else { nil }
        }
        #expect(states.last == .pending)
        // Without the last commit, neither the end of the attempt nor its record is there.
        #expect(cluster.record.withoutLast(ends.count - ends.count { $0 <= position }).attempts.isEmpty)
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(20))
        cluster.finish(job / 0, .exited(2))
        #expect(cluster.record.attempts[job / 0]?.map(\.exitStatus) == [1, 2])
        #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1, 2])
    }
}
