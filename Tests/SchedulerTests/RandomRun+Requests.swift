import Operations

@testable import Scheduler

/// What clients ask for at random.
extension RandomRun {
    mutating func ask() {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        switch random.number(0...99) {
        case ..<15: send(.cancel(selections(), request: request), request)
        case ..<27: send(.hold(selections(), request: request), request)
        case ..<40: send(.release(selections(), request: request), request)
        case ..<53:
            let level = Priority.allCases.randomElement(using: &random) ?? .normal
            send(.setPriority(selections(), level, request: request), request)
        case ..<65: depend(request)
        case ..<72: undepend(request)
        case ..<78: reportProgress(request)
        default: send(.setQueue(queueChange(), request: request), request)
        }
    }

    private mutating func send(_ event: Event, _ request: RequestID) {
        requests[request] = Request(event: event, meant: [])
        apply(event)
        if model.reserved[request] != nil { see(.putOff) }
    }

    // MARK: What is asked

    private mutating func selections() -> [OperationSelection] {
        var result: [OperationSelection] = []
        while result.isEmpty || random.chance(25) {
            let id = random.pick(model.ops)?.id ?? JobNumber(1) / 0
            switch random.number(0...9) {
            case 0, 1: result.append(.job(id.job))
            case 2, 3: result.append(.operations(id.job, 1..<UInt32(random.number(2...9))))
            default: result.append(.operation(id))
            }
        }
        return result
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
        guard let op = random.pick(model.ops.filter { $0.outcome == nil }) ?? random.pick(model.ops) else { return }
        var dependencies: [Dependency] = []
        while dependencies.isEmpty || random.chance(30) {
            dependencies.append(Dependency(on: .existing(anyAddress(for: op.id)), condition: anyCondition()))
        }
        let targets = dependencies.compactMap { dependency in
            if case .existing(let address) = dependency.target { address } else { nil }
        }
        var settled: [Address: SettledDependency] = [:]
        for address in scheduler.unheldTargets(targets, from: op.id.job) { settled[address] = record.settled(address) }
        send(.depend(op.id, dependencies, settled: settled, request: request), request)
    }

    private mutating func anyAddress(for id: OperationID) -> Address {
        let other = random.pick(model.ops)?.id ?? id
        if random.chance(15) { return .job(other.job) }
        if random.chance(20), let entry = random.pick(submitted[id.job] ?? []), let name = entry.name,
            scheduler.operations(named: name, in: id.job) != nil
        {
            return .named(id.job, name)
        }
        return .operation(other)
    }

