import Operations
import Testing

@testable import Scheduler

/// A random history, played to the scheduler and to the model side by side.
struct RandomRun {
    let seed: UInt64
    var random: SplitMix
    var cluster: Cluster
    var model: Model
    /// What was submitted, with the indices that each entry became.
    private var requests: [(job: JobNumber, entries: [(name: String?, range: Range<Int>)])] = []
    /// Attempts that are over.
    private var old: [Assignment] = []
    /// The operations that were compared after their end; later records of them would be noticed as a second end.
    private var compared: Set<OperationID> = []
    private let queues = ["a", "b", "c"]

    init(seed: UInt64) {
        let configuration = Configuration(maximumLosses: 2)
        self.seed = seed
        random = SplitMix(seed: seed)
        cluster = Cluster(configuration)
        model = Model(configuration)
        model.now = cluster.now
    }

    /// One event, chosen at random.
    mutating func step() {
        switch random.number(0...99) {
        case ..<18: submit()
        case ..<50: finish()
        case ..<58: sendNonsense()
        case ..<66: join()
        case ..<69: leave()
        case ..<80: pass(.milliseconds(random.number(1...random.number(1...20_000))), heard: 90)
        case ..<84: pass(.milliseconds(random.number(1...60_000)), heard: 30)
        case ..<92: cancel()
        default: setQueue()
        }
    }

    /// Lets everything come to its end.
    mutating func complete() {
        for queue in queues { setQueue(queue, .unlimited) }
        join("last", slots: 3, holdingPercent: 100)
        var rounds = 0
        while model.ops.contains(where: { $0.outcome == nil }), rounds < 5000 {
            rounds += 1
            finish(isGood: true)
            if cluster.running.isEmpty { pass(.seconds(5), heard: 100) }
        }
        expect(cluster.scheduler.counts.unfinished == 0, "\(cluster.scheduler.counts) at the end")
        expect(cluster.ends.count == model.ops.count && cluster.ends.values.allSatisfy { $0 == 1 }, "not one end each")
        let scheduler = cluster.scheduler
        expect(
            scheduler.nodes.count == 0 && scheduler.edges.count == 0 && scheduler.jobs.count == 0
                && scheduler.keys.isEmpty && scheduler.queues.allSatisfy { $0.line.count == $0.staleEntries },
            "something is left over"
        )
    }

    // MARK: Events

