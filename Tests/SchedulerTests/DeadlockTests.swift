@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Waits that can never end", .timeLimit(.minutes(60)))
struct DeadlockTests {
    /// A cluster with one worker.
    private static func cluster(slots: Int) -> Cluster {
        var cluster = Cluster()
        cluster.join("w1", slots: slots)
        return cluster
    }

    private static func path(
        _ cluster: Cluster,
        _ waiter: OperationID,
        _ targets: OperationSelection...,
        among waiters: [OperationID: [OperationSelection]] = [:]
    ) -> [String]? {
        let refusal = cluster.scheduler.deadlock(of: waiter, for: targets, among: waiters)
        if let refusal {
            #expect(refusal.code == .deadlock)
            #expect(refusal.message.contains("would wait for ever"))
        }
        return refusal?.path
    }

    @Test("WA3 A wait of an operation for itself, its own job or its own queue is refused with its path")
    func itself() {
        var cluster = Self.cluster(slots: 4)
        let job = cluster.submit(.op("a"), .op("b", queue: 1), queues: ["q", "r"])
        #expect(Self.path(cluster, job / 0, .operation(job / 0)) == ["1/a", "1/a"])
        #expect(Self.path(cluster, job / 0, .job(job)) == ["1/a", "1/a"])
        #expect(Self.path(cluster, job / 0, .queue("q")) == ["1/a", "1/a"])
        #expect(Self.path(cluster, job / 0, .operations(job, 0..<2)) == ["1/a", "1/a"])
        #expect(Self.path(cluster, job / 0, .queue("r")) == nil)
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == nil)
    }

    @Test("WA3 A wait for an operation that depends on the waiting one, directly or not, is refused with its path")
    func dependency() {
        var cluster = Self.cluster(slots: 4)
        let job = cluster.submit(.op("a"), .op("b", on: .after(0)), .array(2, name: "c", on: .after(1)), .op("free"))
        let other = cluster.submit(.op("x", on: .on(.job(job))), .op("y", on: .after(job / 3)))
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == ["1/a", "1/b", "1/a"])
        #expect(Self.path(cluster, job / 0, .operation(job / 3)) == ["1/a", "1/3", "1/b", "1/a"])
        #expect(Self.path(cluster, job / 0, .operation(other / 1)) == ["1/a", "2/y", "1/3", "1/b", "1/a"])
        #expect(Self.path(cluster, job / 0, .operation(other / 0))?.first == "1/a")
        #expect(Self.path(cluster, job / 0, .operation(job / 4)) == nil)
        #expect(Self.path(cluster, job / 4, .operation(job / 3)) == nil)
    }

    @Test("WA3 A wait is refused if its target needs a slot and all slots belong to waiting operations")
    func slots() {
        var cluster = Self.cluster(slots: 1)
        let job = cluster.submit(.op("a"), .op("b"), .op("c"))
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == ["1/a", "1/b", "1/a"])
        cluster.setQueue("default", limit: .atMost(1))
        let session = cluster.join("w2")
        // The worker has a slot, but the queue's limit keeps the slot unused.
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == ["1/a", "1/b", "1/a"])
        cluster.setQueue("default", limit: .unlimited)
        #expect(cluster.state(job / 1) == .executing)
        // All slots are taken, but b does not wait, and will give up its slot.
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == nil)
        #expect(
            Self.path(cluster, job / 0, .operation(job / 2), among: [job / 1: [.operation(job / 2)]])
                == ["1/a", "1/c", "1/a"]
        )
        // A draining worker takes nothing new.
        cluster.finish(job / 1)
        #expect(cluster.state(job / 2) == .executing)
        let late = cluster.submit(.op("late"))
        cluster.apply(.workerLeaving(session))
        #expect(Self.path(cluster, job / 0, .operation(late / 0)) == ["1/a", "2/late", "1/a"])
        cluster.join("w3")
        #expect(Self.path(cluster, job / 0, .operation(late / 0)) == nil)
    }

    @Test("WA3 A wait is refused if waiting operations take all places within the limit of its target's queue")
    func limit() {
        var cluster = Self.cluster(slots: 9)
        cluster.setQueue("q", limit: .atMost(2))
        let job = cluster.submit(
            .op("a"),
            .op("b"),
            .op("c"),
            .op("elsewhere", queue: 1),
            .op("d", queue: 1, on: .after(2)),
            queues: ["q", "r"]
        )
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == nil)
        let waiters = [job / 1: [OperationSelection.operation(job / 2)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 2), among: waiters) == ["1/a", "1/c", "1/a"])
        #expect(Self.path(cluster, job / 0, .operation(job / 4), among: waiters) == ["1/a", "1/d", "1/c", "1/a"])
        // A waiting operation in another queue takes no place of this queue.
        #expect(Self.path(cluster, job / 3, .operation(job / 2)) == nil)
        // A limit of 0 can be raised.
        cluster.setQueue("q", limit: .atMost(0))
        #expect(Self.path(cluster, job / 0, .operation(job / 2), among: waiters) == nil)
    }

    @Test("WA3 A wait is refused if its target is another element of the array, whose limit the waiting elements take")
    func arrayLimit() {
        var cluster = Self.cluster(slots: 9)
        var template = Template.noOperation
        template.maxConcurrent = 2
        let elements = ArrayValues.numbers(first: 0, step: 1, count: 4)
        let job = cluster.submit(Entry(name: "x", array: elements), templates: [template])
        #expect((0..<4).map { cluster.state(job / $0) } == [.executing, .executing, .ready, .ready])
        // Another element executes, and will leave its place.
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == nil)
        let waiters = [job / 1: [OperationSelection.operation(job / 3)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 2), among: waiters)?.count == 3)
        // Outside the array, nothing takes its places.
        let other = cluster.submit(.op("other"))
        #expect(Self.path(cluster, other / 0, .operation(job / 2), among: waiters) == nil)
    }

    @Test(
        "WA3 A wait is refused if waiting operations have taken what its target asks for at each worker that has it",
        arguments: [
            (WorkerOffer(resources: ["gpu": 2]), Template.asking(resources: ["gpu": 1])),
            (WorkerOffer(cpus: 2000), Template.asking(cpus: 1000)),
            (WorkerOffer(memory: 2 << 30), Template.asking(memory: 1 << 30)),
        ]
    )
    func resources(offer: WorkerOffer, half: Template) {
        var cluster = Cluster()
        cluster.join("w1", slots: 8, offer: offer)
        cluster.join("w2", slots: 8, id: WorkerID(rawValue: 2))
        let job = cluster.submit(.op("a"), .op("b"), .op("c"), templates: [half])
        #expect(cluster.state(job / 1) == .executing && cluster.state(job / 2) == .ready)
        // b does not wait, and will give back what it has.
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == nil)
        let waiters = [job / 1: [OperationSelection.operation(job / 2)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 2), among: waiters) == ["1/a", "1/c", "1/a"])
        // An operation without a request finds a slot.
        let plain = cluster.submit(.op("plain", delay: .seconds(5)))
        #expect(Self.path(cluster, job / 0, .operation(plain / 0), among: waiters) == nil)
        // What no worker ever has, a worker that joins may have.
        let label = cluster.submit(.op("label"), templates: [.asking(labels: ["zone=b"])])
        #expect(Self.path(cluster, job / 0, .operation(label / 0), among: waiters) == nil)
        cluster.join("w3", slots: 1, id: WorkerID(rawValue: 3), offer: offer)
        #expect(Self.path(cluster, job / 0, .operation(job / 2), among: waiters) == nil)
    }

    @Test("WA3 A reservation that would count on the end of an operation that waits yields to what comes behind it")
    func reservation() {
        var cluster = Cluster()
        cluster.join("w", slots: 8, offer: WorkerOffer(cpus: 4000))
        cluster.setQueue("q", limit: .atMost(2))
        let holder = cluster.submit(.op("holder"), queues: ["q"], templates: [.asking(cpus: 1000)])
        let large = cluster.submit(.op("large"), queues: ["q"], templates: [.asking(cpus: 4000)])
        let later = cluster.submit(.op("later"), queues: ["q"])
        let small = cluster.submit(.op("small"), queues: ["r"], templates: [.asking(cpus: 1000)])
        let free = cluster.submit(.op("free", delay: .seconds(5)), queues: ["r"])
        #expect(cluster.state(later / 0) == .ready && cluster.state(small / 0) == .ready)
        #expect(Self.path(cluster, holder / 0, .operation(large / 0)) == ["1/holder", "2/large", "1/holder"])
        for target in [later, small, free] {
            #expect(Self.path(cluster, holder / 0, .operation(target / 0)) == nil)
        }
        cluster.apply(.operationsWaiting([holder / 0]))
        #expect(cluster.state(later / 0) == .executing && cluster.state(small / 0) == .executing)
        #expect(cluster.state(large / 0) == .ready && cluster.scheduler.reservations.isEmpty)
        cluster.finish(later / 0)
        cluster.finish(small / 0)
        cluster.apply(.operationsWaiting([]))
        let last = cluster.submit(.op("last"), queues: ["r"], templates: [.asking(cpus: 1000)])
        #expect(cluster.state(last / 0) == .ready && !cluster.scheduler.reservations.isEmpty)
        cluster.finishAll()
    }

    @Test("WA3 No reservation counts on the end of an operation that waits already", arguments: [false, true])
    func reservationAfterWait(otherWorker: Bool) {
        var cluster = Cluster()
        cluster.setQueue("q", limit: .atMost(2))
        cluster.join("a", slots: 2, offer: WorkerOffer(cpus: 2000, labels: ["n": "a"]))
        cluster.join("b", slots: 2, id: WorkerID(rawValue: 2), offer: WorkerOffer(cpus: 2000, labels: ["n": "b"]))
        let (onA, onB) = (Template.asking(cpus: 1000, labels: ["n=a"]), Template.asking(cpus: 0, labels: ["n=b"]))
        let target = cluster.submit(.op("target"), queues: ["q"], templates: [otherWorker ? onB : onA])
        cluster.hold(.job(target))
        let waiters = [
            cluster.submit(.op("w"), queues: ["q"], templates: [onB]),
            cluster.submit(.op("x"), queues: ["default"], templates: [onA]),
        ].map { $0 / 0 }
        cluster.apply(.operationsWaiting(waiters))
        let all = Template.asking(cpus: 2000, labels: ["n=a"])
        let large = cluster.submit(.op("large", at: .high), queues: ["q"], templates: [all])
        cluster.release(.job(target))
        #expect(cluster.state(target / 0) == .executing)
        cluster.finish(target / 0)
        cluster.apply(.operationsWaiting([]))
        cluster.finishAll()
        #expect(cluster.outcome(large / 0) == .succeeded)
    }

    @Test("WA3 A wait is refused if its target is, or is behind, a barrier that waits for the waiting operation")
    func barrier() {
        var cluster = Self.cluster(slots: 9)
        let job = cluster.submit(.op("a"), .barrier("wall"), .op("b"), .op("other", queue: 1), queues: ["q", "r"])
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == ["1/a", "1/wall", "1/a"])
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == ["1/a", "1/b", "1/wall", "1/a"])
        #expect(Self.path(cluster, job / 3, .operation(job / 2)) == nil)
        cluster.finish(job / 0)
        // The barrier executes and waits for a later operation.
        #expect(Self.path(cluster, job / 1, .operation(job / 2)) == ["1/wall", "1/b", "1/wall"])
    }

    @Test("WA3 A wait that closes a ring of waiting operations is refused")
    func ring() {
        var cluster = Self.cluster(slots: 9)
        let job = cluster.submit(.op("a"), .op("b"), .op("c"), .op("d"))
        let waiters = [job / 1: [OperationSelection.operation(job / 2)], job / 2: [.operation(job / 0)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 1), among: waiters)?.first == "1/a")
        #expect(
            Self.path(cluster, job / 0, .operation(job / 1), among: [job / 1: [.operation(job / 0)]])
                == ["1/a", "1/b", "1/a"]
        )
        // The other waiter waits for an operation that can end.
        #expect(Self.path(cluster, job / 0, .operation(job / 1), among: [job / 1: [.operation(job / 3)]]) == nil)
        #expect(Self.path(cluster, job / 3, .operation(job / 1), among: waiters) == nil)
        // A repeated wait replaces the waiter's earlier wait.
        #expect(Self.path(cluster, job / 2, .operation(job / 3), among: waiters) == nil)
    }

    @Test("WA3 A wait is accepted if the waits that block it can end, and is refused if they cannot")
    func untangled() {
        var cluster = Self.cluster(slots: 3)
        let job = cluster.submit(.op("a"), .op("b"), .op("c"), .op("d"), .op("e"))
        // c ends by itself; then the slots of b and d become free, one after the other.
        let waiters = [job / 1: [OperationSelection.operation(job / 2)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 3), among: waiters) == nil)
        let stuck = [job / 1: [OperationSelection.operation(job / 3)], job / 2: [.operation(job / 4)]]
        #expect(Self.path(cluster, job / 0, .operation(job / 3), among: stuck) == ["1/a", "1/d", "1/a"])
    }

    @Test("WA3 A waiter that is unknown or does not execute may wait for any operation")
    func notExecuting() {
        var cluster = Self.cluster(slots: 1)
        let job = cluster.submit(.op(), .op())
        #expect(Self.path(cluster, job / 1, .operation(job / 1)) == nil)
        #expect(Self.path(cluster, JobNumber(9) / 0, .job(job)) == nil)
        #expect(Self.path(cluster, job / 0, .operation(JobNumber(9) / 0), .job(JobNumber(7)), .queue("none")) == nil)
        // Waiters that do not execute occupy no slot.
        #expect(
            Self.path(cluster, job / 0, .operation(JobNumber(9) / 0), among: [job / 1: [.operation(job / 0)]]) == nil
        )
    }

    @Test("WA3 A wait for a held, a delayed or a suspended operation is accepted")
    func canEnd() {
        var cluster = Self.cluster(slots: 3)
        var held = Entry.op(queue: 1)
        held.isHeld = true
        let job = cluster.submit(.op("a"), held, .op(delay: .seconds(60)), .op(queue: 1), queues: ["q", "r"])
        cluster.suspend("r")
        for index in 1...3 { #expect(Self.path(cluster, job / 0, .operation(job / index)) == nil) }
    }

    @Test("WA3 A wait for a cancelled operation in a suspended queue is accepted, since the resume finishes it")
    func cancelled() {
        var cluster = Self.cluster(slots: 1)
        cluster.suspend("r")
        let job = cluster.submit(.op("a"), .op(queue: 1, on: .after(0)), .op(queue: 1), queues: ["q", "r"])
        cluster.cancel(.operation(job / 1), .operation(job / 2))
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == nil)
        #expect(Self.path(cluster, job / 0, .operation(job / 2)) == nil)
    }

    @Test(
        "WA3 A wait for an operation prefetched by the waiter's worker is refused until another worker starts it"
    )
    func sentAhead() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        cluster.join("w1")
        let job = cluster.submit(.op("a"), .op("b"))
        #expect(cluster.sent.count == 2)
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == ["1/a", "1/b", "1/a"])
        cluster.join("w2")
        #expect(cluster.state(job / 1) == .executing)
        #expect(Self.path(cluster, job / 0, .operation(job / 1)) == nil)
    }
}
