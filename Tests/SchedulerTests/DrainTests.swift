@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Drained workers", .timeLimit(.minutes(60)))
struct DrainTests {
    private let own = WorkerID(rawValue: 1)
    private let other = WorkerID(rawValue: 2)

    private func conditions(_ cluster: Cluster) -> [WorkerCondition] { cluster.scheduler.allWorkers.map(\.condition) }

    private func requests(_ cluster: Cluster) -> [String] {
        cluster.record.events.events.compactMap { event in
            if case .workerRequest(let name, let request) = event.subject {
                "\(name) \(request.word) by \(event.by ?? "nobody")"
            } else {
                nil
            }
        }
    }

    @Test("What a drained worker was sent ahead returns before the answer, and what it runs goes on")
    func drain() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(5))
        #expect(cluster.sent.count == 4)
        cluster.delayMessages(to: session)
        let request = cluster.request { .drain(["w1"], request: $0) }
        #expect(cluster.answers[request] == nil, "the worker has not answered the recalls")
        #expect(conditions(cluster) == [.draining])
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.sent.count == 4 && cluster.order.count == 1, "nothing new is sent")
        #expect((1...4).allSatisfy { cluster.state(job / $0) == .ready })
        let second = cluster.join("w2", id: other)
        #expect(cluster.sent.dropFirst(4).allSatisfy { $0.session == second })
        cluster.finishAll()
        #expect(cluster.scheduler.counts.succeeded == 5)
        #expect(cluster.started.dropFirst().allSatisfy { $0.session == second })
    }

    @Test("The answer to a drain names the worker that has not answered the recalls, also to a repeated request")
    func unanswered() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let session = cluster.join("w1")
        cluster.submit(.array(2))
        cluster.delayMessages(to: session)
        let first = cluster.request { .drain(["w1"], request: $0) }
        let second = cluster.request { .drain(["w1"], request: $0) }
        cluster.pass(cluster.scheduler.configuration.recallPatience)
        #expect(cluster.report(first) == ChangeReport(changed: 1, unanswered: ["w1"]))
        let note = "Worker w1 is drained already."
        #expect(cluster.report(second) == ChangeReport(changed: 0, notes: [note], unanswered: ["w1"]))
    }

    @Test("The only worker is drained and undrained, and what waited goes on; events and record name who asked")
    func undrain() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.requester = "laptop"
        #expect(cluster.changes(of: { .drain(["w1"], request: $0) })?.changed == 1)
        #expect(cluster.record.drains == [own: DrainRecord(name: "w1", by: "laptop", since: cluster.now)])
        let job = cluster.submit(.op(), .op())
        #expect(
            cluster.scheduler.impediments(of: job / 0)
                == [.draining(workers: ["w1"], drained: ["w1"], silent: [])]
        )
        cluster.requester = "desk"
        #expect(cluster.changes(of: { .undrain(["w1"], request: $0) })?.changed == 1)
        #expect(cluster.running.count == 2 && conditions(cluster) == [.alive])
        #expect(cluster.record.drains.isEmpty)
        #expect(requests(cluster) == ["w1 drain by laptop", "w1 undrain by desk"])
        let again = cluster.changes(of: { .undrain(["w1"], request: $0) })
        #expect(again == ChangeReport(changed: 0, notes: ["Worker w1 is not drained."]))
        cluster.finishAll()
    }

    @Test("A drain outlasts silence, another session, another process, and restarts of the coordinator")
    func outlasts() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.request { .drain(["w1"], request: $0) }
        cluster.pass(.seconds(10), silent: session)
        #expect(conditions(cluster) == [.suspect] && cluster.scheduler.allWorkers[0].isDraining)
        cluster.apply(.workerHeard(session))
        #expect(conditions(cluster) == [.draining])
        cluster.join("w1")
        #expect(conditions(cluster) == [.draining])
        cluster.join("w1", processID: 8)
        #expect(conditions(cluster) == [.draining])
        let job = cluster.submit(.op())
        cluster.restart()
        #expect(cluster.scheduler.allWorkers.map(\.isDraining) == [true])
        cluster.join("w1", processID: 9)
        #expect(conditions(cluster) == [.draining] && cluster.state(job / 0) == .ready)
        // Another identity under the name is another worker.
        cluster.join("w1", processID: 10, id: other, replaces: true)
        #expect(conditions(cluster) == [.alive] && cluster.state(job / 0) == .executing)
        cluster.request { .undrain(["w1"], request: $0) }
        #expect(cluster.record.drains.isEmpty, "the drains of all workers of the name have ended")
    }

    @Test("A drained worker that has left is listed as that, and can be undrained or forgotten")
    func left() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.request { .drain(["w1"], request: $0) }
        cluster.apply(.workerLeft(session))
        #expect(conditions(cluster) == [.left] && cluster.scheduler.allWorkers[0].isDraining)
        cluster.restart()
        #expect(conditions(cluster) == [.left])
        let again = cluster.join("w1", processID: 8)
        #expect(conditions(cluster) == [.draining])
        cluster.apply(.workerLeft(again))
        #expect(cluster.changes(of: { .forget(["w1"], request: $0) })?.changed == 1)
        #expect(cluster.scheduler.allWorkers.isEmpty && cluster.record.drains.isEmpty)
        cluster.join("w1", processID: 9)
        #expect(conditions(cluster) == [.alive])
    }

    @Test("A lost worker is drained too, and a request with an unknown name changes nothing")
    func lost() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.pass(.seconds(50), silent: session)
        let refused = cluster.answer { .drain(["w1", "w9"], request: $0) }
        #expect(refused == .refused(Refusal(.notFound, "There is no worker w9.")))
        #expect(cluster.record.drains.isEmpty)
        #expect(cluster.changes(of: { .drain(["w1", "w1"], request: $0) })?.changed == 1)
        cluster.join("w1", processID: 8)
        #expect(conditions(cluster) == [.draining])
        cluster.join("w2", id: .unknown)
        guard case .refused(let refusal)? = cluster.answer(to: { .drain(["w2"], request: $0) }) else {
            Issue.record("an unknown identity was drained")
            return
        }
        #expect(refusal.code == .unavailable)
    }

    @Test("A worker that comes back to a restarted coordinator with what it was sent ahead returns it if it is drained")
    func returnsWithWaiting() throws {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let session = cluster.join("w1")
        cluster.submit(.array(2))
        cluster.delayMessages(to: session)
        cluster.request { .drain(["w1"], request: $0) }
        let (running, waiting) = (cluster.sent[0], cluster.sent[1])
        cluster.restart()
        cluster.join("w1", holding: [running], waiting: [waiting])
        #expect(cluster.order.isEmpty, "the recall came with the welcome")
        cluster.pass(.seconds(5))
        #expect(cluster.state(waiting.operation) == .ready && cluster.state(running.operation) == .executing)
        #expect(cluster.scheduler.drainProgress(ofWorker: "w1") == .busy(1))
        cluster.report(running, session: cluster.workers.keys.first)
        #expect(cluster.scheduler.drainProgress(ofWorker: "w1") == .idle)
    }

    @Test("Nothing runs on a drained worker once its attempts and hooks have ended, and an undrained one says so")
    func progress() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let hooked = Template(work: Work(.commands([["true"]])), onFinish: ["tell"])
        let job = cluster.submit(.op(), .op(), templates: [hooked])
        func progress() -> Scheduler.DrainProgress { cluster.scheduler.drainProgress(ofWorker: "w1") }
        #expect(progress() == .notDrained)
        cluster.request { .drain(["w1"], request: $0) }
        #expect(progress() == .busy(2))
        cluster.finish(job / 0)
        // No other worker could run the hook.
        #expect(progress() == .busy(2) && cluster.hooks.count == 1)
        cluster.isDiskSlow = true
        cluster.finish(job / 1)
        cluster.report(cluster.hooks[0])
        #expect(progress() == .busy(1), "the second hook waits for the disk")
        cluster.commit()
        cluster.report(cluster.hooks[1])
        #expect(progress() == .idle)
        #expect(cluster.scheduler.drainProgress(ofWorker: "w9") == .idle)
        cluster.request { .undrain(["w1"], request: $0) }
        #expect(progress() == .notDrained)
    }

    @Test("Completion hooks run on a drained worker only while no worker takes anything new")
    func hooks() {
        var cluster = Cluster()
        let first = cluster.join("w1")
        let hooked = Template(work: Work(.commands([["true"]])), onFinish: ["tell"])
        let job = cluster.submit(.op(), templates: [hooked])
        let second = cluster.join("w2", id: other)
        cluster.request { .drain(["w1"], request: $0) }
        cluster.finish(job / 0)
        #expect(cluster.hooks.map(\.session) == [second])
        // The only worker that takes something leaves, and gives the hook back.
        cluster.apply(.workerLeaving(second))
        cluster.apply(.workerLeft(second))
        #expect(cluster.hooks.map(\.session) == [second, first])
        cluster.report(cluster.hooks[1])
        #expect(cluster.record.hooks.isEmpty)
    }

    @Test("A drained worker that is failing shows its fault, and is drained afterwards")
    func failing() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.apply(.workerHealth(session, fault: "No directory."))
        cluster.request { .drain(["w1"], request: $0) }
        let view = cluster.scheduler.allWorkers[0]
        #expect(view.fault != nil && view.isDraining)
        cluster.apply(.workerHealth(session, fault: nil))
        let job = cluster.submit(.op())
        cluster.pass(.seconds(60))
        #expect(cluster.state(job / 0) == .ready && conditions(cluster) == [.draining])
    }

    @Test("Without a drain, workers cost the hot path no more: a drained one stands in no ranking")
    func rankings() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        cluster.submit(.array(3))
        cluster.request { .drain(["w1"], request: $0) }
        #expect(!cluster.scheduler.workers.isAnyWorkerOpen && cluster.scheduler.workers.loadedWorker == nil)
    }
}
