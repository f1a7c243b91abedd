@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Progress", .timeLimit(.minutes(60)))
struct ProgressTests {
    @Test("PG1 PG4 A queue reports progress once it has a total: each ended operation adds one, and it never exceeds 1")
    func total() {
        var cluster = Cluster()
        cluster.join("w1", slots: 5)
        let job = cluster.submit(.array(5))
        cluster.finish(job / 0)
        #expect(cluster.scheduler.queue("default")?.progress == nil)
        cluster.setQueue("default", total: 4)
        #expect(cluster.scheduler.queue("default")?.progress == 0)
        cluster.finish(job / 1)
        cluster.finish(job / 2, .exited(1))
        #expect(cluster.scheduler.queue("default")?.completed == 2)
        #expect(cluster.scheduler.queue("default")?.progress == 0.5)
        cluster.setQueue("default", total: 8)
        #expect(cluster.scheduler.queue("default")?.progress == 0.25)
        cluster.setQueue("default", total: 0)
        #expect(cluster.scheduler.queue("default")?.progress == nil)
        cluster.setQueue("default", total: 1)
        #expect(cluster.scheduler.queue("default")?.completed == 0)
        cluster.finish(job / 3)
        cluster.finish(job / 4)
        // More operations than the total still give a progress of 1 (PG4).
        #expect(cluster.scheduler.queue("default")?.progress == 1)
    }

