@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Tests of the requesters' names in jobs and events.
@Suite("Who asked", .timeLimit(.minutes(60)))
struct RequesterTests {
    /// The requesters in the events of one kind, each with the number of operations.
    private func requesters(
        _ cluster: Cluster,
        _ isMeant: (ClusterEvent.Subject) -> Bool
    ) -> [String?] {
        cluster.record.events.events.filter { isMeant($0.subject) }.map(\.by)
    }

    private func requesters(_ cluster: Cluster, of change: ClusterEvent.OperationChange) -> [String?] {
        requesters(cluster) { if case .operations(_, _, change) = $0 { true } else { false } }
    }

    @Test("A job and its event name the requester, also after a restart, and follow-up changes name nobody")
    func jobs() {
        var cluster = Cluster()
        cluster.requester = "laptop"
        let job = cluster.submit(.op(), .op(on: .after(0)))
        cluster.requester = nil
        let anonymous = cluster.submit(.op())
        cluster.join("w1")
        #expect(cluster.record.jobs[job]?.submittedBy == "laptop")
        #expect(cluster.scheduler.submitter(of: job) == "laptop")
        #expect(cluster.record.jobs[anonymous]?.submittedBy == nil)
        #expect(cluster.scheduler.submitter(of: anonymous) == nil)
        #expect(cluster.scheduler.submitter(of: JobNumber(99)) == nil)
        cluster.restart()
        #expect(cluster.scheduler.submitter(of: job) == "laptop")
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(cluster.scheduler.submitter(of: job) == nil, "a finished job is in the record")
        #expect(
            requesters(cluster) { if case .jobSubmitted = $0 { true } else { false } } == ["laptop", nil]
        )
        let named = cluster.record.events.events.filter { $0.by != nil }.map(\.subject)
        #expect(
            named == [.queue("default", QueueSettings()), .jobSubmitted(job, operations: 2)]
        )
    }

    @Test("The event of each requested change names its requester, whoever submitted the job")
    func changes() {
        var cluster = Cluster()
        cluster.requester = "laptop"
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .after(0)))
        cluster.requester = "ci"
        cluster.hold(.operation(job / 0))
        cluster.requester = "1/3"
        cluster.release(.operation(job / 0))
        cluster.requester = "desk"
        cluster.setPriority(.operation(job / 1), to: .high)
        _ = cluster.depend(job / 1, .after(job / 0))
        cluster.undepend(job / 1, .operation(job / 0))
        cluster.setQueue("default", limit: .atMost(7))
        cluster.requester = "wall"
        cluster.cancel(.operation(job / 0), .operation(job / 2))
        #expect(requesters(cluster, of: .held(true)) == ["ci"])
        #expect(requesters(cluster, of: .held(false)) == ["1/3"])
        #expect(requesters(cluster, of: .priority(.high)) == ["desk"])
        #expect(requesters(cluster, of: .dependencies) == ["desk", "desk"])
        #expect(requesters(cluster, of: .cancelled) == ["wall", "wall"])
        #expect(requesters(cluster) { if case .queue = $0 { true } else { false } } == ["laptop", "desk"])
        for event in cluster.record.events.events where !event.subject.isRequested { #expect(event.by == nil) }
    }

    @Test("An added command is an event with its requester")
    func commands() {
        var cluster = Cluster()
        let work = Work(.commands([["true"]]))
        cluster.requester = "laptop"
        let job = cluster.submit(.op(), templates: [Template(work: work)])
        cluster.requester = "ci"
        _ = cluster.addCommand(["false"], to: job / 0)
        #expect(requesters(cluster, of: .commands) == ["ci"])
        #expect(cluster.record.events.history(job / 0) == ["ready", "commands"])
    }

    @Test("A request that waits for a worker, or for the end of the reconcile window, keeps its requester")
    func deferred() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        cluster.requester = "ci"
        let hold = cluster.request { .hold([.operation(job / 1)], request: $0) }
        #expect(cluster.answers[hold] == nil)
        cluster.requester = "other"
        let recalled = cluster.sent.last.map(\.token)
        cluster.apply(.attemptsReturned(session, recalled.map { [$0] } ?? []))
        #expect(cluster.report(hold)?.changed == 1)
        #expect(requesters(cluster, of: .held(true)) == ["ci"])
        cluster.restart()
        cluster.requester = "desk"
        let cancellation = cluster.request { .cancel([.operation(job / 1)], request: $0) }
        #expect(cluster.answers[cancellation] == nil)
        cluster.requester = "other"
        cluster.pass(.seconds(60))
        #expect(requesters(cluster, of: .cancelled) == ["desk"])
    }

    @Test("Neighbouring elements of an array that are cancelled alike share one event with the requester")
    func blocks() {
        var cluster = Cluster()
        let job = cluster.submit(.array(1000))
        cluster.requester = "laptop"
        cluster.cancel(.operations(job, 200..<700))
        let cancelled = cluster.record.events.events.filter { $0.by != nil }
        #expect(cancelled.map(\.count) == [500] && cancelled.map(\.by) == ["laptop"])
    }
}