    private mutating func submit() {
        let count = random.number(1...7)
        var ranks = Array(0..<count)
        ranks.shuffle(using: &random)
        var entries: [Entry] = []
        for position in 0..<count {
            var dependencies: [Dependency] = []
            // Only towards lower ranks: any direction in the file, and no cycle.
            for target in 0..<count where ranks[target] < ranks[position] && random.chance(30) {
                dependencies.append(Dependency(on: .entry(target), condition: condition()))
            }
            while random.chance(20), let earlier = random.pick(requests) {
                dependencies.append(Dependency(on: .existing(address(in: earlier)), condition: condition()))
            }
            entries.append(
                Entry(
                    name: random.chance(50) ? "n\(position)" : nil,
                    template: random.number(0...1),
                    queue: random.number(0...2),
                    priority: random.chance(60) ? .normal : Priority.allCases.randomElement(using: &random) ?? .low,
                    delay: random.chance(10) ? .milliseconds(random.number(0...20_000)) : nil,
                    dependencies: dependencies,
                    array: random.chance(35) ? .numbers(first: 0, step: 1, count: random.number(1...6)) : nil
                )
            )
        }
        let templates = [Template.noOperation, .retrying(2)]
        let submission = Submission(
            key: random.chance(20) ? "key\(requests.count)" : nil,
            queueNames: queues,
            templates: templates,
            entries: entries
        )
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            expect(false, "refused: \(cluster.effects)")
            return
        }
        var first = 0
        let ranges = entries.map { entry in
            defer { first += entry.count }
            return (name: entry.name, range: first..<first + entry.count)
        }
        for (entry, range) in zip(entries, ranges.map(\.range)) {
            for index in range {
                model.places[job / index] = model.ops.count
                model.ops.append(
                    Model.Op(
                        id: job / index,
                        queue: queues[entry.queue],
                        priority: entry.priority,
                        retries: Int(templates[entry.template].retries),
                        retryDelay: templates[entry.template].retryDelay,
                        dependencies: entry.dependencies.map { dependency in
                            (targets(of: dependency.target, in: job, ranges.map(\.range)), dependency.condition)
                        },
                        notBefore: entry.delay.map { cluster.now + $0 }
                    )
                )
            }
        }
        requests.append((job, ranges))
        check()
    }

    private mutating func condition() -> DependencyCondition {
        random.chance(60) ? .any : DependencyCondition.allCases.randomElement(using: &random) ?? .any
    }

    private mutating func address(
        in request: (job: JobNumber, entries: [(name: String?, range: Range<Int>)])
    ) -> Address {
        if random.chance(30) { return .job(request.job) }
        let entry = random.pick(request.entries) ?? request.entries[0]
        // A finished job's names are for the shell to look up.
        if let name = entry.name, entry.range.count == 1, random.chance(50),
            cluster.scheduler.operation(named: name, in: request.job) == request.job / entry.range.lowerBound,
            model.places[request.job / entry.range.lowerBound] != nil, !isArray(entry, request.job)
        {
            return .named(request.job, name)
        }
        return .operation(request.job / (entry.range.randomElement(using: &random) ?? 0))
    }

    private func isArray(_ entry: (name: String?, range: Range<Int>), _ job: JobNumber) -> Bool {
        cluster.record.jobs[job]?.submission.entries.first { $0.name == entry.name }?.array != nil
    }

    private func targets(of target: Dependency.Target, in job: JobNumber, _ ranges: [Range<Int>]) -> [OperationID] {
        switch target {
        case .entry(let entry): ranges[entry].map { job / $0 }
        case .existing(.operation(let id)): [id]
        case .existing(.job(let number)): model.ops.map(\.id).filter { $0.job == number }
        case .existing(.named(let number, let name)):
            requests.first { $0.job == number }?.entries.first { $0.name == name }?.range.map { number / $0 } ?? []
        }
    }

    private mutating func finish(isGood: Bool = false) {
        guard let attempt = random.pick(cluster.running.values.sorted { $0.token < $1.token }),
            let place = model.places[attempt.operation]
        else { return }
        let ends: [AttemptEnd] = [.exited(0), .exited(0), .exited(0), .exited(1), .signalled(9), .interrupted]
        let end = isGood ? .exited(0) : random.pick(ends) ?? .exited(0)
        let result: [UInt8]? = random.chance(30) ? [1] : nil
        cluster.report(attempt, end, result: result, seed: random.next())
        hear(attempt.session)
        cluster.running[attempt.operation] = cluster.running[attempt.operation].flatMap {
            $0.token == attempt.token ? nil : $0
        }
        old.append(attempt)
        if let wait = model.end(place, end, hasResult: result != nil) {
            let due = cluster.last(attempt.operation)?.notBefore
            expect(due.map { wait.contains($0 - cluster.now) } ?? false, "the retry is due at \(due as Any)")
            model.ops[place].notBefore = due
        }
        check()
    }

    private mutating func hear(_ session: SessionID) {
        for (name, worker) in model.workers where worker.session == session && !worker.isLost {
            model.workers[name]?.lastHeard = cluster.now
        }
    }

    /// What has no effect: late, doubled and mixed-up reports.
    private mutating func sendNonsense() {
        guard let attempt = random.pick(old) else { return }
        let sessions = model.workers.values.map(\.session).sorted { $0.rawValue < $1.rawValue }
        let session = random.chance(50) ? attempt.session : random.pick(sessions) ?? attempt.session
        var operation = attempt.operation
        if random.chance(30), let other = random.pick(model.ops)?.id { operation = other }
        let changes = cluster.record.changes.count
        let started = cluster.started.count
        cluster.report(attempt, random.chance(50) ? .exited(0) : .exited(1), session: session, operation: operation)
        hear(session)
        // A sign of life may free slots; nothing else comes of it.
        expect(cluster.record.changes.count - changes == cluster.started.count - started, "nonsense had an effect")
        check()
    }

    private mutating func join() {
        join("w\(random.number(1...4))", slots: random.number(1...3), holdingPercent: random.chance(70) ? 100 : 50)
    }

    private mutating func join(_ name: String, slots: Int, holdingPercent: Int) {
        let before = model.workers[name].map { model.held(by: $0.session) } ?? []
        let kept = before.filter { _ in random.chance(holdingPercent) }
        var holding = kept.compactMap { model.ops[$0].attempt }
        if random.chance(20), let stale = random.pick(old) { holding.append(stale) }
        let attempts = holding
        let session = cluster.join(name, slots: slots, holding: attempts)
        for index in kept {
            model.ops[index].attempt?.session = session
            let id = model.ops[index].id
            if cluster.running[id]?.token == model.ops[index].attempt?.token { cluster.running[id]?.session = session }
        }
        for index in before where !kept.contains(index) {
            if let attempt = model.ops[index].attempt { forget(attempt) }
            model.lose(index)
        }
        model.workers[name] = Model.Worker(session: session, slots: slots, lastHeard: cluster.now)
        check()
    }

    private mutating func leave() {
        guard let name = random.pick(model.workers.keys.sorted()), let worker = model.workers[name], !worker.isLost
        else { return }
        for index in model.held(by: worker.session) {
            if let attempt = model.ops[index].attempt { forget(attempt) }
            model.lose(index, isGivenBack: true)
        }
        model.workers[name] = nil
        cluster.apply(.workerLeft(worker.session))
        check()
    }

    private mutating func forget(_ attempt: Assignment) {
        old.append(attempt)
        if cluster.running[attempt.operation]?.token == attempt.token { cluster.running[attempt.operation] = nil }
    }

    private mutating func pass(_ duration: Duration, heard percent: Int) {
        for name in model.workers.keys.sorted() where random.chance(percent) {
            guard let worker = model.workers[name], !worker.isLost else { continue }
            cluster.apply(.workerHeard(worker.session))
            model.workers[name]?.lastHeard = cluster.now
            check()
        }
        let running = model.ops.compactMap(\.attempt)
        cluster.now = cluster.now + duration
        cluster.apply(.timePassed)
        model.pass(to: cluster.now)
        let still = Set(model.ops.compactMap { $0.attempt?.token })
        for attempt in running where !still.contains(attempt.token) { forget(attempt) }
        check()
    }

    private mutating func cancel() {
        var targets: [CancellationTarget] = []
        while targets.isEmpty || random.chance(30) {
            switch random.number(0...9) {
            case 0: targets.append(.queue(random.pick(queues) ?? "a"))
            case 1, 2: targets.append(.job(random.pick(requests)?.job ?? JobNumber(1)))
            case 3:
                targets.append(
                    .operations(random.pick(requests)?.job ?? JobNumber(1), 1..<UInt32(random.number(2...9)))
                )
            default: targets.append(.operation(random.pick(model.ops)?.id ?? JobNumber(1) / 0))
            }
        }
        let meant: (Model.Op) -> Bool = { op in
            targets.contains { target in
                switch target {
                case .operation(let id): op.id == id
                case .operations(let job, let range): op.id.job == job && range.contains(op.id.index)
                case .job(let job): op.id.job == job
                case .queue(let name): op.queue == name
                }
            }
        }
        let expected = model.ops.count { $0.outcome == nil && meant($0) }
        let answer = cluster.scheduler.counts.unfinished == 0 ? 0 : cancelling(targets)
        expect(answer == expected, "the cancellation met \(answer), not \(expected)")
        model.cancel(meant)
        check()
    }

    private mutating func cancelling(_ targets: [CancellationTarget]) -> Int {
        let request = RequestID(rawValue: .max)
        for case .answer(request, .cancelled(let number)) in cluster.apply(.cancel(targets, request: request)) {
            return number
        }
        return -1
    }

    private mutating func setQueue() {
        setQueue(random.pick(queues) ?? "a", random.chance(40) ? .unlimited : .atMost(random.number(0...3)))
    }

    private mutating func setQueue(_ name: String, _ limit: QueueChange.Limit) {
        cluster.setQueue(name, limit: limit, qualityOfService: QualityOfService.allCases.randomElement(using: &random))
        if case .atMost(let number) = limit { model.limits[name] = number } else { model.limits[name] = nil }
        check()
    }

    // MARK: Comparing

    /// Checks what the scheduler did because of the last event.
    private mutating func check() {
        model.settle()
        for case .dispatch(let assignment) in cluster.effects {
            for wrong in model.start(assignment) { expect(false, wrong) }
        }
        cluster.effects = []
        for wrong in model.omissions() { expect(false, wrong) }
        for op in model.ops where !compared.contains(op.id) {
            if op.outcome != nil { compared.insert(op.id) }
            let state = cluster.state(op.id)
            expect(state == model.state(op), "\(op.id) is \(state), should be \(model.state(op))")
            let record = cluster.last(op.id)
            expect(record?.outcome == op.outcome, "\(op.id) \(record?.outcome as Any), should be \(op.outcome as Any)")
            if op.outcome != nil {
                expect(record?.isCancelled == op.isCancelled, "\(op.id) has the wrong flag")
                expect(record?.attempt == UInt32(op.attempts), "\(op.id) has the wrong number of attempts")
            }
        }
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { Issue.record("seed \(seed): \(message()) (BATON_SEED=\(seed) replays it)") }
    }
}
