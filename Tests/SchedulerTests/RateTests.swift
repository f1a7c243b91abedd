@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Rates of queues", .timeLimit(.minutes(60)))
struct RateTests {
    @Test("CO10 A queue starts operations at its rate, and other queues go on")
    func paced() {
        var cluster = Cluster()
        cluster.join("w1", slots: 100)
        cluster.setRate(of: "q", to: "10/s")
        let job = cluster.submit(.array(25), .op(queue: 1), .op(queue: 1), queues: ["q", "other"])
        #expect(cluster.state(job / 25) == .executing && cluster.state(job / 26) == .executing)
        #expect(cluster.starts(of: job) == 1)
        cluster.pass(.milliseconds(99))
        #expect(cluster.starts(of: job) == 1)
        cluster.pass(.milliseconds(1))
        #expect(cluster.starts(of: job) == 2)
        cluster.pass(.milliseconds(900))
        #expect(cluster.starts(of: job) == 11)
        #expect(cluster.order.prefix(3).contains("\(job / 0)"))
        // What was not used is not saved up.
        cluster.pass(.seconds(5))
        #expect(cluster.starts(of: job) == 25)
        let next = cluster.submit(.array(5), queues: ["q"])
        #expect(cluster.starts(of: next) == 1)
    }

    @Test("CO10 The starts of a tenth of a second may come together, and not more")
    func burst() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1000)
        cluster.setRate(of: "q", to: "1000/s")
        let job = cluster.submit(.array(1000), queues: ["q"])
        #expect(cluster.starts(of: job) == 100)
        cluster.pass(.milliseconds(10))
        #expect(cluster.starts(of: job) == 110)
    }

    @Test("CO10 Nothing of a queue with a rate is sent ahead of a free slot, and what was is taken back")
    func ahead() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(5)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(10), queues: ["q"])
        #expect(cluster.sent.count == 6)
        cluster.setRate(of: "q", to: "1/s")
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        cluster.pass(.seconds(3))
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        #expect(cluster.state(job / 2) == .ready)
        cluster.pass(.seconds(1))
        #expect(cluster.state(job / 2) == .executing)
    }

    @Test("CO10 An operation that its queue's rate keeps waiting says so")
    func explained() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.setRate(of: "q", to: "30/m")
        let job = cluster.submit(.array(3), queues: ["q"])
        let rate = try #require(StartRate("30/m"))
        let expected = Impediment.rate(queue: "q", rate, until: cluster.now + .seconds(2))
        #expect(cluster.scheduler.impediments(of: job / 1)?.first == expected)
        #expect(cluster.scheduler.waitingFaults(of: job).isEmpty)
        #expect(cluster.scheduler.standstill(of: [.operation(job / 1)], limit: 9).isEmpty)
        #expect(cluster.scheduler.queue("q")?.settings.startRate == rate)
    }

    @Test("CO10 A new rate counts at once, none lets all start, and a deleted queue leaves nothing behind")
    func changed() {
        var cluster = Cluster()
        cluster.join("w1", slots: 100)
        cluster.setRate(of: "q", to: "1/h")
        let job = cluster.submit(.array(20), queues: ["q"])
        cluster.pass(.seconds(60))
        #expect(cluster.starts(of: job) == 1)
        cluster.setRate(of: "q", to: "2/s")
        #expect(cluster.starts(of: job) == 2)
        cluster.pass(.seconds(1))
        #expect(cluster.starts(of: job) == 4)
        cluster.setRate(of: "q", to: "none")
        #expect(cluster.starts(of: job) == 20)
        cluster.setRate(of: "q", to: "1/h")
        cluster.finishAll()
        let last = cluster.submit(.op(), queues: ["q"])
        cluster.finish(last / 0)
        #expect(cluster.changes { .deleteQueue("q", request: $0) }?.changed == 1)
        let other = cluster.submit(.array(3), queues: ["p"])
        cluster.pass(.seconds(7200))
        #expect(cluster.starts(of: other) == 3)
    }

    @Test("CO10 A restart keeps the rate, and begins with a full bucket")
    func restart() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        cluster.setRate(of: "q", to: "1/s")
        let job = cluster.submit(.array(5), queues: ["q"])
        #expect(cluster.starts(of: job) == 1)
        cluster.restart()
        cluster.join("w2", slots: 9)
        cluster.pass(.seconds(60))
        // The first one waits for its worker until that is lost.
        #expect(cluster.starts(of: job) >= 4)
        #expect(cluster.scheduler.queue("q")?.settings.startRate?.description == "1/s")
        #expect(Set(cluster.started.map(\.operation)).count == cluster.started.count)
    }
}

extension Cluster {
    fileprivate mutating func setRate(of queue: String, to text: String) {
        let change = QueueChange(name: queue, startRate: QueueChange.Rate(text))
        #expect(changes { .setQueue(change, request: $0) } != nil)
    }

    /// The number of started operations in the first queue of a job's submission, which is one array.
    fileprivate func starts(of job: JobNumber) -> Int {
        started.count { $0.operation.job == job && $0.operation.index < 1000 && $0.arrayNumber != nil }
    }
}
