@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Requests for resources", .timeLimit(.minutes(60)))
struct ResourceTests {
    private func worker(of operation: OperationID, in cluster: Cluster) -> String? {
        cluster.running[operation].flatMap { cluster.scheduler.worker(of: $0.session) }
    }

    @Test("An operation goes to a worker that has what it asks for, and does not hold up others")
    func goesWhereItFits() {
        var cluster = Cluster()
        cluster.join("plain", slots: 4)
        cluster.join("gpu", slots: 4, id: WorkerID(rawValue: 2), offer: WorkerOffer(resources: ["gpu": 2]))
        let job = cluster.submit(
            .op(template: 1),
            .op(template: 2),
            .op(),
            .op(),
            templates: [.noOperation, Template.asking(resources: ["gpu": 2]), Template.asking(resources: ["gpu": 1])]
        )
        #expect(worker(of: job / 0, in: cluster) == "gpu")
        #expect(cluster.state(job / 1) == .ready && cluster.state(job / 3) == .executing)
        #expect(cluster.scheduler.allWorkers.first { $0.name == "gpu" }?.used.resources == ["gpu": 2])
        guard case .resources(let lacks, 0, true, "gpu")? = cluster.scheduler.impediments(of: job / 1)?.first else {
            Issue.record("\(String(describing: cluster.scheduler.impediments(of: job / 1)))")
            return
        }
        #expect(
            lacks.map(\.description) == ["gpu: needs 1, 0 of 2 free"] && lacks.map(\.worker) == ["gpu"]
        )
        cluster.finish(job / 0)
        #expect(worker(of: job / 1, in: cluster) == "gpu")
        cluster.finishAll()
        #expect(cluster.scheduler.ledger.isEmpty && cluster.scheduler.reservations.isEmpty)
        #expect(cluster.scheduler.graph.requests.isEmpty)
    }

    @Test("Processors and memory are added up, and what an operation leaves is free again")
    func addsUp() {
        var cluster = Cluster()
        cluster.join("w1", slots: 8, offer: WorkerOffer(cpus: 2000, memory: 1 << 30))
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 0),
            .op(template: 1),
            .op(template: 1),
            templates: [Template.asking(cpus: 750), Template.asking(cpus: 250, memory: 600 << 20)]
        )
        #expect(cluster.order == [0, 1, 2].map { "\(job)/\($0)" }, "the memory is not enough for two of the last")
        cluster.finish(job / 2)
        #expect(cluster.state(job / 3) == .executing)
        cluster.finishAll()
    }

    @Test("An operation that no worker can ever run says so while the only workers are drained or silent, too")
    func nobodyAlive() {
        var cluster = Cluster()
        let session = cluster.join("a", slots: 4, offer: WorkerOffer(cpus: 1000, labels: ["zone": "a"]))
        cluster.request { .drain(["a"], request: $0) }
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 1),
            .op(template: 2),
            templates: [
                Template.asking(labels: ["zone=c"]), Template.asking(cpus: 8000), Template.asking(labels: ["zone=a"]),
            ]
        )
        func reasons() -> [Impediment?] { (0...2).map { cluster.scheduler.impediments(of: job / $0)?.first } }
        func areImpossible(_ reasons: some Sequence<Impediment?>) -> Bool {
            reasons.allSatisfy {
                if case .resources(let lacks, 0, false, nil)? = $0 { lacks.count == 1 } else { false }
            }
        }
        #expect(areImpossible(reasons().prefix(2)), "\(reasons())")
        #expect(reasons()[2] == .draining(workers: ["a"], drained: ["a"], silent: []))
        cluster.request { .undrain(["a"], request: $0) }
        #expect(areImpossible(reasons().prefix(2)), "\(reasons())")
        #expect(cluster.state(job / 2) == .executing)
        cluster.pass(.seconds(10), silent: session)
        #expect(areImpossible(reasons().prefix(2)), "\(reasons())")
    }

    @Test("D16 A submission that no worker present can ever take is refused whole, on demand and if there are workers")
    func unplaceable() {
        var cluster = Cluster()
        var submission = Submission(
            templates: [Template.asking(cpus: 1000), Template.asking(cpus: 2000), Template.asking(labels: ["zone=b"])],
            entries: [.op(template: 0), .op("fit", template: 1)]
        )
        submission.rejectsUnplaceable = true
        func isAccepted() -> Bool {
            if case .job? = cluster.answer(to: submission) { true } else { false }
        }
        #expect(isAccepted(), "no worker is there yet")
        let session = cluster.join("a", slots: 4, offer: WorkerOffer(cpus: 1000, labels: ["zone": "a"]))
        cluster.join("b", id: WorkerID(rawValue: 2), offer: WorkerOffer(cpus: 1500, labels: ["zone": "b"]))
        guard case .refused(let refusal)? = cluster.answer(to: submission) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .unplaceable && cluster.record.jobs.count == 1)
        #expect(
            refusal.message == "No worker that is here can ever take fit: a (processors: needs 2, 1 of 1 free), "
                + "b (processors: needs 2, 1.5 of 1.5 free)."
        )
        submission.rejectsUnplaceable = false
        #expect(isAccepted(), "nobody asked for the refusal")
        // What is taken now, or kept from work for now, is there later.
        submission.rejectsUnplaceable = true
        submission.entries = [.op(template: 0), .op(template: 2)]
        cluster.request { .drain(["b"], request: $0) }
        cluster.pass(.seconds(10), silent: session)
        #expect(isAccepted())
    }

    // A worker that ends counted as one that can take the work, which then waited for ever.
    @Test("D16 A worker that is stopping takes nothing any more, whoever stopped it", arguments: [false, true])
    func unplaceableBesideStopping(byRequest: Bool) {
        var cluster = Cluster()
        cluster.join("a", offer: WorkerOffer(cpus: 1000))
        let session = cluster.join("b", id: WorkerID(rawValue: 2), offer: WorkerOffer(cpus: 2000))
        cluster.submit(.op(), templates: [.asking(cpus: 2000)])
        if byRequest {
            cluster.request { .stop(["b"], isImmediate: false, request: $0) }
        } else {
            cluster.apply(.workerLeaving(session))
        }
        var submission = Submission(templates: [.asking(cpus: 2000)], entries: [.op("large")])
        submission.rejectsUnplaceable = true
        guard case .refused(let refusal)? = cluster.answer(to: submission) else {
            Issue.record("not refused")
            return
        }
        #expect(
            refusal.message == "No worker that is here can ever take large: a (processors: needs 2, 1 of 1 free), "
                + "b (it is stopping)."
        )
    }

    // A type that nobody runs, and a time that no worker has left, were accepted in silence, and so was whatever was added to a job.
    @Test(
        "D16 A type that no worker runs, and a longer time than each has left, are refused as well, also as an addition"
    )
    func unplaceableBesideResources() {
        var cluster = Cluster()
        cluster.join("a", types: ["resize"], timeLeft: .seconds(60))
        cluster.join("b", id: WorkerID(rawValue: 2), timeLeft: .seconds(30))
        func template(_ type: String?, timeout: Duration? = nil, expected: Duration? = nil) -> Template {
            let kind: Work.Kind = type.map { .typed(type: $0, argument: []) } ?? .commands([["true"]])
            return Template(work: Work(kind, timeout: timeout), expected: expected)
        }
        var growing = Submission(templates: [template(nil)], entries: [.op()])
        growing.isOpen = true
        guard case .job(let job, _, _)? = cluster.answer(to: growing) else {
            Issue.record("not accepted")
            return
        }
        let cases: [(Template, String?)] = [
            (template("resize"), nil),
            (template("crop"), "a (it does not run crop), b (it does not run crop)"),
            (template(nil, timeout: .seconds(60)), nil),
            (
                template(nil, timeout: .seconds(61)),
                "a (time: needs 1m1s, 1m 00s left), b (time: needs 1m1s, 30.0s left)"
            ),
            (
                template(nil, expected: .seconds(90)),
                "a (time: needs 1m30s, 1m 00s left), b (time: needs 1m30s, 30.0s left)"
            ),
            (
                template("resize", timeout: .seconds(90)),
                "a (time: needs 1m30s, 1m 00s left), b (it does not run resize; time: needs 1m30s, 30.0s left)"
            ),
        ]
        for (template, lacks) in cases {
            var submission = Submission(templates: [template], entries: [.op()])
            submission.rejectsUnplaceable = true
            let addition = cluster.answer { [submission] in
                .add(submission.checked, to: job, ends: [:], request: $0)
            }
            for answer in [cluster.answer(to: submission), addition] {
                guard case .refused(let refusal)? = answer else {
                    #expect(lacks == nil, "\(String(describing: answer))")
                    continue
                }
                #expect(refusal.code == .unplaceable)
                #expect(refusal.message == lacks.map { "No worker that is here can ever take operation 0: \($0)." })
            }
        }
    }

    @Test("Conditions for labels choose workers, and a worker without the label meets what it must not be")
    func labels() {
        var cluster = Cluster()
        cluster.join("a", slots: 4, offer: WorkerOffer(labels: ["zone": "a", "arch": "x"]))
        cluster.join("b", slots: 4, id: WorkerID(rawValue: 2), offer: WorkerOffer(labels: ["zone": "b"]))
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 1),
            .op(template: 2),
            .op(template: 3),
            templates: [
                Template.asking(labels: ["zone=a"]), Template.asking(labels: ["zone!=a"]),
                Template.asking(labels: ["arch in (x,y)", "zone!=b"]), Template.asking(labels: ["zone=c"]),
            ]
        )
        #expect((0...2).map { worker(of: job / $0, in: cluster) } == ["a", "b", "a"])
        guard case .resources(let lacks, 0, false, nil)? = cluster.scheduler.impediments(of: job / 3)?.first else {
            Issue.record("\(String(describing: cluster.scheduler.impediments(of: job / 3)))")
            return
        }
        #expect(lacks.allSatisfy(\.isOfLabels) && lacks[0].description == "its labels do not meet zone=c")
        cluster.join("c", id: WorkerID(rawValue: 3), offer: WorkerOffer(labels: ["zone": "c"]))
        #expect(worker(of: job / 3, in: cluster) == "c")
        cluster.finishAll()
    }

    @Test(
        "A large operation gets the worker when what ran there has ended, though small ones keep coming",
        arguments: [0, 3]
    )
    func isNotStarved(ahead: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(ahead)))
        cluster.join("w1", slots: 4, offer: WorkerOffer(cpus: 4000))
        let templates = [Template.asking(cpus: 1000), Template.asking(cpus: 4000), .noOperation]
        let first = cluster.submit(.op(), .op(), .op(), .op(), templates: templates)
        let large = cluster.submit(.op(template: 1), templates: templates)
        let small = cluster.submit(.array(50), templates: templates)
        let plain = cluster.submit(.op(queue: 0, template: 2), queues: ["plain"], templates: templates)
        for index in 0..<4 {
            #expect(cluster.state(large / 0) == .ready)
            cluster.finish(first / index)
        }
        // What asks for nothing may take the slots that the large one leaves.
        #expect(cluster.state(large / 0) == .executing && cluster.state(plain / 0) != .pending)
        #expect((0..<50).allSatisfy { cluster.state(small / $0) == .ready })
        cluster.finishAll()
        #expect(cluster.order.count == 56)
    }

    @Test("While an operation waits for a resource, others use the slots of its worker")
    func slotsAreUsed() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4, offer: WorkerOffer(resources: ["gpu": 1]))
        let templates = [Template.asking(resources: ["gpu": 1]), .noOperation]
        for queue in ["a", "b", "c", "d", "e"] { cluster.submit(.op(), queues: [queue], templates: templates) }
        #expect(cluster.running.count == 1)
        let plain = cluster.submit(.op(template: 1), .op(template: 1), .op(template: 1), templates: templates)
        #expect((0..<3).allSatisfy { cluster.state(plain / $0) == .executing })
        cluster.finishAll()
    }

    @Test(
        "A reservation moves from a worker with an endless operation to one that has room sooner, before more starts there"
    )
    func moves() {
        var cluster = Cluster()
        cluster.join("big", slots: 8, offer: WorkerOffer(resources: ["gpu": 4], labels: ["w": "big"]))
        cluster.join(
            "small",
            slots: 4,
            id: WorkerID(rawValue: 2),
            offer: WorkerOffer(resources: ["gpu": 4], labels: ["w": "small"])
        )
        let templates = [
            Template.asking(resources: ["gpu": 1], labels: ["w=small"]),
            Template.asking(resources: ["gpu": 1], labels: ["w=big"]), Template.asking(resources: ["gpu": 4]),
        ]
        let service = cluster.submit(.op(template: 1), queues: ["service"], templates: templates)
        let stream = cluster.submit(.array(100), queues: ["stream"], templates: templates)
        let large = cluster.submit(.op(template: 2), queues: ["large"], templates: templates)
        var ended = 0
        while cluster.state(large / 0) == .ready, ended < 50 {
            cluster.pass(.milliseconds(500))
            guard let next = cluster.running.keys.filter({ $0.job == stream }).min() else { break }
            cluster.finish(next, after: .milliseconds(700))
            ended += 1
        }
        #expect(ended < 20, "\(ended) operations came first")
        #expect(worker(of: large / 0, in: cluster) == "small" && cluster.state(service / 0) == .executing)
        cluster.finishAll()
    }

    @Test(
        "An operation whose workers are drained or silent is explained by that, and one that no worker blocks is not counted"
    )
    func explanation() {
        var cluster = Cluster()
        cluster.join("a", offer: WorkerOffer(labels: ["zone": "a"]))
        cluster.join("b", id: WorkerID(rawValue: 2), offer: WorkerOffer(labels: ["zone": "b"]))
        cluster.request { .drain(["b"], request: $0) }
        let templates = [
            Template.asking(labels: ["zone=b"]), Template.asking(labels: ["zone=c"]),
            Template.asking(labels: ["zone=a"]),
        ]
        let job = cluster.submit(.op(), .op(template: 1), .op(template: 2), .op(template: 2), templates: templates)
        #expect(
            cluster.scheduler.impediments(of: job / 0) == [.draining(workers: ["b"], drained: ["b"], silent: [])]
        )
        let last = cluster.scheduler.impediments(of: job / 3) ?? []
        #expect(!last.contains { if case .order = $0 { true } else { false } }, "\(last)")
        cluster.request { .undrain(["b"], request: $0) }
        cluster.request { .cancel([.operation(job / 1)], request: $0) }
        cluster.finishAll()
    }

    @Test("Two large operations of different queues on two workers do not wait for each other's share")
    func twoLarge() {
        var cluster = Cluster()
        for number in 1...2 {
            let id = WorkerID(rawValue: UInt64(number))
            cluster.join("w\(number)", slots: 2, id: id, offer: WorkerOffer(cpus: 2000, resources: ["gpu": 1]))
        }
        let templates = [
            Template.asking(cpus: 1000), Template.asking(cpus: 2000),
            Template.asking(cpus: 2000, resources: ["gpu": 1]),
        ]
        let small = cluster.submit(.op(), .op(), .op(), .op(), queues: ["s"], templates: templates)
        let (one, two, three) = (
            cluster.submit(.op(template: 1), queues: ["a"], templates: templates),
            cluster.submit(.op(template: 2), queues: ["b"], templates: templates),
            cluster.submit(.op(template: 1), queues: ["c"], templates: templates)
        )
        for index in 0..<4 { cluster.finish(small / index) }
        let executing = [one, two, three].filter { cluster.state($0 / 0) == .executing }
        #expect(executing.count == 2)
        cluster.finishAll()
    }

    @Test("What ends sooner by its declared time starts beside a reservation, and nothing that lasts longer")
    func endsSooner() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4, offer: WorkerOffer(cpus: 4000))
        let templates = [
            Template.asking(cpus: 3000, expected: .seconds(100)), Template.asking(cpus: 4000),
            Template.asking(cpus: 1000, expected: .seconds(50)), Template.asking(cpus: 1000, expected: .seconds(500)),
            Template.asking(cpus: 1000),
        ]
        let running = cluster.submit(.op(), templates: templates)
        let large = cluster.submit(.op(template: 1), templates: templates)
        let others = cluster.submit(.op(template: 3), .op(template: 4), .op(template: 2), templates: templates)
        #expect(cluster.state(large / 0) == .ready)
        #expect((0..<3).map { cluster.state(others / $0) } == [.ready, .ready, .executing])
        cluster.finish(others / 2)
        cluster.finish(running / 0)
        #expect(cluster.state(large / 0) == .executing)
        cluster.finishAll()
    }

    @Test("A reservation ends with its cause: cancelled, held, or its queue suspended", arguments: [0, 1, 2])
    func reservationEnds(cause: Int) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2, offer: WorkerOffer(cpus: 2000))
        let templates = [Template.asking(cpus: 1000), Template.asking(cpus: 2000)]
        let small = cluster.submit(.op(), .op(), queues: ["s"], templates: templates)
        let large = cluster.submit(.op(template: 1), queues: ["l"], templates: templates)
        let later = cluster.submit(.op(), queues: ["s"], templates: templates)
        cluster.finish(small / 0)
        // The later one waits behind the large one, with a reservation for its own queue.
        #expect(cluster.scheduler.reservations.all.count == 2 && cluster.state(later / 0) == .ready)
        switch cause {
        case 0: cluster.request { .cancel([.operation(large / 0)], request: $0) }
        case 1: cluster.request { .hold([.operation(large / 0)], request: $0) }
        default: cluster.suspend("l")
        }
        #expect(cluster.scheduler.reservations.isEmpty && cluster.state(later / 0) == .executing)
        if cause == 1 { cluster.request { .release([.operation(large / 0)], request: $0) } }
        if cause == 2 { cluster.resume("l") }
        cluster.finishAll()
    }

    @Test("A reservation moves to another worker when its worker leaves, and ends when no other could hold it")
    func workerLeaves() {
        var cluster = Cluster()
        let offer = WorkerOffer(cpus: 2000)
        let first = cluster.join("w1", slots: 2, offer: offer)
        let templates = [Template.asking(cpus: 1000), Template.asking(cpus: 2000)]
        cluster.submit(.op(), .op(), queues: ["s"], templates: templates)
        let large = cluster.submit(.op(template: 1), queues: ["l"], templates: templates)
        let small = cluster.running.keys.min()
        if let small { cluster.finish(small) }
        #expect(cluster.scheduler.reservations.all.count == 1)
        cluster.apply(.workerLeft(first))
        #expect(cluster.scheduler.reservations.isEmpty)
        cluster.join("w2", slots: 2, id: WorkerID(rawValue: 2), offer: offer)
        cluster.finishAll()
        #expect(cluster.outcome(large / 0) == .succeeded)
    }

    @Test("A restarted coordinator counts what the attempts of a returned worker have taken")
    func restart() {
        var cluster = Cluster()
        let offer = WorkerOffer(resources: ["gpu": 1])
        cluster.join("w1", slots: 4, offer: offer)
        let templates = [Template.asking(resources: ["gpu": 1])]
        let job = cluster.submit(.op(), .op(), templates: templates)
        guard let held = cluster.running[job / 0] else { return #expect(Bool(false), "nothing runs") }
        cluster.restart()
        cluster.join("w1", slots: 4, holding: [held], offer: offer)
        cluster.pass(.seconds(60))
        #expect(cluster.state(job / 0) == .executing && cluster.state(job / 1) == .ready)
        cluster.report(held, session: cluster.scheduler.session(ofWorker: "w1"))
        cluster.finishAll()
        #expect(cluster.order.count == 1, "the first one went on")
    }

    @Test("What asks for resources is never sent ahead, and a higher priority takes a reservation over")
    func order() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.join("w1", slots: 1, offer: WorkerOffer(cpus: 1000))
        let templates = [Template.asking(cpus: 1000), Template.asking(cpus: 500)]
        let job = cluster.submit(.op(), .op(), .op(at: .high, template: 1), .op(at: .low), templates: templates)
        #expect(cluster.sent.count == 1)
        cluster.finishAll()
        #expect(
            cluster.order == [0, 2, 1, 3].map { "\(job)/\($0)" }
                || cluster.order == [2, 0, 1, 3].map { "\(job)/\($0)" }
        )
    }

    @Test("A reservation counts against the limit of its queue")
    func limit() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4, offer: WorkerOffer(cpus: 4000))
        cluster.setQueue("l", limit: .atMost(2))
        let templates = [Template.asking(cpus: 1000), Template.asking(cpus: 4000)]
        let job = cluster.submit(
            .op(),
            .op(at: .low),
            .op(template: 1),
            .op(at: .veryLow),
            queues: ["l"],
            templates: templates
        )
        #expect((0..<4).map { cluster.state(job / $0) } == [.executing, .ready, .ready, .ready])
        cluster.finish(job / 0)
        #expect(cluster.state(job / 2) == .executing)
        cluster.finishAll()
    }

    @Test("Types and requests together choose a worker")
    func typed() {
        var cluster = Cluster()
        cluster.join("a", types: ["resize"], offer: WorkerOffer(labels: ["zone": "a"]))
        cluster.join("b", types: ["resize"], id: WorkerID(rawValue: 2), offer: WorkerOffer(labels: ["zone": "b"]))
        cluster.join("c", id: WorkerID(rawValue: 3), offer: WorkerOffer(labels: ["zone": "b"]))
        let templates = [Template.asking(labels: ["zone=b"], type: "resize")]
        let job = cluster.submit(.op(), .op(), templates: templates)
        #expect(worker(of: job / 0, in: cluster) == "b" && cluster.state(job / 1) == .ready)
        cluster.finishAll()
    }
}
