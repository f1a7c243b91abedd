@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("What holds the rest of a job up", .timeLimit(.minutes(60)))
struct WaitingTests {
    private static let queues = ["a", "b", "c"]

    private static func group(
        _ operation: OperationID,
        _ count: Int,
        _ wait: CommonWait,
        queue: String = "default"
    ) -> WaitingGroup {
        WaitingGroup(operation: operation, count: count, queue: queue, wait: wait)
    }

    /// Templates with needs of all kinds, and with a limit for arrays.
    private static var templates: [Template] {
        var labelled = Template.noOperation
        labelled.labels = ["zone=a"].compactMap { LabelCondition($0) }
        var foreign = Template.noOperation
        foreign.labels = ["zone=z"].compactMap { LabelCondition($0) }
        var limited = Template.noOperation
        limited.maxConcurrent = 1
        var large = Template(work: Work(.noOperation))
        large.cpus = 1_500
        return [.noOperation, labelled, foreign, limited, large, .typed("resize"), .retrying(2)]
    }

    @Test("Operations are counted by what they wait for, most first")
    func kinds() {
        var cluster = Cluster()
        cluster.join("w1")
        let other = cluster.submit(.op(), .op())
        let job = cluster.submit(
            .array(40),
            .op("held"),
            .op(delay: .seconds(9)),
            .op(delay: .seconds(5)),
            .op(on: .after(other / 0)),
            .op(on: .after(0)),
            .op(on: .after(0)),
            .op(on: .needs(1)),
            .op(queue: 1),
            queues: ["default", "night"]
        )
        cluster.hold(.operation(job / 40))
        cluster.suspend("night")
        let expected = [
            Self.group(job / 0, 40, .impediment(.slots(total: 1))),
            Self.group(job / 44, 3, .dependencies(first: .operation(job / 0), isOnly: false)),
            Self.group(job / 41, 2, .delays(from: cluster.now + .seconds(5), isRetry: false)),
            Self.group(job / 40, 1, .impediment(.hold)),
            Self.group(job / 43, 1, .dependencies(first: .operation(other / 0), isOnly: true)),
            Self.group(job / 47, 1, .impediment(.suspended(queue: "night")), queue: "night"),
        ]
        let found = cluster.scheduler.waiting(in: job, limit: 50)
        #expect(found?.groups == expected && found?.more == 0, "\(String(describing: found))")
        #expect(cluster.scheduler.waitingFaults(of: job) == [])
        // Beyond the limit, operations are counted alone.
        let two = cluster.scheduler.waiting(in: job, limit: 2)
        #expect(two?.groups == Array(expected[..<2]) && two?.more == 5)
        #expect(cluster.scheduler.waiting(in: JobNumber(9), limit: 50) == nil)
        // What executes, or is finished, waits for nothing.
        #expect(cluster.scheduler.waiting(in: other, limit: 50)?.groups.map(\.count) == [1])
        cluster.cancel(.job(other))
        #expect(cluster.scheduler.waiting(in: other, limit: 50) == WaitingOperations(groups: [], more: 0))
        cluster.finish(other / 0)
        #expect(cluster.scheduler.waiting(in: other, limit: 50) == nil)
    }

