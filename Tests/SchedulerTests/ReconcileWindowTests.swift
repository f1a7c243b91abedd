import Operations
import Testing

@testable import Scheduler

@Suite("How long a restarted coordinator waits for its workers", .timeLimit(.minutes(5)))
struct ReconcileWindowTests {
    @Test("D6 Where no worker had a session, nobody is waited for")
    func nobody() {
        var cluster = Cluster()
        cluster.submit(.op())
        cluster.apply(.workerLeft(cluster.join("w1", slots: 1)))
        cluster.submit(.op())
        cluster.restart()
        cluster.join("w2", slots: 2)
        #expect(cluster.order == ["1/0", "2/0"])
    }

    @Test("D6 The window is over as soon as all workers have come back, whatever they hold")
    func everybody() {
        var cluster = Cluster()
        for name in ["w1", "w2", "w3"] { cluster.join(name) }
        let job = cluster.submit(.op())
        let held = cluster.started
        cluster.restart()
        cluster.submit(.array(3))
        cluster.join("w3")
        cluster.join("w1", holding: held)
        cluster.join("stranger")
        #expect(cluster.order.isEmpty)
        cluster.join("w2")
        #expect(cluster.order.sorted() == ["2/0", "2/1", "2/2"])
        #expect(cluster.running[job / 0] == nil && cluster.state(job / 0) == .executing)
        cluster.pass(.seconds(5))
        #expect(cluster.last(job / 0)?.attempt == 1)
    }

    @Test("D3 What all workers have come back without runs again at once, as another attempt")
    func heldByNobody() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.restart()
        cluster.join("w1", processID: 8)
        #expect(cluster.started.map(\.attempt) == [2])
        #expect(cluster.last(job / 0)?.losses == 1)
    }

    @Test("An attempt whose reason to start is still on its way keeps the window open until that has come")
    func claims() {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .needs(0)))
        let kept = cluster.record
        cluster.finish(job / 0)
        let held = cluster.started
        cluster.restart(from: kept)
        cluster.join("w2", holding: [held[2]])
        let session = cluster.join("w1", slots: 2, holding: [held[0], held[1]])
        let other = cluster.submit(.op())
        #expect(cluster.state(other / 0) == .ready)
        cluster.report(held[0], session: session)
        #expect(cluster.order == ["2/0"])
        #expect([1, 2].allSatisfy { cluster.state(job / $0) == .executing && cluster.last(job / $0)?.attempt == 1 })
    }

    @Test("D3 D6 What ran as a later attempt counts, though the loss of the one before it is in no record")
    func lossMissingInRecord() {
        var cluster = Cluster()
        let job = cluster.submit(.op(delay: .seconds(1)), .op(on: .needs(0)))
        cluster.join("w1")
        let kept = cluster.record
        cluster.pass(.seconds(1))
        cluster.join("w1", processID: 8)
        cluster.finish(job / 0)
        let held = Array(cluster.started.dropFirst())
        #expect(held.map(\.attempt) == [2, 1])
        cluster.restart(from: kept)
        let session = cluster.join("w1", slots: 2, holding: held, processID: 8)
        cluster.report(held[0], session: session)
        #expect(cluster.state(job / 0) == .ready)
        cluster.pass(.seconds(5))
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.last(job / 0)?.attempt == 2 && cluster.last(job / 0)?.losses == 1)
        #expect(cluster.state(job / 1) == .executing && cluster.last(job / 1)?.attempt == 1)
        #expect(cluster.order.isEmpty)
    }

    @Test("D3 D5 What has not started when its worker comes back is given back, and not run beside a later attempt")
    func lossBeforeStartMissingInRecord() {
        var cluster = Cluster()
        let silent = cluster.join("w1")
        cluster.delayMessages(to: silent)
        let job = cluster.submit(.op())
        let first = cluster.sent
        let kept = cluster.record
        cluster.pass(.seconds(60), silent: silent)
        cluster.join("w2")
        let held = cluster.started
        #expect(held.map(\.attempt) == [2])
        cluster.restart(from: kept)
        cluster.join("w2", holding: held)
        cluster.join("w1", waiting: first)
        cluster.pass(.seconds(5))
        #expect(cluster.order.isEmpty, "w1 starts nothing")
        let last = cluster.last(job / 0)
        #expect(last?.state == .executing && last?.attempt == 2 && last?.token == held[0].token.inRecord)
    }

    /// A way in which a request lets an operation start that waited.
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
        "D6 What runs because of a request that was never acknowledged goes on when the client asks again",
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
        let kept = cluster.record
        cluster.request(way.event)
        let held = cluster.started
        #expect(held.map(\.operation) == [job / 1])
        cluster.restart(from: kept)
        // What else was asked meanwhile does not keep it from that.
        let level = cluster.request { .setPriority([.operation(job / 2)], .high, request: $0) }
        let request = cluster.request(way.event)
        cluster.join("w1", slots: 2, holding: held)
        #expect(cluster.answers[request] == nil)
        cluster.pass(.seconds(5))
        #expect(cluster.report(level)?.changed == 1 && cluster.report(request)?.changed == 1)
        let last = cluster.last(job / 1)
        #expect(cluster.order.isEmpty && last?.state == .executing && last?.attempt == 1 && last?.losses == 0)
    }

    @Test("D6 A worker that has left, was lost or did not come back in time is not waited for the next time")
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

    @Test("D6 A worker that has left is not waited for because of what it has done")
    func leftItsWorkDone() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)))
        cluster.finish(job / 0)
        cluster.apply(.workerLeft(session))
        cluster.join("w2")
        cluster.finish(job / 1, .interrupted)
        let held = cluster.started.suffix(1)
        cluster.restart()
        cluster.submit(.op())
        cluster.join("w2", slots: 2, holding: Array(held))
        #expect(cluster.order == ["2/0"])
    }

    @Test("D6 Where nothing is unfinished, nobody is waited for")
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

    @Test("A worker gets nothing before its session is on disk, and goes on meanwhile with what it has")
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

    @Test("What is said of a session that is over opens no worker")
    func lateConfirmation() {
        var cluster = Cluster()
        cluster.submit(.op())
        cluster.isDiskSlow = true
        let first = cluster.join("w1")
        let second = cluster.join("w1")
        cluster.unconfirmed = []
        cluster.apply(.kept(.session(first)))
        #expect(cluster.sent.isEmpty)
        cluster.apply(.kept(.session(second)))
        cluster.apply(.kept(.session(second)))
        #expect(cluster.order == ["1/0"])
    }

    @Test(
        "D3 D6 However often coordinators crash, nothing runs in two places, all ends, and what runs at most once does",
        arguments: 1...30
    )
    func crashes(seed: UInt64) {
        var history = CrashHistory(seed: seed)
        for _ in 0..<300 where history.failure == nil { history.step() }
        if history.failure == nil { history.settle() }
        #expect(history.failure == nil, "seed \(seed)")
    }
}
