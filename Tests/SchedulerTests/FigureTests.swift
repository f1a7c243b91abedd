@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Figures for people and programs that watch a cluster", .timeLimit(.minutes(60)))
struct FigureTests {
    private func figures(_ queue: String, _ cluster: Cluster) throws -> QueueFigures {
        try #require(cluster.scheduler.queueFigures.first { $0.label == queue })
    }

    private func end(_ attempt: Dispatch, _ end: AttemptEnd, after microseconds: Int64) -> Event {
        let result = AttemptResult(end: end, microseconds: microseconds)
        return .attemptEnded(attempt.session, attempt.token, attempt.operation, result, age: 0, seed: 0)
    }

    @Test("Each start counts with its wait, and each end with the time that its worker measured")
    func times() throws {
        var cluster = Cluster()
        cluster.submit(.op(), .op(), .op())
        #expect(try figures("default", cluster).submitted == 3)
        cluster.now = cluster.now + .seconds(3)
        cluster.join("w1", slots: 2)
        #expect(cluster.scheduler.attemptTotals.started == 2)
        #expect(try figures("default", cluster).waits.count == 2)
        #expect(try figures("default", cluster).waits.sum == 6_000_000)
        let first = try #require(cluster.started.first)
        cluster.now = cluster.now + .seconds(2)
        cluster.apply(end(first, .exited(0), after: 1_500_000))
        let now = try figures("default", cluster)
        #expect(now.waits.count == 3 && now.waits.sum == 11_000_000)
        #expect(now.runs.count == 1 && now.runs.sum == 1_500_000)
        #expect(now.ended.succeeded == 1 && now.counts.executing == 2 && now.submitted == 3)
        #expect(cluster.scheduler.attemptTotals.succeeded == 1)
        #expect(cluster.scheduler.unfinishedJobStates[.executing] == 1)
    }

    @Test("Ends count by their kind, once for each attempt")
    func ends() throws {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 4)
        cluster.submit(.op(), .op(), .op(), .op())
        let started = cluster.started
        try #require(started.count == 4)
        cluster.apply(end(started[0], .exited(0), after: 1))
        cluster.apply(end(started[1], .exited(3), after: 2))
        cluster.apply(end(started[2], .stopped, after: 3))
        cluster.now = cluster.now + .seconds(3_600)
        cluster.apply(.timePassed)
        let totals = cluster.scheduler.attemptTotals
        #expect(totals.succeeded == 1 && totals.failed == 1 && totals.stopped == 1)
        // The fourth attempt and the second one of the third operation were lost with the worker.
        #expect(totals.lost == 2 && totals.started == 5, "\(totals) \(session)")
        #expect(totals.cancelled == 0 && totals.givenBack == 0)
    }

    @Test("The end of an operation that may run once counts with its reason, which is lost, if its worker is stopped")
    func stoppedForGood() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Template(work: Work(.noOperation), restart: .never)])
        cluster.apply(end(try #require(cluster.started.first), .stopped, after: 3))
        #expect(cluster.last(job / 0)?.reason?.code == .lost)
        #expect(cluster.scheduler.attemptTotals.lost == 1 && cluster.scheduler.attemptTotals.stopped == 0)
    }

    @Test("Another queue in the place of a deleted one begins at 0, and finished jobs count by outcome")
    func deletedQueue() throws {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op(), queues: ["first"])
        cluster.apply(end(try #require(cluster.started.last), .exited(0), after: 5))
        #expect(try figures("first", cluster).ended.succeeded == 1)
        _ = cluster.answer { .deleteQueue("first", request: $0) }
        cluster.submit(.op(), queues: ["second"])
        #expect(try figures("second", cluster).ended.sum == 0)
        #expect(try figures("second", cluster).submitted == 1)
        #expect(try figures("second", cluster).runs.count == 0)
        cluster.apply(end(try #require(cluster.started.last), .exited(1), after: 5))
        #expect(try figures("second", cluster).ended.failed == 1)
        #expect(cluster.scheduler.jobsFinished.succeeded == 1 && cluster.scheduler.jobsFinished.failed == 1)
        #expect(cluster.scheduler.ended.finished == 2)
    }

    @Test("The start of a job is that of its first attempt, also after a restart and in the record of its end")
    func jobStart() throws {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op())
        #expect(cluster.scheduler.start(of: job) == nil)
        cluster.now = cluster.now + .seconds(5)
        let start = cluster.now
        cluster.join("w1")
        #expect(cluster.scheduler.start(of: job) == start)
        cluster.now = cluster.now + .seconds(5)
        cluster.apply(end(try #require(cluster.started.last), .exited(0), after: 1))
        #expect(cluster.scheduler.start(of: job) == start)
        cluster.now = cluster.now + .seconds(5)
        let second = try #require(cluster.started.last)
        cluster.restart()
        #expect(cluster.scheduler.start(of: job) == start)
        #expect(try figures("default", cluster).submitted == 2)
        let session = cluster.join("w1", holding: [second])
        let result = AttemptResult(end: .exited(0), microseconds: 1)
        cluster.apply(.attemptEnded(session, second.token, second.operation, result, age: 0, seed: 0))
        #expect(cluster.record.jobStarts[job] == start)
        #expect(cluster.scheduler.start(of: job) == nil)
    }
}