    @Test("Operations with different needs are together if they wait for the same thing, and apart if not")
    func needs() {
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(labels: ["zone": "a"]))
        let busy = cluster.submit(.op())
        let job = cluster.submit(
            .op(template: 1),
            .op(template: 0),
            .op(template: 2),
            .op(template: 5),
            .op(template: 2),
            templates: Self.templates
        )
        #expect(cluster.state(busy / 0) == .executing)
        let groups = cluster.scheduler.waiting(in: job, limit: 50)?.groups ?? []
        #expect(groups.map(\.operation) == [job / 0, job / 2, job / 3] && groups.map(\.count) == [2, 2, 1])
        #expect(groups.first?.wait == .impediment(.slots(total: 1)))
        guard case .impediment(.resources(let lacks, 0, false, nil))? = groups.dropFirst().first?.wait else {
            Issue.record("\(groups)")
            return
        }
        #expect(!lacks.contains { !$0.isOfLabels } && !lacks.isEmpty)
        #expect(groups.last?.wait == .impediment(.noWorker(type: "resize", silent: [])))
        #expect(cluster.scheduler.waitingFaults(of: job) == [])
    }

    @Test("An open job without unfinished operations is what its dependents wait for")
    func openJob() {
        var cluster = Cluster()
        var submission = Submission(queueNames: ["default"], templates: [.noOperation], entries: [])
        submission.isOpen = true
        guard case .job(let open, _, _)? = cluster.answer(to: submission) else {
            Issue.record("no job")
            return
        }
        let job = cluster.submit(.array(3, on: .on(.job(open))), .op(on: .on(.job(open), .success)))
        let expected = [Self.group(job / 0, 4, .impediment(.openJob(open)))]
        #expect(cluster.scheduler.waiting(in: job, limit: 50)?.groups == expected)
        #expect(cluster.scheduler.waitingFaults(of: job) == [])
    }

    @Test("After a restart, operations that were sent wait for their worker, and others for the reconciliation")
    func restarted() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(), .op(), .op())
        cluster.restart()
        #expect(
            cluster.scheduler.waiting(in: job, limit: 50)?.groups == [
                Self.group(job / 1, 2, .impediment(.sent(worker: "w1", isRecalled: false, isAway: true))),
                Self.group(
                    job / 3,
                    2,
                    .impediment(.reconciling(until: cluster.now + .seconds(5), workers: ["w1"]))
                ),
            ]
        )
        #expect(cluster.scheduler.waitingFaults(of: job) == [])
    }

    @Test("So many nodes of a job are looked at, and an array that has not started is one")
    func bounds() {
        var cluster = Cluster()
        cluster.checkInterval = 1_000
        let singles = Scheduler.mostWaitingNodes + 5
        let entries = [Entry.array(1_000_000)] + (0..<singles).map { _ in Entry.op(on: .after(0)) }
        guard
            case .job(let job, _, _)? = cluster.answer(
                to: Submission(queueNames: ["default"], templates: [.noOperation], entries: entries)
            )
        else {
            Issue.record("no job")
            return
        }
        let found = cluster.scheduler.waiting(in: job, limit: 50)
        #expect(
            found?.groups == [
                Self.group(job / 0, 1_000_000, .impediment(.noWorker(silent: []))),
                Self.group(job / 1_000_000, singles - 6, .dependencies(first: .operation(job / 0), isOnly: true)),
            ]
        )
        #expect(found?.more == 6)
    }

    @Test(
        "With many workers, some needs are compared with all workers, and operations with other needs are counted together"
    )
    func manyWorkers() {
        var cluster = Cluster()
        cluster.checkInterval = 100
        let workers = 100
        let compared = Scheduler.mostWaitingWorkers / workers
        for number in 0..<workers { cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number) + 1)) }
        let templates = (0..<compared + 7).map { number in
            var template = Template.noOperation
            template.labels = ["zone=z\(number)"].compactMap { LabelCondition($0) }
            return template
        }
        let submission = Submission(
            queueNames: ["default"],
            templates: templates,
            entries: templates.indices.flatMap { [Entry.op(template: $0), .op(template: $0)] }
        )
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            Issue.record("no job")
            return
        }
        let found = cluster.scheduler.waiting(in: job, limit: .max)
        #expect(found?.groups.count == compared + 1 && found?.more == 0)
        #expect(found?.groups.first == Self.group(job / (compared * 2), 14, .worker))
        #expect(found?.groups.dropFirst().allSatisfy { $0.count == 2 } == true)
    }

    @Test("Many barriers of a queue are told apart up to some number")
    func barriers() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op())
        let entries = (0..<200).map { Entry(isBarrier: $0 % 2 == 0) }
        guard
            case .job(let other, _, _)? = cluster.answer(
                to: Submission(queueNames: ["default"], templates: [.noOperation], entries: entries)
            ), let found = cluster.scheduler.waiting(in: other, limit: .max)
        else {
            Issue.record("no job")
            return
        }
        #expect(found.groups.reduce(0) { $0 + $1.count } == 200 && found.more == 0)
        #expect(found.groups.count < 110 && found.groups[0].count > 40, "\(found.groups.count)")
        #expect(
            found.groups.contains(
                Self.group(other / 0, 1, .impediment(.beforeBarrier(queue: "default", unfinished: 2, first: [])))
            )
        )
        #expect(cluster.scheduler.waitingFaults(of: job) == [])
    }

    @Test("Of an array in more pieces than are looked at, the largest pieces count and the others are more")
    func pieces() {
        var cluster = Cluster()
        cluster.checkInterval = 10_000
        let size = Scheduler.mostWaitingNodes * 2
        let job = cluster.submit(.array(size + 500), .op())
        // Held elements are nodes of their own, and so the first part of the array has one for each element.
        cluster.hold(.operations(job, 0..<UInt32(size)))
        for index in stride(from: 0, to: size, by: 2) { cluster.release(.operation(job / index)) }
        let nodes = cluster.scheduler.graph.nodeCount
        guard nodes > Scheduler.mostWaitingNodes, let found = cluster.scheduler.waiting(in: job, limit: 50) else {
            Issue.record("\(nodes) nodes")
            return
        }
        let counted = found.groups.reduce(0) { $0 + $1.count }
        #expect(counted + found.more == size + 501 && found.more > 0 && counted >= Scheduler.mostWaitingNodes)
    }

    @Test(
        "The answer is that of the explanations of all operations",
        arguments: 1...(Thoroughness.isFull ? 120 : 40) as ClosedRange<UInt64>
    )
    func reference(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var cluster = Cluster(Configuration(sendAhead: .atMost(random.number(0...2))))
        cluster.checkInterval = 50
        var sessions: [SessionID] = []
        var jobs: [JobNumber] = []
        for number in 0..<random.number(1...3) {
            let submission = Submission(
                queueNames: Self.queues,
                templates: Self.templates,
                entries: entries(of: &random, earlier: jobs)
            )
            // A barrier may make a cycle of dependencies that are none without it.
            if case .job(let job, _, _)? = cluster.answer(to: submission) { jobs.append(job) }
            for job in jobs { check(job, in: cluster, seed) }
            sessions.append(join(&cluster, number, &random))
        }
        for _ in 0..<40 {
            guard let job = random.pick(jobs), let queue = random.pick(Self.queues) else { return }
            let size = cluster.scheduler.graph.job(job).map { cluster.scheduler.graph[$0].operationCount } ?? 1
            let low = random.number(0...max(0, size - 1))
            let range = UInt32(low)..<UInt32(min(size, low + random.number(1...5)))
            let selection = OperationSelection.operations(job, range)
            switch random.number(0...11) {
            case 0: cluster.hold(selection)
            case 1: cluster.release(selection)
            case 2: cluster.suspend(queue)
            case 3: cluster.resume(queue)
            case 4: cluster.setQueue(queue, limit: random.chance(30) ? .none : .atMost(random.number(0...2)))
            case 5: cluster.cancel(selection)
            case 6: cluster.setPriority(selection, to: random.chance(50) ? .high : .low)
            case 7: sessions.append(join(&cluster, sessions.count, &random))
            case 8: if let session = random.pick(sessions) { cluster.apply(.workerLeft(session)) }
            default:
                // The order of a dictionary differs from run to run.
                let running = cluster.running.keys.sorted()
                if let id = random.pick(running) { cluster.finish(id, random.chance(80) ? .exited(0) : .exited(1)) }
            }
            for job in jobs { check(job, in: cluster, seed) }
        }
    }

    private func check(_ job: JobNumber, in cluster: Cluster, _ seed: UInt64) {
        let faults = cluster.scheduler.waitingFaults(of: job)
        #expect(faults.isEmpty, "job \(job), seed \(seed)")
    }

    private func join(_ cluster: inout Cluster, _ number: Int, _ random: inout SplitMix) -> SessionID {
        cluster.join(
            "w\(number)",
            slots: random.number(1...3),
            types: random.chance(30) ? ["resize"] : [],
            id: WorkerID(rawValue: UInt64(number) + 1),
            offer: WorkerOffer(cpus: 1_000 * random.number(1...2), labels: random.chance(50) ? ["zone": "a"] : [:])
        )
    }

    private func entries(of random: inout SplitMix, earlier jobs: [JobNumber]) -> [Entry] {
        (0..<random.number(1...25)).map { position in
            let isBarrier = random.chance(6)
            let isArray = !isBarrier && random.chance(30)
            var dependencies: [Dependency] = []
            while position > 0, random.chance(35) {
                dependencies.append(
                    Dependency(
                        on: .entry(random.number(0...position - 1)),
                        condition: random.chance(60) ? .any : .success
                    )
                )
            }
            if random.chance(8), let job = random.pick(jobs) { dependencies.append(.on(.job(job))) }
            return Entry(
                name: random.chance(50) ? "n\(position)" : nil,
                template: random.number(0...Self.templates.count - 1),
                queue: random.number(0...2),
                delay: random.chance(10) ? .seconds(random.number(1...90)) : nil,
                isHeld: random.chance(10),
                isBarrier: isBarrier,
                dependencies: dependencies,
                array: isArray ? .numbers(first: 0, step: 1, count: random.number(1...30)) : nil
            )
        }
    }
}
