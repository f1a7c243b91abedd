@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Workers that cannot start attempts", .timeLimit(.minutes(60)))
struct WorkerFaultTests {
    private static let fault = AttemptEnd.workerFault("No disk.", hasRun: false)

    private func worker(_ name: String, of cluster: Cluster) -> WorkerView? {
        cluster.scheduler.allWorkers.first { $0.name == name }
    }

    @Test(
        "D9 An attempt that a worker could not start runs elsewhere under the same number and without a loss",
        arguments: RestartPolicy.allCases
    )
    func givenBack(restart: RestartPolicy) throws {
        var cluster = Cluster()
        cluster.join("w1")
        let template = Template(work: Work(.noOperation), restart: restart)
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [template])
        let other = cluster.join("w2")
        let first = try #require(cluster.started.first)
        cluster.report(first, Self.fault)
        let second = try #require(cluster.started.last)
        #expect(cluster.started.count == 2 && second.session == other)
        #expect((first.attempt, second.attempt) == (1, 1))
        #expect(first.token < second.token)
        let record = try #require(cluster.last(job / 0))
        #expect((record.losses, record.attempt) == (0, 1))
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded)
    }

    @Test(
        "D9 D3 The next attempt under a number that was given back is on disk before it is sent",
        arguments: [true, false]
    )
    func numberIsKept(isStartHeardOf: Bool) throws {
        var cluster = Cluster()
        let session = cluster.join("w1")
        if !isStartHeardOf { cluster.delayMessages(to: session) }
        let job = cluster.submit(.op())
        cluster.join("w2")
        cluster.isDiskSlow = true
        #expect(cluster.sent.count == 1)
        cluster.report(try #require(cluster.sent.first), Self.fault)
        #expect(cluster.sent.count == 1)
        #expect(cluster.last(job / 0)?.token != nil)
        cluster.commit()
        #expect(cluster.sent.count == 2)
        cluster.finishAll()
    }

    @Test("D9 The fault of a worker recalls its prefetched operations and sends it nothing new")
    func sentAhead() throws {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(10))
        #expect(cluster.sent.count == 5)
        cluster.delayMessages(to: session)
        let effects = cluster.report(cluster.started[0], Self.fault)
        let recalled = effects.compactMap { effect -> [AttemptToken]? in
            if case .recallAttempts(session, let tokens) = effect { tokens } else { nil }
        }
        // The third attempt started in the slot of the first before the coordinator heard of the fault.
        #expect(Set(recalled.joined()) == Set(cluster.sent[3...].map(\.token)))
        cluster.deliverMessages(to: session)
        #expect(cluster.scheduler.counts.executing == 2)
        #expect(cluster.sent.count == 5, "nothing is sent but trials")
        #expect(cluster.scheduler.record(of: job / 0)?.attempt == 0)
    }

    @Test("D9 An attempt that could not be started is given back although its start was never reported")
    func unheardOf() throws {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.op())
        let sent = try #require(cluster.sent.first)
        #expect(cluster.scheduler.record(of: job / 0)?.state == .ready)
        cluster.report(sent, Self.fault)
        let record = try #require(cluster.scheduler.record(of: job / 0))
        #expect((record.state, record.attempt, record.token) == (.ready, 0, nil))
    }

    @Test("D9 A failing worker gets one trial at a time, after waits of 1 s to 60 s, and all slots once it is well")
    func trials() throws {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 4)
        cluster.submit(.array(20))
        for attempt in cluster.started { cluster.report(attempt, Self.fault) }
        #expect(cluster.started.count == 4)
        #expect(worker("w1", of: cluster)?.fault == "No disk.")
        var rest = Duration.seconds(1)
        for _ in 1...8 {
            let before = cluster.started.count
            cluster.pass(rest - .milliseconds(1))
            #expect(cluster.started.count == before, "\(rest)")
            cluster.pass(.milliseconds(1))
            #expect(cluster.started.count == before + 1, "\(rest)")
            cluster.pass(.seconds(100))
            #expect(cluster.started.count == before + 1, "one at a time")
            cluster.report(try #require(cluster.started.last), Self.fault)
            rest = min(rest * 2, .seconds(60))
        }
        #expect(rest == .seconds(60))
        cluster.pass(rest)
        cluster.apply(.workerHealth(session, fault: nil))
        #expect(worker("w1", of: cluster)?.fault == nil)
        #expect(cluster.scheduler.counts.executing == 4)
        cluster.finishAll()
    }

    @Test("D9 A trial that ends by itself shows its worker well, and an interrupted trial lets another be tried")
    func trialEnds() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.submit(.array(10))
        cluster.report(cluster.started[0], Self.fault)
        cluster.pass(.seconds(1))
        let trial = try #require(cluster.started.last)
        cluster.cancel(.operation(trial.operation))
        cluster.report(trial, .interrupted)
        #expect(cluster.outcome(trial.operation) == .cancelled)
        #expect(worker("w1", of: cluster)?.fault != nil)
        let next = try #require(cluster.started.last)
        #expect(next.operation != trial.operation)
        cluster.report(next, .exited(3))
        #expect(worker("w1", of: cluster)?.fault == nil)
        cluster.finishAll()
        #expect(cluster.scheduler.counts.unfinished == 0)
    }

    @Test("D9 Operations wait while all workers fail, and the explanation names a worker and its fault")
    func explained() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.join("w2")
        let job = cluster.submit(.op(), .op(), .op())
        cluster.report(cluster.started[0], Self.fault)
        #expect(cluster.scheduler.impediments(of: job / 2)?.contains(.slots(total: 1)) == true)
        cluster.report(cluster.started[1], Self.fault)
        #expect(
            cluster.scheduler.impediments(of: job / 0) == [.failing(worker: "w1", reason: "No disk.", others: 1)]
        )
        #expect(cluster.scheduler.counts.ready == 3)
    }

    @Test("D9 An attempt that has partly run counts as lost, and is not given back")
    func partly() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let once = Template(work: Work(.noOperation), restart: .never)
        let job = cluster.submit(.op(), .op(template: 1), templates: [Template(work: Work(.noOperation)), once])
        cluster.join("w2")
        let end = AttemptEnd.workerFault("No processes.", hasRun: true)
        for attempt in cluster.started { cluster.report(attempt, end) }
        cluster.pass(.seconds(1))
        let again = try #require(cluster.started.last)
        #expect((again.operation, again.attempt) == (job / 0, 2))
        #expect(cluster.scheduler.record(of: job / 0)?.losses == 1)
        #expect(cluster.outcome(job / 1) == .failed)
        #expect(
            cluster.last(job / 1)?.reason
                == Reason(.lost, "It was lost through a fault of its worker. No processes.")
        )
    }

    @Test("D9 A cancelled operation that could not be started ends as cancelled")
    func cancelled() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.cancel(.operation(job / 0))
        cluster.report(cluster.started[0], Self.fault)
        #expect(cluster.outcome(job / 0) == .cancelled)
    }

    @Test("D9 CM9 A completion hook that could not be started goes to another worker, and may be the trial")
    func hooks() throws {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let template = Template(work: Work(.noOperation), onFinish: ["tell"])
        let job = cluster.submit(.op(), templates: [template])
        let second = cluster.join("w2")
        cluster.finish(job / 0)
        #expect(cluster.hooks.map(\.session) == [first])
        cluster.report(cluster.hooks[0], Self.fault)
        #expect(cluster.hooks.map(\.session) == [first, second])
        cluster.report(cluster.hooks[1], Self.fault)
        #expect(cluster.hooks.count == 2)
        cluster.pass(.seconds(1))
        #expect(cluster.hooks.count == 3)
        cluster.report(cluster.hooks[2])
        #expect(cluster.scheduler.allWorkers.count { $0.fault == nil } == 1)
    }

    @Test("D9 A failing worker still fails when it comes back, unless it comes back as another process")
    func comesBack() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op())
        cluster.report(cluster.started[0], Self.fault)
        cluster.join("w1")
        #expect(worker("w1", of: cluster)?.fault == "No disk.")
        #expect(cluster.started.count == 1)
        let later = cluster.join("w1", processID: 8)
        #expect(worker("w1", of: cluster)?.fault == nil)
        #expect(cluster.started.count == 2)
        cluster.apply(.workerHealth(later, fault: "No disk."))
        #expect(worker("w1", of: cluster)?.fault == "No disk.")
    }
}
