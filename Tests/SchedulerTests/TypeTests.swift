@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("BL4 Types of Swift operations", .timeLimit(.minutes(60)))
struct TypeTests {
    private static let templates = [Template.noOperation, .typed("resize"), .typed("sepia")]

    @Test("An operation of a type that no worker runs waits, and keeps no other operation back")
    func nobody() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(at: .high, template: 1), .op(), .op(at: .low), templates: Self.templates)
        #expect(cluster.state(job / 0) == .ready)
        cluster.finish(job / 1)
        cluster.finish(job / 2)
        #expect(cluster.order == ["1/1", "1/2"])
        cluster.join("w2", types: ["sepia"])
        #expect(cluster.state(job / 0) == .ready)
        cluster.join("w3", types: ["resize", "sepia"])
        #expect(cluster.running[job / 0].map { cluster.scheduler.worker(of: $0.session) } == "w3")
    }

    @Test("Operations of several types start by priority and age on a worker that runs all of the types")
    func order() {
        var cluster = Cluster()
        cluster.submit(
            .op(at: .low, template: 1),
            .op(template: 2),
            .op(),
            .op(template: 1),
            .op(at: .high, template: 2),
            .op(at: .high),
            templates: Self.templates
        )
        cluster.join("w1", types: ["resize", "sepia"])
        cluster.finishAll()
        #expect(cluster.order == ["1/4", "1/5", "1/1", "1/2", "1/3", "1/0"])
    }

    @Test("A worker that runs types is sent nothing ahead, and its next free slot goes to a typed operation")
    func notAhead() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.join("w1", types: ["resize"])
        let plain = cluster.submit(.array(10))
        #expect(cluster.sent.count == 1)
        let typed = cluster.submit(.op(at: .high, template: 1), templates: Self.templates)
        cluster.finish(plain / 0)
        #expect(cluster.state(typed / 0) == .executing)
        cluster.join("w2")
        // Five new operations at w2: one for its slot, and four ahead. None at the worker with types.
        #expect(cluster.sent.count == 2 + 5)
    }

    @Test("The limit of a queue counts an operation of a type like others, and a barrier waits for it")
    func limitAndBarrier() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        let job = cluster.submit(.op(template: 1), .op(), .barrier(), .op(), templates: Self.templates)
        cluster.join("w1", slots: 4)
        cluster.finish(job / 1)
        // The barrier is behind an operation that no worker runs.
        #expect(cluster.started.count == 1 && cluster.state(job / 2) == .ready)
        cluster.join("w2", types: ["resize"])
        cluster.finishAll()
        #expect(cluster.order == ["1/1", "1/0", "1/2", "1/3"])
    }

    @Test("DE20 A Swift operation with dependencies has inputs even if none left a result, other operations do not")
    func absences() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4, types: ["resize"])
        var held = Entry.op(template: 1, on: .after(0))
        held.isHeld = true
        let job = cluster.submit(
            .op(),
            .op(template: 1, on: .after(0)),
            .op(on: .after(0)),
            .op(template: 1),
            held,
            templates: Self.templates
        )
        cluster.finish(job / 0)
        #expect((1...3).map { cluster.running[job / $0]?.hasInputs } == [true, false, false])
        cluster.undepend(job / 4, .operation(job / 0))
        cluster.release(.operation(job / 4))
        #expect(cluster.running[job / 4]?.hasInputs == false)
    }

    @Test("A worker gets operations of the types of its latest hello only")
    func changedTypes() {
        var cluster = Cluster()
        let worker = cluster.join("w1", types: ["resize"])
        cluster.apply(.workerLeft(worker))
        let job = cluster.submit(.op(template: 1), .op(template: 2), templates: Self.templates)
        #expect(cluster.sent.isEmpty)
        cluster.join("w1", processID: 8, types: ["sepia"])
        #expect(cluster.state(job / 0) == .ready && cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        cluster.join("w1", processID: 9, types: ["resize"])
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test("A waiting operation of a type can be cancelled, held, released and given another priority")
    func changes() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(
            .op(template: 1),
            .op(template: 1),
            .op(template: 1),
            .op(at: .low),
            templates: Self.templates
        )
        cluster.hold(.operation(job / 0))
        cluster.setPriority(.operation(job / 1), to: .low)
        cluster.cancel(.operation(job / 2))
        #expect(cluster.outcome(job / 2) == .cancelled)
        cluster.release(.operation(job / 0))
        cluster.join("w2", types: ["resize"])
        cluster.finishAll()
        #expect(cluster.order == ["1/3", "1/0", "1/1"])
    }

    @Test("The explanation of an operation of a type names the missing, busy or silent workers of the type")
    func explained() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(template: 1), .op(at: .low, template: 2), .op(at: .low), templates: Self.templates)
        func reasons(_ index: Int) -> [Impediment]? { cluster.scheduler.impediments(of: job / index) }
        #expect(reasons(0) == [.noWorker(type: "resize", silent: [])])
        cluster.join("w2", types: ["sepia"])
        #expect(reasons(0) == [.noWorker(type: "resize", silent: [])])
        let worker = cluster.join("w3", types: ["resize"])
        let second = cluster.submit(.op(template: 1), .op(), templates: Self.templates)
        #expect(
            cluster.scheduler.impediments(of: second / 0) == [.slots(total: 1, type: "resize")],
            "\(cluster.order)"
        )
        cluster.pass(cluster.scheduler.configuration.suspectAfter, silent: worker)
        #expect(cluster.scheduler.impediments(of: second / 0) == [.noWorker(type: "resize", silent: ["w3"])])
    }

    @Test(
        "The cost of an operation beside 100,000 operations without a worker is less than eight times that beside 100"
    )
    func scale() {
        let now = Timestamp(rawValue: 0)
        func time(_ count: Int) -> Duration {
            var scheduler = Scheduler()
            let templates = [Template.noOperation] + (0..<count).map { .typed("type\($0 % (count / 2))") }
            let typed = (1...count).map { Entry.op(at: .high, template: $0) }
            let plain = (0..<2000).map { _ in Entry.op() }
            _ = scheduler.submit(Submission(templates: templates, entries: typed + plain), at: now)
            var effects = scheduler.join("w1", SessionID(rawValue: 1), slots: 1, types: ["other"], at: now)
            let start = ScaleTests.processorTime()
            while case .dispatch(let sent)? = effects.first(where: \.isDispatch) {
                let end = Event.attemptEnded(
                    sent.session,
                    sent.token,
                    sent.operation,
                    AttemptResult(end: .exited(0)),
                    seed: 1
                )
                effects = scheduler.apply(end, at: now)
            }
            #expect(scheduler.counts.succeeded == 2000)
            return ScaleTests.processorTime() - start
        }
        let (few, many) = (time(100), time(100_000))
        #expect(many < few * 8, "\(few) beside 100, \(many) beside 100,000")
    }
}

extension Effect {
    fileprivate var isDispatch: Bool {
        if case .dispatch = self { true } else { false }
    }
}
