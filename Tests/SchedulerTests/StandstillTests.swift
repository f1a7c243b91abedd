@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Why nothing of some operations runs", .timeLimit(.minutes(60)))
struct StandstillTests {
    private func still(_ operation: OperationID?, _ impediments: Impediment...) -> StillOperation {
        StillOperation(operation: operation, impediments: impediments)
    }

    @Test("A missing worker is told of once, and a worker that starts or was sent an operation ends the standstill")
    func workers() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let job = cluster.submit(.op(), .op(), .array(100_000), .op(on: .after(0)))
        let expected = [still(job / 0, .noWorker(silent: []))]
        #expect(cluster.scheduler.standstill(of: [.job(job)], limit: 4) == expected)
        #expect(cluster.scheduler.standstill(of: [.queue("default")], limit: 4) == expected)
        let range = [OperationSelection.operations(job, 50_000..<100_003)]
        #expect(cluster.scheduler.standstill(of: range, limit: 4).map(\.impediments) == expected.map(\.impediments))
        cluster.join("w1")
        for selection in [.job(job), .queue("default"), .operations(job, 0..<9)] as [OperationSelection] {
            #expect(cluster.scheduler.standstill(of: [selection], limit: 4) == [], "\(selection)")
        }
        // The second operation was sent, the third waits for a slot.
        #expect(cluster.scheduler.standstill(of: [.operation(job / 1)], limit: 4) == [])
        #expect(cluster.scheduler.standstill(of: [.operation(job / 2)], limit: 4) == [])
        // The last one waits for what runs.
        #expect(cluster.scheduler.standstill(of: [.operation(job / 100_002)], limit: 4) == [])
        #expect(cluster.scheduler.standstill(of: [.operation(job / 7_000_000), .job(JobNumber(9))], limit: 4) == [])
    }

    @Test("Different reasons are told with the operation that has them, at most as many as asked for")
    func reasons() {
        var cluster = Cluster()
        cluster.join("w1")
        let first = cluster.submit(.op(), queues: ["first"])
        cluster.setQueue("none", limit: .atMost(0))
        let job = cluster.submit(
            .op(),
            .op(queue: 1),
            .op(on: .needs(0)),
            .op(queue: 2),
            .op(queue: 2, on: .after(first / 0)),
            queues: ["held", "suspended", "none"]
        )
        cluster.hold(.operation(job / 0))
        cluster.suspend("suspended")
        let expected = [
            still(job / 0, .hold), still(job / 1, .suspended(queue: "suspended")),
            still(job / 3, .limit(queue: "none", limit: 0, executing: 0)),
        ]
        #expect(cluster.scheduler.standstill(of: [.job(job)], limit: 4) == expected)
        #expect(cluster.scheduler.standstill(of: [.job(job)], limit: 1) == [expected[0]])
        // A dependent has the reason of its dependency.
        #expect(cluster.scheduler.standstill(of: [.operation(job / 2)], limit: 4) == [expected[0]])
        // A dependency of another job runs.
        #expect(cluster.scheduler.standstill(of: [.operation(job / 4)], limit: 4) == [])
        #expect(
            cluster.scheduler.standstill(of: [.queue("suspended")], limit: 4)
                == [still(job / 1, .suspended(queue: "suspended"))]
        )
    }

    @Test("An operation that waits for the end of another one, at a limit or without room, is no news")
    func queueing() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2, offer: WorkerOffer(cpus: 2000))
        cluster.setQueue("serial", limit: .atMost(1))
        let serial = cluster.submit(.op(), .op(), queues: ["serial"])
        let large = cluster.submit(.op(), .op(), queues: ["large"], templates: [.asking(cpus: 2000)])
        #expect(cluster.state(serial / 0) == .executing && cluster.state(large / 0) == .executing)
        #expect(cluster.scheduler.impediments(of: serial / 1)?.isEmpty == false)
        #expect(cluster.scheduler.standstill(of: [.operation(serial / 1), .operation(large / 1)], limit: 4) == [])
        // A request that exceeds every worker is told, also while other operations run.
        let huge = cluster.submit(.op(), queues: ["large"], templates: [.asking(cpus: 9000)])
        #expect(cluster.scheduler.standstill(of: [.job(huge)], limit: 4).count == 1)
        cluster.cancel(.job(huge))
        cluster.finishAll()
    }

    @Test("What waits for a time, or for the workers of before a restart, runs by itself later")
    func later() {
        var cluster = Cluster()
        let delayed = cluster.submit(.op(delay: .seconds(5)), .op(on: .after(0)))
        #expect(cluster.scheduler.standstill(of: [.job(delayed)], limit: 4) == [])
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.restart()
        #expect(cluster.scheduler.standstill(of: [.operation(job / 1)], limit: 4) == [])
        // A job of after the restart is not held up by the window, but the worker is expected back.
        let later = cluster.submit(.op(), queues: ["later"])
        #expect(cluster.scheduler.impediments(of: later / 0) == [.noWorker(silent: ["w1"])])
        #expect(cluster.scheduler.standstill(of: [.job(later)], limit: 4) == [])
    }

    @Test("A suspended queue is the reason of its cancelled operations, and also without ready operations")
    func suspended() {
        var cluster = Cluster()
        cluster.suspend("q")
        let job = cluster.submit(.op(delay: .seconds(5)), .op(on: .after(0)), queues: ["q"])
        #expect(
            cluster.scheduler.standstill(of: [.queue("q")], limit: 4) == [still(nil, .suspended(queue: "q"))]
        )
        #expect(
            cluster.scheduler.standstill(of: [.job(job)], limit: 4) == [still(job / 0, .suspended(queue: "q"))]
        )
        cluster.cancel(.job(job))
        #expect(cluster.scheduler.standstill(of: [.job(job)], limit: 4) == [still(job / 0, .cancelled(queue: "q"))])
    }

    @Test("A job whose first thousands of operations are finished is looked at from its end")
    func end() {
        var cluster = Cluster()
        cluster.checkInterval = 1_000
        let session = cluster.join("w1", slots: 2_000)
        let entries = (0..<2_600).map { $0 < 2_000 ? Entry.op() : Entry.op(queue: 1) }
        let submission = Submission(queueNames: ["default", "q"], templates: [.noOperation], entries: entries)
        cluster.suspend("q")
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            Issue.record("no job")
            return
        }
        for index in 0..<2_000 { cluster.finish(job / index) }
        cluster.apply(.workerLeft(session))
        let found = cluster.scheduler.standstill(of: [.job(job)], limit: 4)
        #expect(found.map(\.impediments) == [[.suspended(queue: "q"), .noWorker(silent: [])]])
    }

    @Test("The newest unfinished jobs are listed, newest first, with what they run and how far they are")
    func unfinishedJobs() {
        var cluster = Cluster()
        cluster.join("w1")
        let jobs = (0..<4).map { _ in cluster.submit(.op(), .op()) }
        cluster.cancel(.job(jobs[2]))
        cluster.finish(jobs[0] / 0)
        cluster.reportProgress(jobs[0] / 1, 0.5)
        #expect(cluster.scheduler.unfinishedJobCount == 3)
        #expect(cluster.scheduler.newestUnfinishedJobs(limit: 2).map(\.number) == [jobs[3], jobs[1]])
        let all = cluster.scheduler.newestUnfinishedJobs(limit: 9)
        #expect(all.map(\.number) == [jobs[3], jobs[1], jobs[0]])
        #expect(all[2].progress == 0.75 && all[2].counts.executing == 1 && all[2].command == nil)
        #expect(cluster.scheduler.partial(of: jobs[0]) == 500_000)
        #expect(cluster.scheduler.partial(ofQueue: "default") == 500_000)
        #expect(cluster.scheduler.ended.succeeded == 1 && cluster.scheduler.ended.cancelled == 2)
    }

    @Test("With thousands of unfinished jobs, the newest of them are found without putting all in order")
    func manyUnfinishedJobs() {
        var cluster = Cluster()
        cluster.checkInterval = 1_000
        let work = Template(work: Work(.commands([["echo", "hello"]])))
        let jobs = (0..<2_100).map { _ in cluster.submit(.op(), templates: [work]) }
        cluster.cancel(.job(jobs[2_098]))
        let newest = cluster.scheduler.newestUnfinishedJobs(limit: 3)
        #expect(newest.map(\.number) == [jobs[2_099], jobs[2_097], jobs[2_096]])
        #expect(newest[0].command == ["echo", "hello"])
    }
}