    @Test(
        "PG4 Setting a total that has been reached starts the progress anew, and raising one that has not keeps what was done"
    )
    func again() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.array(9))
        cluster.setQueue("default", total: 2)
        cluster.finish(job / 0)
        // A repeated request changes nothing while the total is ahead.
        cluster.setQueue("default", total: 2)
        #expect(cluster.scheduler.queue("default")?.progress == 0.5)
        for index in 1..<4 { cluster.finish(job / index) }
        #expect(cluster.scheduler.queue("default")?.progress == 1)
        cluster.setQueue("default", total: 2)
        #expect(cluster.scheduler.queue("default")?.progress == 0)
        cluster.finish(job / 4)
        cluster.setQueue("default", total: 4)
        #expect(cluster.scheduler.queue("default")?.progress == 0.25)
        // Another setting leaves the progress alone.
        for index in 5..<9 { cluster.finish(job / index) }
        cluster.setQueue("default", limit: .atMost(3))
        #expect(cluster.scheduler.queue("default")?.completed == 5)
        cluster.setQueue("default", total: 10)
        #expect(cluster.scheduler.queue("default")?.completed == 0)
    }

    @Test(
        "PG1 Operations that are cancelled before their start or skipped add nothing to the progress, nor do barriers"
    )
    func addNone() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.setQueue("default", total: 10)
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .needs(0)), .barrier(), .op())
        cluster.cancel(.operation(job / 2))
        cluster.cancel(.operation(job / 1))
        cluster.finish(job / 0, .exited(1))
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.scheduler.queue("default")?.completed == 2)
        cluster.reportProgress(job / 4, 0.5)
        #expect(cluster.scheduler.queue("default")?.progress == 0.2)
        cluster.finish(job / 4)
        #expect(cluster.scheduler.queue("default")?.completed == 2)
        cluster.finish(job / 5)
        #expect(cluster.scheduler.queue("default")?.completed == 3)
    }

    @Test("PG4 Executing operations add the fraction that they report, kept between 0 and 1")
    func fractions() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        cluster.setQueue("default", total: 4)
        let job = cluster.submit(.array(4))
        #expect(cluster.reportProgress(job / 0, 0.5) == ChangeReport(changed: 1))
        #expect(cluster.scheduler.queue("default")?.progress == 0.125)
        #expect(cluster.scheduler.progress(of: job / 0)?.fraction == 0.5)
        cluster.reportProgress(job / 0, 0.25)
        cluster.reportProgress(job / 1, .nan)
        cluster.reportProgress(job / 2, .infinity)
        cluster.reportProgress(job / 3, -3)
        #expect(cluster.scheduler.queue("default")?.progress == 0.3125)
        for index in 0..<4 { cluster.finish(job / index) }
        #expect(cluster.scheduler.queue("default")?.progress == 1)
        #expect(cluster.scheduler.graph.progress.isEmpty)
        #expect(cluster.record.events.history(job / 0) == ["ready", "executing", "500000", "250000", "succeeded"])
    }

    @Test("PG6 A job has progress from its submission, and its total is the number of its operations")
    func job() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), .op(on: .needs(0)), .op())
        #expect(cluster.scheduler.progress(of: job) == 0)
        cluster.reportProgress(job / 1, 0.5)
        #expect(cluster.scheduler.progress(of: job) == 0.125)
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.scheduler.progress(of: job) == 0.625)
        cluster.cancel(.operation(job / 1))
        cluster.finish(job / 1, .signalled(9))
        #expect(cluster.scheduler.progress(of: job) == 0.75)
        cluster.finishAll()
        #expect(cluster.scheduler.progress(of: job) == nil)
    }

    @Test(
        "PG4 The reported fraction of an attempt does not count for the next attempt, and a late report has no effect"
    )
    func attempts() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.setQueue("default", total: 1)
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        cluster.reportProgress(job / 0, 0.75)
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.scheduler.queue("default")?.progress == 0)
        #expect(cluster.reportProgress(job / 0, 0.9)?.changed == 0)
        cluster.apply(.timePassed)
        #expect(cluster.reportProgress(job / 0, 0.9)?.notes.count == 1)
        #expect(cluster.reportProgress(job / 0, 0.5, attempt: 2)?.changed == 1)
        #expect(cluster.scheduler.queue("default")?.progress == 0.5)
        cluster.pass(.seconds(50), silent: session)
        #expect(cluster.scheduler.queue("default")?.progress == 0)
        #expect(cluster.scheduler.progress(of: job / 0) == nil)
        #expect(cluster.reportProgress(job / 9, 0.5)?.changed == 0)
    }

    @Test(
        "PG4 A worker reports the progress of its running attempts; a repeated report and one of another worker change nothing"
    )
    func byWorkers() {
        var cluster = Cluster()
        let worker = cluster.join("w1", slots: 2)
        let other = cluster.join("w2", slots: 1)
        cluster.setQueue("default", total: 4)
        let job = cluster.submit(.array(4))
        let running = cluster.started.filter { $0.session == worker }
        let tokens = running.map(\.assignment.token)
        let half = OperationProgress(fraction: 0.5, message: "half")
        cluster.apply(.attemptsProgressed(worker, tokens.map { AttemptProgress($0, half) }))
        #expect(cluster.scheduler.queue("default")?.progress == 0.25)
        #expect(cluster.scheduler.progress(of: running[0].operation) == half)
        let events = cluster.scheduler.newestEvent
        cluster.apply(.attemptsProgressed(worker, [AttemptProgress(tokens[0], half)]))
        cluster.apply(.attemptsProgressed(other, [AttemptProgress(tokens[0], OperationProgress(fraction: 1))]))
        cluster.apply(
            .attemptsProgressed(SessionID(rawValue: 99), [AttemptProgress(tokens[0], OperationProgress(fraction: 1))])
        )
        #expect(cluster.scheduler.newestEvent == events)
        cluster.finish(running[0].operation)
        cluster.apply(.attemptsProgressed(worker, [AttemptProgress(tokens[0], OperationProgress(fraction: 0.75))]))
        #expect(cluster.scheduler.queue("default")?.progress == 0.375)
        #expect(cluster.record.events.history(running[0].operation) == ["ready", "executing", "500000", "succeeded"])
        _ = job
    }

    @Test("PG1 D6 The total of a queue and its number of completed operations survive a restart")
    func restored() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.setQueue("default", total: 4)
        let job = cluster.submit(.array(4))
        cluster.finish(job / 0)
        cluster.reportProgress(job / 1, 0.5)
        let claimed = cluster.running.values.sorted { $0.token < $1.token }
        cluster.restart()
        #expect(cluster.scheduler.queue("default")?.progress == 0.25)
        let session = cluster.join("w1", slots: 2, holding: claimed)
        cluster.report(claimed[0], session: session)
        #expect(cluster.scheduler.queue("default")?.progress == 0.5)
    }
}
