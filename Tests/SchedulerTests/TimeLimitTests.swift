@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Workers with a time limit", .timeLimit(.minutes(60)))
struct TimeLimitTests {
    private static func template(expected: Duration? = nil, timeout: Duration? = nil, type: String? = nil) -> Template {
        let kind: Work.Kind = type.map { .typed(type: $0, argument: []) } ?? .commands([["true"]])
        return Template(work: Work(kind, timeout: timeout), expected: expected)
    }

    @Test(
        "A worker gets no operation that declares a longer time than it has left, by expectation or by timeout",
        arguments: [
            template(expected: .seconds(120)), template(timeout: .seconds(120)),
            template(expected: .seconds(1), timeout: .seconds(120)),
        ]
    )
    func declared(long: Template) {
        var cluster = Cluster()
        cluster.join("short", slots: 4, timeLeft: .seconds(100))
        let job = cluster.submit(
            .op(at: .high),
            .op(template: 1),
            .op(template: 2),
            templates: [long, .noOperation, Self.template(expected: .seconds(50))]
        )
        #expect(cluster.order == ["\(job)/1", "\(job)/2"], "the others are not held up")
        #expect(
            cluster.scheduler.impediments(of: job / 0)?.first
                == .timeLimit(needed: .seconds(120), left: .seconds(100), worker: "short", others: 0)
        )
        cluster.pass(.seconds(60))
        let late = cluster.submit(.op(), templates: [Self.template(expected: .seconds(50))])
        #expect(cluster.state(late / 0) == .ready, "only 40 seconds are left")
        cluster.join("long", slots: 4, id: WorkerID(rawValue: 2))
        #expect(cluster.state(job / 0) == .executing && cluster.state(late / 0) == .executing)
        cluster.finishAll()
    }

    @Test("Without a worker with a limit, declared times play no part, and operations are sent ahead")
    func unlimited() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.join("w1")
        cluster.submit(.array(10), templates: [Self.template(timeout: .seconds(60))])
        #expect(cluster.sent.count == 5 && !cluster.scheduler.graph.distinguishesTimes)
        cluster.finishAll()
    }

    @Test("Ready operations that declare a time keep their order when the first worker with a limit joins")
    func joinsLater() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let job = cluster.submit(
            .op(template: 1),
            .op(at: .high),
            .op(),
            .op(at: .low, template: 1),
            templates: [.noOperation, Self.template(expected: .seconds(10))]
        )
        cluster.join("w1", timeLeft: .seconds(100))
        cluster.finishAll()
        #expect(cluster.order == [1, 0, 2, 3].map { "\(job)/\($0)" })
    }

    @Test(
        "Operations that declare a time are sent ahead to a worker with enough time, and are not recalled for another"
    )
    func ahead() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        let long = cluster.join("long")
        let job = cluster.submit(.array(5), templates: [Self.template(expected: .seconds(60))])
        #expect(cluster.sent.count == 5)
        cluster.join("short", slots: 2, id: WorkerID(rawValue: 2), timeLeft: .seconds(30))
        #expect(cluster.effects.recalled.isEmpty && cluster.state(job / 4) == .ready)
        let more = cluster.submit(.array(3), templates: [Self.template(expected: .seconds(60))])
        cluster.finishAll()
        #expect(
            cluster.sent.filter { $0.operation.job == job || $0.operation.job == more }.allSatisfy {
                $0.session == long
            }
        )
    }

    @Test("A Swift operation waits for a worker that runs its type and has enough time")
    func typed() {
        var cluster = Cluster()
        cluster.join("w1", types: ["resize"], timeLeft: .seconds(10))
        let job = cluster.submit(.op(), templates: [Self.template(expected: .seconds(20), type: "resize")])
        #expect(cluster.state(job / 0) == .ready)
        cluster.join("w2", slots: 3, id: WorkerID(rawValue: 2))
        #expect(cluster.state(job / 0) == .ready)
        let third = cluster.join("w3", types: ["resize"], id: WorkerID(rawValue: 3), timeLeft: .seconds(30))
        #expect(cluster.running[job / 0]?.session == third)
        cluster.finishAll()
    }

    @Test("Declared times are rounded up by at most a sixty-fourth")
    func rounding() {
        var random = SplitMix(seed: 5)
        for _ in 0..<10_000 {
            let exact = Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 1...63, using: &random))
            let rounded = Requirement.time(for: .microseconds(exact))
            #expect(rounded >= exact && rounded - exact <= exact / 64)
        }
        #expect(Requirement.time(for: .zero) == 0 && Requirement.time(for: .microseconds(100)) == 100)
    }
}
