@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("The stream of events", .timeLimit(.minutes(60)))
struct EventTests {
    @Test("OB10 ST2 The events of an operation tell each change of its state once and in order, retries included")
    func order() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .after(0)), .op(on: .needs(1)), templates: [.retrying(1, delay: .zero)])
        cluster.finish(job / 0, .exited(1))
        cluster.apply(.timePassed)
        cluster.finish(job / 0)
        cluster.finish(job / 1, .exited(1))
        cluster.apply(.timePassed)
        cluster.finish(job / 1, .exited(1))
        let events = cluster.record.events
        #expect(
            events.history(job / 0)
                == ["ready", "executing", "pending", "ready", "executing", "succeeded"]
        )
        #expect(
            events.history(job / 1) == ["ready", "executing", "pending", "ready", "executing", "failed"]
        )
        #expect(events.history(job / 2) == ["skipped"])
        #expect(events.next == cluster.scheduler.newestEvent + 1)
    }

    @Test("OB5 The events of a cancelled operation tell the cancellation first, and the end last and once")
    func cancelled() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1")
        var stillborn = Entry.op()
        stillborn.isCancelled = true
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .after(0)), stillborn)
        cluster.cancel(.operations(job, 0..<4))
        cluster.finish(job / 0, .cancelled(exitStatus: nil, signal: 15))
        let events = cluster.record.events
        #expect(events.history(job / 0) == ["ready", "executing", "cancelled", "cancelled"])
        for index in [1, 2] { #expect(events.history(job / index) == ["ready", "cancelled", "cancelled"]) }
        #expect(events.history(job / 3) == ["cancelled", "cancelled"])
        #expect(events.history(job / 4) == ["ready", "cancelled", "cancelled"])
    }

    @Test("OB8 The event that an operation is ready follows the end of its last dependency")
    func ready() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), .op(on: .after(0), .after(1)))
        cluster.finish(job / 0)
        #expect(cluster.record.events.history(job / 2).isEmpty)
        cluster.finish(job / 1)
        let told = cluster.record.events.events.suffix(3).compactMap { event -> String? in
            guard case .operations(let id, _, .state(let state, _, _, _)) = event.subject else { return nil }
            return "\(id) \(state)"
        }
        #expect(told == ["1/1 finished", "1/2 ready", "1/2 executing"])
    }

    @Test("OB10 Neighbouring operations that change alike share one event, which takes a number for each of them")
    func blocks() {
        var cluster = Cluster()
        let before = cluster.record.events.next
        let job = cluster.submit(.array(1000))
        #expect(cluster.record.events.next == before + 1 + 1000 + 1)
        cluster.hold(.operations(job, 200..<700))
        let last = cluster.record.events.events.last
        #expect(last?.count == 500)
        #expect(cluster.record.events.state(job / 699) == .pending)
        #expect(cluster.record.events.state(job / 700) == .ready)
    }

    @Test("OB10 The stream tells of workers, queues, jobs and the attempts of operations, in order")
    func subjects() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op())
        cluster.finish(job / 0)
        cluster.apply(.workerLeft(session))
        let subjects = cluster.record.events.events.map(\.subject)
        let executing = ClusterEvent.OperationChange.state(.executing, outcome: nil, attempt: 1, worker: "w1")
        let finished = ClusterEvent.OperationChange.state(.finished, outcome: .succeeded, attempt: 1, worker: "w1")
        var counts = JobCounts()
        counts.succeeded = 1
        #expect(
            subjects == [
                .worker("w1", .alive),
                .queue("default", QueueSettings()),
                .jobSubmitted(job, operations: 1),
                .operations(job / 0, count: 1, .state(.ready, outcome: nil, attempt: 0, worker: nil)),
                .operations(job / 0, count: 1, executing),
                .operations(job / 0, count: 1, finished),
                .jobFinished(job, counts),
                .worker("w1", .left),
            ]
        )
    }

    @Test(
        "OB10 An attempt whose end arrives before its start is told to have started and then to have ended",
        arguments: [0, 3]
    )
    func unannounced(ahead: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(ahead)))
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.op(), .op())
        for attempt in cluster.sent { cluster.report(attempt) }
        #expect(cluster.record.events.history(job / 0) == ["ready", "executing", "succeeded"])
        #expect(cluster.last(job / 0)?.attempt == 1)
        #expect(cluster.last(job / 0)?.startedAt != nil)
    }

    @Test("OB10 A lost attempt makes its operation ready again in the stream, and the next attempt follows")
    func lost() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.pass(.seconds(60), silent: session)
        cluster.join("w2", slots: 2)
        #expect(cluster.record.events.history(job / 0) == ["ready", "executing", "ready", "executing"])
        #expect(cluster.record.events.history(job / 1) == ["ready", "executing"])
        #expect([0, 1].map { cluster.last(job / $0)?.attempt } == [2, 2])
    }
}
