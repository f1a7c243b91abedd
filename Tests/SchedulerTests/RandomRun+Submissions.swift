import Operations

@testable import Scheduler

/// What is submitted at random.
extension RandomRun {
    private static let hook = ["tell"]

    mutating func submit() {
        let count = random.number(1...5)
        var ranks = Array(0..<count)
        ranks.shuffle(using: &random)
        var entries: [Entry] = []
        for position in 0..<count {
            var dependencies: [Dependency] = []
            // Only towards lower ranks: any direction in the file, and no cycle, unless a barrier makes one.
            for target in 0..<count where ranks[target] < ranks[position] && random.chance(25) {
                dependencies.append(Dependency(on: .entry(target), condition: anyCondition()))
            }
            while random.chance(20), let address = earlierAddress() {
                dependencies.append(Dependency(on: .existing(address), condition: anyCondition()))
            }
            let isBarrier = random.chance(12)
            entries.append(
                Entry(
                    name: random.chance(50) ? "n\(position)" : nil,
                    template: random.number(0...2),
                    queue: random.number(0...2),
                    priority: random.chance(60) ? .normal : Priority.allCases.randomElement(using: &random) ?? .low,
                    delay: random.chance(8) ? .milliseconds(random.number(0...9000)) : nil,
                    isHeld: random.chance(8),
                    isBarrier: isBarrier,
                    isCancelled: random.chance(4),
                    dependencies: dependencies,
                    array: !isBarrier && random.chance(35)
                        ? .numbers(first: 0, step: 1, count: random.number(1...6)) : nil
                )
            )
        }
        let submission = Submission(
            key: random.chance(20) ? "key\(nextRequest)" : nil,
            queueChanges: random.chance(10) ? [queueChange()] : [],
            queueNames: queues,
            templates: [.noOperation, .retrying(2), Template(work: Work(.noOperation), onFinish: Self.hook)],
            entries: entries
        )
        var settled: [Address: SettledDependency] = [:]
        for address in scheduler.unheldDependencies(of: submission) { settled[address] = record.settled(address) }
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        let event = Event.submit(submission, settled: settled, request: request)
        requests[request] = Request(event: event, meant: [])
        apply(event)
    }

    private mutating func earlierAddress() -> Address? {
        guard let id = random.pick(model.ops)?.id else { return nil }
        if random.chance(30) { return .job(id.job) }
        let entry = submitted[id.job]?.first { $0.range.contains(Int(id.index)) }
        // A finished job's names are for the shell to look up.
        if let entry, let name = entry.name, !entry.isArray, random.chance(50),
            scheduler.operation(named: name, in: id.job) != nil
        {
            return .named(id.job, name)
        }
        return .operation(id)
    }

    /// Takes a job into the model.
    mutating func add(_ job: JobRecord) {
        let submission = job.submission
        for change in submission.queueChanges { model.setQueue(change) }
        for queue in submission.queueNames where model.queues[queue] == nil { model.queues[queue] = Model.Queue() }
        var first = 0
        submitted[job.number] = submission.entries.map { entry in
            defer { first += entry.count }
            return (entry.name, first..<first + entry.count, entry.array != nil)
        }
        model.jobs[job.number] = model.ops.count..<model.ops.count + first
        for (entry, shape) in zip(submission.entries, submitted[job.number] ?? []) {
            for index in shape.range {
                let template = submission.templates[entry.template]
                model.places[job.number / index] = model.ops.count
                model.ops.append(
                    Model.Op(
                        id: job.number / index,
                        queue: submission.queueNames[entry.queue],
                        isBarrier: entry.isBarrier,
                        retries: Int(template.retries),
                        retryDelay: template.retryDelay,
                        hasHook: template.onFinish != nil,
                        priority: entry.priority,
                        order: model.nextOrder,
                        notBefore: entry.delay.map { job.submittedAt + $0 },
                        isHeld: entry.isHeld
                    )
                )
                model.nextOrder += 1
            }
        }
        for (entry, shape) in zip(submission.entries, submitted[job.number] ?? []) {
            let groups = entry.dependencies.map { group($0, in: job.number) }
            for index in shape.range {
                guard let place = model.places[job.number / index] else { continue }
                model.depend(place, groups)
            }
            guard entry.isCancelled else { continue }
            _ = model.cancel([.operations(job.number, UInt32(shape.range.lowerBound)..<UInt32(shape.range.upperBound))])
        }
    }

    /// What a dependency of one of a job's operations means.
    func group(_ dependency: Dependency, in job: JobNumber) -> Model.Group {
        func group(_ address: Address, _ targets: [Int]) -> Model.Group {
            let canonical = Dependency(on: .existing(address), condition: dependency.condition)
            return Model.Group(dependency: canonical, targets: targets)
        }
        func group(entry: (name: String?, range: Range<Int>, isArray: Bool)) -> Model.Group {
            let targets = entry.range.compactMap { model.places[job / $0] }
            if entry.isArray, let name = entry.name { return group(.named(job, name), targets) }
            return group(.operation(job / entry.range.lowerBound), targets)
        }
        switch dependency.target {
        case .entry(let position):
            return submitted[job].map { group(entry: $0[position]) } ?? group(.job(job), [])
        case .existing(.named(_, let name)):
            return submitted[job]?.first { $0.name == name }.map { group(entry: $0) } ?? group(.job(job), [])
        case .existing(.operation(let id)):
            return group(.operation(id), model.places[id].map { [$0] } ?? [])
        case .existing(.job(let number)):
            return group(.job(number), model.jobs[number].map { Array($0) } ?? [])
        }
    }

    /// Whether something in a submission would wait for itself.
    func hasCycle(_ submission: Submission) -> Bool {
        guard submission.entries.contains(where: \.isBarrier) else { return false }
        var copy = self
        // It is not looked at who is cancelled from the start.
        var submission = submission
        for entry in submission.entries.indices { submission.entries[entry].isCancelled = false }
        let number = JobNumber(.max)
        copy.add(JobRecord(number: number, submittedAt: now, order: 0, submission: submission))
        return (copy.model.jobs[number] ?? 0..<0).contains { index in
            let op = copy.model.ops[index]
            var next = op.groups.flatMap(\.targets)
            for (other, before) in copy.model.ops[..<index].enumerated()
            where before.queue == op.queue && (op.isBarrier || before.isBarrier) {
                next.append(other)
            }
            return copy.model.doesWait(next, for: index)
        }
    }
}
