@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("What waits for workers that somebody could start", .timeLimit(.minutes(60)))
struct DemandTests {
    private static func work(timeout: Duration? = nil) -> Template {
        Template(work: Work(.commands([["true"]]), timeout: timeout))
    }

    @Test("What is ready and finds no slot counts, in slots and in workers", arguments: [1, 3, 4, 7])
    func slots(ofWorker slots: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let offered = OfferedWorker(slots: slots)
        #expect(cluster.scheduler.demand(for: offered) == Demand())
        cluster.submit(.array(20), .op(), .op(on: .after(1)))
        #expect(cluster.scheduler.demand(for: offered) == Demand(operations: 21, workers: (21 + slots - 1) / slots))
        cluster.join("w1", slots: 5)
        // What is sent ahead has no slot either, and the dependent is not ready.
        #expect(cluster.scheduler.demand(for: offered) == Demand(operations: 16, workers: (16 + slots - 1) / slots))
        cluster.join("w2", slots: 100, id: WorkerID(rawValue: 2))
        #expect(cluster.scheduler.demand(for: offered) == Demand())
        cluster.finishAll()
        #expect(cluster.scheduler.demand(for: offered) == Demand())
    }

    @Test("What the worker could never run does not count")
    func lacks() {
        var cluster = Cluster()
        cluster.submit(
            .op(template: 0),
            .op(template: 1),
            .op(template: 2),
            .op(template: 3),
            .op(template: 4),
            templates: [
                .asking(cpus: 4_000), .asking(memory: 1 << 30), .asking(labels: ["zone=a"]),
                .asking(resources: ["gpu": 2]), .typed("Render"),
            ]
        )
        func demand(_ worker: OfferedWorker) -> Demand { cluster.scheduler.demand(for: worker) }
        #expect(demand(OfferedWorker(slots: 4)) == Demand(operations: 2, workers: 1), "unknown is enough")
        #expect(demand(OfferedWorker(slots: 4, cpus: 3_999, memory: 1 << 20)) == Demand())
        #expect(demand(OfferedWorker(slots: 4, cpus: 4_000, memory: 1 << 20)) == Demand(operations: 1, workers: 1))
        #expect(demand(OfferedWorker(cpus: 0, memory: 0, labels: ["zone": "a"])) == Demand(operations: 1, workers: 1))
        #expect(demand(OfferedWorker(cpus: 0, memory: 0, labels: ["zone": "b"])) == Demand())
        #expect(demand(OfferedWorker(cpus: 0, memory: 0, resources: ["gpu": 1])) == Demand())
        #expect(demand(OfferedWorker(cpus: 0, memory: 0, resources: ["gpu": 2])) == Demand(operations: 1, workers: 1))
    }

    @Test("A worker holds as many operations as its processors allow", arguments: [1, 2, 5, 9])
    func packing(_ number: Int) {
        var cluster = Cluster()
        cluster.submit(.array(number), templates: [.asking(cpus: 3_000)])
        let worker = OfferedWorker(slots: 16, cpus: 8_000)
        #expect(cluster.scheduler.demand(for: worker) == Demand(operations: number, workers: (number + 1) / 2))
    }

    @Test("Suspended queues, limits of queues and of the cluster, and holds keep operations from counting")
    func limits() {
        var cluster = Cluster()
        cluster.setQueue("narrow", limit: .atMost(2))
        cluster.setLimit("licence", to: 3)
        cluster.suspend("off")
        let job = cluster.submit(
            .op(queue: 0),
            .op(queue: 0),
            .op(queue: 0),
            .op(queue: 1),
            .op(queue: 2),
            .op(queue: 2, template: 1),
            .op(queue: 2, template: 1),
            queues: ["narrow", "off", "wide"],
            templates: [.noOperation, .taking(["licence": 2])]
        )
        #expect(cluster.scheduler.demand(for: OfferedWorker()) == Demand(operations: 4, workers: 4))
        cluster.hold(.operation(job / 4))
        #expect(cluster.scheduler.demand(for: OfferedWorker()) == Demand(operations: 3, workers: 3))
    }

    @Test("An operation that may outlive the worker does not count, before and after a worker with a limit has joined")
    func times() {
        var cluster = Cluster()
        cluster.submit(.op(), .op(template: 1), templates: [Self.work(timeout: .seconds(3_600)), Self.work()])
        let (short, long) = (OfferedWorker(time: .seconds(600)), OfferedWorker(time: .seconds(7_200)))
        #expect(cluster.scheduler.demand(for: short) == Demand(operations: 1, workers: 1))
        #expect(cluster.scheduler.demand(for: long) == Demand(operations: 2, workers: 2))
        cluster.join("w1", timeLeft: .seconds(600))
        #expect(cluster.scheduler.graph.distinguishesTimes)
        #expect(cluster.scheduler.demand(for: short) == Demand())
        #expect(cluster.scheduler.demand(for: long) == Demand(operations: 1, workers: 1))
    }
}