    mutating func anyCondition() -> DependencyCondition {
        random.chance(60) ? .any : DependencyCondition.allCases.randomElement(using: &random) ?? .any
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

    // MARK: What becomes of it

    /// What a request changes at once, and what it keeps from being sent until it is answered.
    mutating func note(request event: Event, isFollowing: Bool) {
        func expectChanged(_ number: Int, _ request: RequestID) {
            if !isFollowing { requests[request]?.changed = number }
        }
        switch event {
        case .cancel(let selections, let request):
            requests[request]?.meant = model.meant(by: selections)
            expectChanged(model.cancel(selections), request)
            if model.ops.contains(where: { $0.isCancelled && $0.outcome == nil && $0.token == nil }) { see(.flagged) }
        case .release(let selections, let request):
            expectChanged(model.release(selections), request)
        case .undepend(let id, let targets, let request):
            expectChanged(model.undepend(id, targets), request)
        case .setQueue(let change, _):
            model.setQueue(change)
        case .reportProgress(let id, let attempt, let progress, let request):
            guard let index = model.places[id], model.ops[index].isStarted, model.ops[index].attempts == Int(attempt)
            else { return expectChanged(0, request) }
            model.ops[index].progress = progress.millionths
            expectChanged(1, request)
        case .hold(let selections, let request):
            model.reserved[request] = Set(model.meant(by: selections).filter { !model.ops[$0].isHeld })
        case .setPriority(let selections, let level, let request):
            model.reserved[request] = Set(model.meant(by: selections).filter { model.ops[$0].priority != level })
        case .depend(let id, _, _, let request):
            model.reserved[request] = model.places[id].map { [$0] } ?? []
        default:
            break
        }
    }

    /// Has happen what was carried out, though its answer waits for workers.
    mutating func takeHeldAnswers() {
        for held in scheduler.heldRequests.values.sorted(by: { $0.request.rawValue < $1.request.rawValue }) {
            guard case .answer(.changed(let report)) = held.continuation, model.reserved[held.request] != nil,
                let request = requests[held.request]
            else { continue }
            model.reserved[held.request] = nil
            see(.carriedOutLate)
            requests[held.request]?.isCarriedOut = true
            take(report, of: request.event, request)
            model.settle()
        }
    }

    /// What the answer to a request says has happened, or has it happen now.
    mutating func take(_ answer: Answer, to id: RequestID) {
        guard let request = requests.removeValue(forKey: id) else {
            return expect(false, "request \(id) is answered twice")
        }
        model.reserved[id] = nil
        if request.isCarriedOut { return }
        switch (request.event, answer) {
        case (.submit(let submission, _, _), .refused(let refusal)):
            expect(refusal.code == .cycle, "refused: \(refusal)")
            expect(hasCycle(submission), "refused for a cycle that is none: \(refusal)")
        case (.submit, .job):
            break
        case (.depend(let operation, let dependencies, _, _), .refused(let refusal)) where refusal.code == .cycle:
            see(.refusedCycle)
            expect(closesCycle(operation, dependencies), "\(operation) would close no cycle: \(refusal)")
        case (.hold, .refused(let refusal)), (.setPriority, .refused(let refusal)), (.depend, .refused(let refusal)):
            see(.refusedUnanswered)
            expect(refusal.code == .unavailable, "refused: \(refusal)")
        case (let event, .changed(let report)):
            take(report, of: event, request)
        case (let event, let answer):
            expect(false, "\(event) is answered by \(answer)")
        }
        model.settle()
    }

    private mutating func take(_ report: ChangeReport, of event: Event, _ request: Request) {
        var expected = request.changed
        if !report.unanswered.isEmpty { see(.namedUnanswered) }
        switch event {
        case .hold(let selections, _): expected = model.hold(selections)
        case .setPriority(let selections, let level, _): expected = model.setPriority(selections, level)
        case .depend(let id, let dependencies, _, _):
            expect(!closesCycle(id, dependencies), "\(id) may close a cycle by \(dependencies)")
            expected = depend(id, dependencies)
        case .cancel:
            expectUnsent(request.meant, except: report.unanswered, "cancelled")
        case .setQueue(let change, _):
            if change.isSuspended == true, model.queues[change.name]?.isSuspended == true {
                let meant = model.ops.indices.filter { model.ops[$0].queue == change.name }
                expectUnsent(meant, except: report.unanswered, "suspended")
            }
        default: break
        }
        if let expected, !model.isReconciling {
            switch event {
            case .setPriority where expected > 0: see(.levelChanged)
            case .depend where expected > 0: see(.dependencyAdded)
            case .undepend where expected > 0: see(.dependencyRemoved)
            default: break
            }
            expect(report.changed == expected, "\(event) changed \(report.changed), should be \(expected)")
        }
    }

    /// Makes sure that no worker but some could still start what the coordinator has just said will not start (SU8, CA15).
    private func expectUnsent(_ meant: [Int], except unanswered: [String], _ word: String) {
        for (name, worker) in workers where !unanswered.contains(name) {
            var waiting = worker.waiting
            for case .dispatch(let assignment) in worker.inbox where assignment.session == worker.session {
                waiting.append(assignment)
            }
            for attempt in waiting {
                guard let index = meant.first(where: { model.ops[$0].token == attempt.token }) else { continue }
                let isOrphan = model.ops[index].worker == nil && unanswered.contains("of before the restart")
                expect(isOrphan, "\(attempt.operation) is said to be \(word) and can still start on \(name)")
            }
        }
    }

    private mutating func depend(_ id: OperationID, _ dependencies: [Dependency]) -> Int {
        guard let index = model.places[id], model.ops[index].outcome == nil, !model.ops[index].isStarted else {
            return 0
        }
        let groups = newGroups(dependencies, of: index)
        model.depend(index, groups)
        return groups.isEmpty ? 0 : 1
    }

    private func closesCycle(_ id: OperationID, _ dependencies: [Dependency]) -> Bool {
        guard let index = model.places[id], model.ops[index].outcome == nil, !model.ops[index].isStarted else {
            return false
        }
        return newGroups(dependencies, of: index).contains { model.doesWait($0.targets, for: index) }
    }

    /// The dependencies among some that an operation does not have yet.
    private func newGroups(_ dependencies: [Dependency], of index: Int) -> [Model.Group] {
        var known = Set(model.ops[index].groups.map(\.dependency))
        return dependencies.map { group($0, in: model.ops[index].id.job) }.filter {
            known.insert($0.dependency).inserted
        }
    }
}
