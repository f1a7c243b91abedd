@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Reservations in the order of their queue", .timeLimit(.minutes(60)))
struct ReservationOrderTests {
    /// A cluster with two workers: an operation of another queue uses the only GPU, at worker "a", and worker "b" is idle.
    private static func cluster(limit: Int) -> (cluster: Cluster, holder: OperationID) {
        var cluster = Cluster()
        cluster.join("a", slots: 4, offer: WorkerOffer(resources: ["gpu": 1]))
        cluster.setQueue("q", limit: .atMost(limit))
        let job = cluster.submit(.op(), queues: ["elsewhere"], templates: [.asking(resources: ["gpu": 1])])
        cluster.join("b", slots: 4, id: WorkerID(rawValue: 2))
        return (cluster, job / 0)
    }

    /// Submits an operation to the queue "q" that waits for the GPU.
    private static func submitLarge(to cluster: inout Cluster) -> OperationID {
        let job = cluster.submit(.op("large"), queues: ["q"], templates: [.asking(resources: ["gpu": 1])])
        #expect(cluster.scheduler.reservations.all.count == 1)
        return job / 0
    }

    @Test(
        "PR2 PR9 CO1 A higher priority takes the place within the limit that a reservation has",
        arguments: [1, 2, 3]
    )
    func yields(limit: Int) {
        var (cluster, holder) = Self.cluster(limit: limit)
        let large = Self.submitLarge(to: &cluster)
        // Behind the reserved operation are as many places as the reservation leaves.
        let later = cluster.submit(.array(5), queues: ["q"])
        #expect((0..<5).count { cluster.state(later / $0) == .executing } == limit - 1)
        for index in 0..<limit - 1 { cluster.finish(later / index) }
        let first = cluster.submit(.array(5, at: .veryHigh), queues: ["q"])
        // The operations behind the reservation that had started keep their places.
        let started = (0..<5).count { cluster.state(first / $0) == .executing }
        #expect(started == 1, "the others are taken by what was there before")
        cluster.finish(holder)
        cluster.finishAll()
        let order = cluster.order
        let last = order.lastIndex(of: "\(first)/4")
        #expect(last.map { place in order.firstIndex(of: "\(large)").map { place < $0 } == true } == true, "\(order)")
        #expect(
            (0..<5).allSatisfy { cluster.outcome(later / $0) == .succeeded } && cluster.outcome(large) == .succeeded
        )
    }

    @Test("CO9 Two operations before a reserved one start together within a limit of two")
    func bothStart() {
        var (cluster, holder) = Self.cluster(limit: 2)
        let large = Self.submitLarge(to: &cluster)
        let pair = cluster.submit(.op(at: .high), .op(at: .high), queues: ["q"])
        #expect((0..<2).allSatisfy { cluster.state(pair / $0) == .executing })
        #expect(cluster.state(large) == .ready)
        cluster.finish(holder)
        // The limit holds for the reserved operation, too.
        #expect(cluster.state(large) == .ready)
        cluster.finish(pair / 0)
        #expect(cluster.state(large) == .executing)
        cluster.finishAll()
    }

    @Test("PR2 A higher priority gets the slot that becomes free together with the room for a reserved operation")
    func sameMoment() {
        var cluster = Cluster()
        cluster.join("w", slots: 2, offer: WorkerOffer(cpus: 2000))
        let running = cluster.submit(
            .op(template: 1),
            .op(),
            queues: ["elsewhere"],
            templates: [.noOperation, .asking(cpus: 1000)]
        )
        let large = cluster.submit(.op(), queues: ["q"], templates: [.asking(cpus: 2000)])
        let first = cluster.submit(.op(at: .veryHigh), queues: ["q"])
        cluster.finish(running / 0)
        #expect(cluster.state(first / 0) == .executing && cluster.state(large / 0) == .ready)
        cluster.finish(running / 1)
        #expect(cluster.state(large / 0) == .executing)
        cluster.finishAll()
    }

    @Test("An operation behind a reservation that has the last place says for which operation the place is kept")
    func explained() {
        var (cluster, _) = Self.cluster(limit: 1)
        let large = Self.submitLarge(to: &cluster)
        let later = cluster.submit(.op(), queues: ["q"])
        #expect(
            cluster.scheduler.impediments(of: later / 0)?.first
                == .keptPlace(queue: "q", limit: 1, executing: 0, operation: large, worker: "a")
        )
        cluster.cancel(.operation(large))
        #expect(cluster.state(later / 0) == .executing)
    }

    @Test("PR2 A higher priority that asks for resources takes what is held back for a reserved operation of its queue")
    func takesWhatIsHeldBack() {
        var cluster = Cluster()
        cluster.join("w", slots: 4, offer: WorkerOffer(cpus: 4000))
        cluster.submit(.op(), queues: ["elsewhere"], templates: [.asking(cpus: 3000)])
        let large = cluster.submit(.op(), queues: ["q"], templates: [.asking(cpus: 4000)])
        let other = cluster.submit(.op(at: .veryHigh), queues: ["r"], templates: [.asking(cpus: 1000)])
        #expect(cluster.state(other / 0) == .ready, "what is held back is held back from other queues")
        let first = cluster.submit(.op(at: .veryHigh), queues: ["q"], templates: [.asking(cpus: 1000)])
        #expect(cluster.state(first / 0) == .executing && cluster.state(large / 0) == .ready)
        cluster.finishAll()
        #expect(cluster.outcome(large / 0) == .succeeded && cluster.outcome(other / 0) == .succeeded)
    }
}
