@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Runs that have not ended", .timeLimit(.minutes(60)))
struct PresentRunTests {
    private let known = PresentRun(worker: WorkerID(rawValue: 1), queue: "default")
    private let unrecorded = PresentRun(worker: nil, queue: "default")

    private func run(_ cluster: Cluster, _ dispatch: Dispatch) -> PresentRun? {
        cluster.scheduler.presentRun(
            of: dispatch.operation,
            attempt: dispatch.assignment.attempt,
            dispatch.token
        )
    }

    @Test("An attempt is present from its dispatch to its end, and only with its own token")
    func attempt() throws {
        var cluster = Cluster()
        let worker = cluster.join("w1")
        cluster.delayMessages(to: worker)
        let job = cluster.submit(.op(), .op())
        let sent = try #require(cluster.sent.first)
        #expect(run(cluster, sent) == known, "it may have started")
        cluster.deliverMessages(to: worker)
        #expect(run(cluster, sent) == known)
        let other = AttemptToken(epoch: 1, serial: 999)
        #expect(cluster.scheduler.presentRun(of: sent.operation, attempt: 1, other) == nil)
        #expect(cluster.scheduler.presentRun(of: job / 1, attempt: 1, sent.token) == nil)
        cluster.finish(sent.operation)
        #expect(run(cluster, sent) == nil)
    }

    @Test("The attempt of a lost worker is not present any more, and neither is an earlier one after a retry")
    func earlier() throws {
        var cluster = Cluster()
        let first = cluster.join("w1")
        cluster.submit(.op(), templates: [Template(work: Work(.noOperation), retries: 1, retryDelay: .zero)])
        let lost = try #require(cluster.sent.last)
        cluster.apply(.workerLeft(first))
        #expect(run(cluster, lost) == nil)
        let second = cluster.join("w2")
        let failed = try #require(cluster.sent.last)
        #expect(run(cluster, failed) == known && run(cluster, lost) == nil)
        cluster.report(failed, .exited(1), session: second)
        #expect(run(cluster, failed) == nil)
    }

    @Test("A recorded attempt stays present over a restart, before its worker is back and afterwards")
    func restart() throws {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op())
        let running = try #require(cluster.started.last)
        cluster.restart()
        #expect(run(cluster, running) == known)
        cluster.join("w1", holding: [running])
        #expect(run(cluster, running) == known)
        cluster.restart()
        cluster.join("w1", processID: 8)
        #expect(run(cluster, running) == nil, "its worker came back without it")
    }

    @Test("A first attempt that the record lacks is present until the workers are back")
    func unrecordedAttempt() throws {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name, id: WorkerID(rawValue: name == "w1" ? 1 : 2)) }
        let job = cluster.submit(.op(), .op(on: .needs(0)))
        let committed = cluster.record
        cluster.finish(job / 0)
        let claimed = cluster.started
        cluster.restart(from: committed)
        #expect(run(cluster, claimed[1]) == unrecorded)
        let again = cluster.scheduler.presentRun(of: job / 1, attempt: 2, claimed[1].token)
        #expect(again == nil, "only a first attempt can be missing in the record")
        let foreign = AttemptToken(rawValue: claimed[1].token.inRecord.rawValue, of: Incarnation(rawValue: 4711))
        #expect(cluster.scheduler.presentRun(of: job / 1, attempt: 1, foreign) == nil)
        for name in ["w1", "w2"] { cluster.join(name, processID: 8, id: WorkerID(rawValue: name == "w1" ? 1 : 2)) }
        #expect(run(cluster, claimed[1]) == nil)
    }

    @Test("A completion hook's run is present until its end")
    func hook() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Template(work: Work(.noOperation), onFinish: ["true"])])
        let attempt = try #require(cluster.sent.last)
        cluster.finish(job / 0)
        let hook = try #require(cluster.sent.last)
        #expect(hook.assignment.isHook)
        #expect(run(cluster, hook) == known && run(cluster, attempt) == nil)
        cluster.restart()
        #expect(run(cluster, hook) == unrecorded)
        cluster.join("w1", holding: [hook])
        #expect(run(cluster, hook) == known)
    }

    @Test("The queue of unfinished operations is known by address and by name, and no queue of finished ones")
    func queues() {
        var cluster = Cluster()
        var named = Entry(name: "a", queue: 0)
        named.array = .numbers(first: 0, step: 1, count: 3)
        let job = cluster.submit(named, Entry(name: "b", queue: 1), queues: ["p", "q"])
        #expect(cluster.scheduler.queue(of: .named(job, "a")) == "p")
        #expect(cluster.scheduler.queue(of: .operation(job / 2)) == "p")
        #expect(cluster.scheduler.queue(of: .operation(job / 3)) == "q")
        #expect(cluster.scheduler.queue(of: .named(job, "b")) == "q")
        #expect(cluster.scheduler.queue(of: .named(job, "c")) == nil)
        #expect(cluster.scheduler.queue(of: .operation(job / 4)) == nil)
        #expect(cluster.scheduler.queue(of: .job(job)) == nil)
        #expect(cluster.scheduler.hasGiven(job) && !cluster.scheduler.hasGiven(JobNumber(job.rawValue + 1)))
        cluster.join("w1", slots: 4)
        for index in [0, 2] { cluster.finish(job / index) }
        #expect(cluster.scheduler.queue(of: .named(job, "a")) == "p")
        cluster.finish(job / 1)
        #expect(cluster.scheduler.queue(of: .named(job, "a")) == nil)
    }
}
