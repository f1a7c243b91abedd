@_spi(Baton) import BatonOperations

/// Adding and removing dependencies after submission.
extension Scheduler {
    mutating func depend(
        _ operation: OperationID,
        _ dependencies: [Dependency],
        ends: [Address: DependencyEnd],
        request: RequestID
    ) {
        do throws(Refusal) {
            guard let place = select([.operation(operation)]).first else {
                return conclude(request, .noEffect("\(operation) is finished; a dependency has no effect on it."))
            }
            guard !hasRunBefore(place) else {
                return conclude(
                    request,
                    .noEffect("\(operation) has started before; a dependency has no effect on its next attempt.")
                )
            }
            // Resolve names now: a named operation may finish and be forgotten before the request is handled.
            let named = dependencies.map { dependency in
                guard case .existing(let address) = dependency.target else { return dependency }
                return Dependency(on: .existing(graph.withoutName(address)), condition: dependency.condition)
            }
            let event = Event.depend(operation, named, ends: ends, request: request)
            if deferRequest(event, request, for: [place]) { return }
            guard graph[place].stage != .executing else {
                return conclude(
                    request,
                    .noEffect("\(operation) is executing; a dependency has no effect on it.")
                )
            }
            // The search for a cycle goes by nodes.
            if !graph.elementTable.isEmpty { for dependency in named { isolateTarget(of: dependency) } }
            let added = try newDependencies(dependencies, of: place, ends: ends)
            add(added, to: place, ends: ends)
            conclude(request, ChangeReport(changed: added.isEmpty ? 0 : 1))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    mutating func undepend(_ operation: OperationID, _ targets: [Address], request: RequestID) {
        guard let place = select([.operation(operation)]).first else {
            return conclude(request, .noEffect("\(operation) is finished; its dependencies stay as they are."))
        }
        guard graph[place].stage != .executing else {
            return conclude(request, .noEffect("\(operation) is executing; its dependencies stay as they are."))
        }
        let job = graph[place].job
        let removed = Set(targets.map { graph.withoutName($0) })
        var kept: [Dependency] = []
        var dropped: [Dependency] = []
        for dependency in graph.singleDependencies(of: graph[place]) {
            if removed.contains(graph.address(of: dependency.target, job: job)) {
                dropped.append(dependency)
            } else {
                kept.append(dependency)
            }
        }
        guard !dropped.isEmpty else {
            return conclude(request, .noEffect("\(operation) has no such dependency; nothing was changed."))
        }
        takeOutOfArray(place)
        for dependency in dropped {
            graph.removeEdge(to: place, dependency.condition, from: graph.source(of: dependency.target, job: job))
        }
        replaceDependencies(of: place, with: kept)
        graph[place].isRecordedFirst = true
        graph.updateFailureConditions(of: place, without: dropped)
        if !graph.fileWaits.isEmpty { reviewFileWait(of: place) }
        if let ending = graph.failureVerdict(of: place) {
            let reason = Reason(
                ending == .notNeeded ? .notNeeded : .dependency,
                "It runs only on a failure, and none of those that are left failed."
            )
            deferred.skips.append(Skip(node: graph.reference(to: place), reason: reason, ending: ending))
        } else if graph[place].waiting == 0 {
            advance(place, on: .conditionsMet)
            // The record then tells when the operation became ready.
            commitRecord(of: place)
        }
        conclude(request, ChangeReport(changed: 1))
    }

    /// Whether an earlier attempt of an unfinished operation has started, or may have (DE15, BL2).
    ///
    /// Such an operation is past its dependencies: what is added now could only skip an operation that has run. After a crash, a job
    /// may have passed over the number 1 of operations that never started, so that this number alone tells nothing there.
    func hasRunBefore(_ place: NodeIndex) -> Bool {
        let node = graph[place]
        guard node.stage != .executing else { return false }
        if node.failures > 0 || node.losses > 0 || node.attempt > 1 { return true }
        return node.attempt == 1 && !graph[node.job].mayMissAttempts
    }

    /// Validates dependencies, and returns the dependencies that a node does not have yet (DE11).
    private func newDependencies(
        _ dependencies: [Dependency],
        of place: NodeIndex,
        ends: [Address: DependencyEnd]
    ) throws(Refusal) -> [Dependency] {
        let job = graph[place].job
        let label = graph.id(of: graph[place]).description
        var known = Set(
            graph.singleDependencies(of: graph[place]).map { dependency in
                Dependency(
                    on: .existing(graph.address(of: dependency.target, job: job)),
                    condition: dependency.condition
                )
            }
        )
        var added: [Dependency] = []
        for dependency in dependencies {
            guard case .existing(let address) = dependency.target else { continue }
            let target: Dependency.Target
            if let array = graph.arrayEntry(named: address, in: job) {
                target = .entry(array)
            } else {
                target = .existing(try graph.resolve(address, for: label, ends: ends))
            }
            let resolved = Dependency(on: target, condition: dependency.condition)
            let canonical = Dependency(
                on: .existing(graph.address(of: target, job: job)),
                condition: dependency.condition
            )
            guard known.insert(canonical).inserted else { continue }
            try refuseCycle(through: target, named: address, from: place)
            added.append(resolved)
        }
        return added
    }

    private mutating func add(
        _ added: [Dependency],
        to place: NodeIndex,
        ends: [Address: DependencyEnd]
    ) {
        guard !added.isEmpty else { return }
        takeOutOfArray(place)
        replaceDependencies(of: place, with: graph.dependencies(of: graph[place]) + added)
        graph.updateFailureConditions(of: place)
        for dependency in added {
            isolateTarget(of: dependency)
            connect(place, to: dependency, ends: ends)
        }
        if !graph.fileWaits.isEmpty { reviewFileWait(of: place) }
        if graph[place].waiting > 0 { advance(place, on: .conditionAdded) }
    }

    private mutating func replaceDependencies(of place: NodeIndex, with dependencies: [Dependency]) {
        let node = graph[place]
        graph.setDependencies(of: place, to: dependencies)
        emit(.commit(.dependencies(graph.id(of: node), dependencies)))
        noteChange(of: place, .dependencies)
    }
}

extension ChangeReport {
    /// A report of no change, with the reason.
    fileprivate static func noEffect(_ sentence: String) -> ChangeReport {
        ChangeReport(changed: 0, notes: [sentence])
    }
}
