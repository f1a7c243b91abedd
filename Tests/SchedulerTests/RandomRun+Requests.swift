@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// Random requests of clients.
extension RandomRun {
    mutating func ask() {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        switch random.number(0...99) {
        case ..<15: send(.cancel(selections(), request: request), request)
        case ..<27: send(.hold(selections(), request: request), request)
        case ..<40 where hasPauses && request.rawValue.isMultiple(of: 2):
            send(.resume(selections(), request: request), request)
        case ..<40: send(.release(selections(), request: request), request)
        case ..<50:
            let priority = Priority.allCases.randomElement(using: &random) ?? .normal
            send(.setPriority(selections(), priority, request: request), request)
        case ..<57: addCommand(request)
        case ..<66: depend(request)
        case ..<72: undepend(request)
        case ..<78: reportProgress(request)
        case ..<81 where hasOpenJobs:
            let job = random.pick(model.openJobs.sorted()) ?? JobNumber(1)
            send(.close([job], request: request), request)
        case ..<83: send(.deleteQueue(random.pick(queues) ?? "a", request: request), request)
        case 93... where hasPauses: send(.pause(selections(), request: request), request)
        default: send(.setQueue(queueChange(), request: request), request)
        }
    }

    /// Pauses an operation that can be paused, beside others: random choices alone seldom meet one.
    mutating func pauseRunningProgram() {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        send(.pause(selections() + runningProgram, request: request), request)
    }

    private mutating func send(_ event: Event, _ request: RequestID) {
        requests[request] = Request(event: event)
        apply(event)
    }

    // MARK: What is asked

    private mutating func selections() -> [OperationSelection] {
        var result: [OperationSelection] = []
        while result.isEmpty || random.chance(25) {
            let op = random.chance(50) ? pickUnfinished() : random.pick(model.ops)
            let id = op?.id ?? JobNumber(1) / 0
            switch random.number(0...49) {
            case ..<10: result.append(.job(id.job))
            case ..<20: result.append(.operations(id.job, 1..<UInt32(random.number(2...9))))
            case ..<21: result.append(.queue(random.pick(queues) ?? "a"))
            default: result.append(.operation(id))
            }
        }
        return result
    }

    /// An operation that can be paused; none if there is none.
    var runningProgram: [OperationSelection] {
        let running = model.ops.first { $0.isStarted && $0.runsCommands && !$0.isCancelled && !$0.isPaused }
        return running.map { [OperationSelection.operation($0.id)] } ?? []
    }

    /// An unfinished operation: often one that was sent and has not started, the hard case.
    private mutating func pickUnfinished() -> Model.Op? {
        let unstarted = random.chance(40) ? random.pick(model.ops.filter(\.isUnstarted)) : nil
        return unstarted ?? random.pick(model.ops.filter { $0.outcome == nil })
    }

    mutating func queueChange() -> QueueChange {
        var change = QueueChange(name: random.pick(queues) ?? "a")
        if random.chance(40) { change.isSuspended = random.chance(50) }
        if random.chance(40) { change.maxConcurrent = random.chance(40) ? .unlimited : .atMost(random.number(0...3)) }
        if random.chance(20) { change.qualityOfService = QualityOfService.allCases.randomElement(using: &random) }
        if random.chance(20) { change.total = random.number(0...9) }
        return change
    }

    private mutating func depend(_ request: RequestID) {
        guard let op = random.chance(95) ? pickUnfinished() : random.pick(model.ops) else { return }
        var dependencies: [Dependency] = []
        while dependencies.isEmpty || random.chance(30) {
            dependencies.append(Dependency(on: .existing(anyAddress(for: op.id)), condition: anyCondition()))
        }
        let targets = dependencies.compactMap { dependency in
            if case .existing(let address) = dependency.target { address } else { nil }
        }
        var ends: [Address: DependencyEnd] = [:]
        for address in scheduler.unknownTargets(targets) { ends[address] = record.dependencyEnd(of: address) }
        send(.depend(op.id, dependencies, ends: ends, request: request), request)
    }

    private mutating func anyAddress(for id: OperationID) -> Address {
        let other = random.pick(model.ops)?.id ?? id
        if random.chance(15) { return .job(other.job) }
        if random.chance(20), let entry = random.pick(model.entries[id.job] ?? []), let name = entry.name,
            scheduler.operations(named: name, in: id.job) != nil
        {
            return .named(id.job, name)
        }
        return .operation(other)
    }

    mutating func anyCondition() -> DependencyCondition {
        // The histories of earlier seeds stay as they are.
        let condition =
            random.chance(60)
            ? .any : [DependencyCondition.any, .success, .failure].randomElement(using: &random) ?? .any
        return condition == .failure && needsAllFailures ? .failureOfAll : condition
    }

    private mutating func addCommand(_ request: RequestID) {
        let candidates = model.ops.filter { $0.outcome == nil && $0.runsCommands }
        let sent = random.chance(60) ? random.pick(candidates.filter(\.isUnstarted)) : nil
        guard let op = sent ?? (random.chance(90) ? random.pick(candidates) : random.pick(model.ops)) else { return }
        send(.addCommand(op.id, ["added \(request.rawValue)"], request: request), request)
    }

    private mutating func undepend(_ request: RequestID) {
        let candidates = model.ops.filter { $0.outcome == nil && !$0.groups.isEmpty }
        guard let op = random.pick(candidates) ?? random.pick(model.ops) else { return }
        var targets = op.groups.filter { _ in random.chance(60) }.compactMap { group in
            if case .existing(let address) = group.dependency.target { address } else { nil }
        }
        if random.chance(10), let other = random.pick(model.ops) { targets.append(.operation(other.id)) }
        send(.undepend(op.id, targets, request: request), request)
    }

    private mutating func reportProgress(_ request: RequestID) {
        guard let op = random.pick(model.ops.filter(\.isStarted)) ?? random.pick(model.ops) else { return }
        let attempt = UInt32(max(0, op.attempts - (random.chance(20) ? 1 : 0)))
        let progress = OperationProgress(fraction: Double(random.number(0...100)) / 100)
        send(.reportProgress(op.id, attempt: attempt, progress, request: request), request)
    }
}
