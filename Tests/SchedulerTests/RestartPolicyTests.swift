@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Operations that run at most once", .timeLimit(.minutes(60)))
struct RestartPolicyTests {
    private static let once = Template(work: Work(.noOperation), restart: .never)

    /// Two workers; the first gets the operation.
    private func cluster(_ template: Template = once) -> (cluster: Cluster, job: JobNumber) {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [template])
        cluster.join("w2")
        return (cluster, job)
    }

    private func expectLost(_ cluster: Cluster, _ job: JobNumber, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(cluster.outcome(job / 0) == .failed, sourceLocation: sourceLocation)
        #expect(cluster.last(job / 0)?.reason?.code == .lost, sourceLocation: sourceLocation)
        #expect(cluster.last(job / 0)?.attempt == 1, sourceLocation: sourceLocation)
        #expect(cluster.outcome(job / 1) == .skipped, sourceLocation: sourceLocation)
        #expect(cluster.started.count { $0.operation == job / 0 } <= 1, sourceLocation: sourceLocation)
    }

    @Test("D3 The dispatch of an operation that is never restarted is on disk before it is sent, and delays no other")
    func dispatchAfterCommit() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let once = Entry.op()
        var other = once
        other.template = 1
        cluster.suspend("default")
        let job = cluster.submit(once, other, templates: [Self.once, .noOperation])
        cluster.isDiskSlow = true
        cluster.resume("default")
        #expect(cluster.order == ["1/1"])
        #expect(cluster.last(job / 0)?.token != nil)
        cluster.commit()
        #expect(cluster.order == ["1/1", "1/0"])
        cluster.finishAll()
        #expect((0..<2).allSatisfy { cluster.outcome(job / $0) == .succeeded && cluster.last(job / $0)?.attempt == 1 })
    }

    @Test("D3 An operation that is never restarted fails as lost if its worker is lost, leaves or is another process")
    func workerIsLost() throws {
        var (silent, job) = cluster()
        silent.pass(.seconds(60), silent: try #require(silent.scheduler.session(ofWorker: "w1")))
        expectLost(silent, job)
        #expect(silent.last(job / 0)?.reason?.message == "Its worker w1 was lost, and it is never restarted.")
        #expect(silent.last(job / 0)?.worker == "w1")
        var (left, second) = cluster()
        left.apply(.workerLeft(try #require(left.scheduler.session(ofWorker: "w1"))))
        expectLost(left, second)
        var (expelled, fifth) = cluster()
        expelled.apply(.workerExpelled("w1", because: "The key of its worker was revoked"))
        expectLost(expelled, fifth)
        let sentence = "The key of its worker was revoked, and it is never restarted."
        #expect(expelled.last(fifth / 0)?.reason?.message == sentence)
        var (again, third) = cluster()
        again.join("w1", processID: 8)
        expectLost(again, third)
        var (interrupted, fourth) = cluster()
        interrupted.report(interrupted.started[0], .interrupted)
        expectLost(interrupted, fourth)
    }

    @Test("D3 An operation that is never restarted is retried after its own failure, once the next attempt is on disk")
    func retries() {
        var (cluster, job) = cluster(Template(work: Work(.noOperation), retries: 1, retryDelay: .zero, restart: .never))
        cluster.finish(job / 0, .exited(1))
        cluster.isDiskSlow = true
        cluster.apply(.timePassed)
        #expect(cluster.sent.count == 1)
        cluster.commit()
        #expect(cluster.running[job / 0]?.attempt == 2)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("A prefetched operation that is never restarted runs as attempt 1 elsewhere after its worker has left")
    func takenBack() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let first = cluster.join("w1")
        let job = cluster.submit(.op(), .op(), templates: [Self.once])
        #expect(cluster.sent.map(\.operation) == [job / 0, job / 1])
        cluster.apply(.workerLeft(first))
        #expect(cluster.outcome(job / 0) == .failed && cluster.state(job / 1) == .ready)
        cluster.join("w2")
        cluster.finishAll()
        #expect(cluster.outcome(job / 1) == .succeeded && cluster.last(job / 1)?.attempt == 1)
    }

    @Test("CA15 D5 A cancel and a hold take effect at the commit of a dispatch, and the dispatch is not sent")
    func recalledBeforeItIsSent() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.isDiskSlow = true
        let job = cluster.submit(.op(), .op(), templates: [Self.once])
        let cancel = cluster.request { .cancel([.operation(job / 0)], request: $0) }
        let hold = cluster.request { .hold([.operation(job / 1)], request: $0) }
        #expect(cluster.report(cancel) == nil && cluster.report(hold) == nil)
        cluster.commit()
        #expect(cluster.report(cancel)?.changed == 1 && cluster.report(hold)?.changed == 1)
        #expect(cluster.outcome(job / 0) == .cancelled && cluster.state(job / 1) == .pending)
        #expect(cluster.sent.isEmpty)
        cluster.release(.operation(job / 1))
        cluster.finishAll()
        #expect(cluster.outcome(job / 1) == .succeeded && cluster.last(job / 1)?.attempt == 1)
    }

    @Test(
        "An operation that is never restarted runs on another worker if the first goes before the dispatch is sent",
        arguments: [true, false]
    )
    func lostBeforeItIsSent(isSilent: Bool) {
        var cluster = Cluster()
        let first = cluster.join("w1")
        cluster.isDiskSlow = true
        let job = cluster.submit(.op(), templates: [Self.once])
        if isSilent {
            cluster.pass(.seconds(60), silent: first)
        } else {
            cluster.join("w1", processID: 8)
        }
        #expect(cluster.state(job / 0) == .ready)
        cluster.commit()
        cluster.join("w2")
        cluster.finishAll()
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.last(job / 0)?.attempt == 1)
        #expect(cluster.sent.count == 1)
    }

    @Test(
        "D3 An operation that is never restarted goes on over a restart if its worker has it, and else fails",
        arguments: [true, false]
    )
    func restart(isHeld: Bool) {
        var (cluster, job) = cluster()
        let claimed = cluster.started
        cluster.restart()
        cluster.join("w2")
        let session = cluster.join("w1", holding: isHeld ? claimed : [])
        guard isHeld else { return expectLost(cluster, job) }
        cluster.report(claimed[0], session: session)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.last(job / 0)?.attempt == 1)
    }
}
