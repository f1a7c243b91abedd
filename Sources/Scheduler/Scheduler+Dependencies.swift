import BatonOperations

/// Adding and removing dependencies after submission.
extension Scheduler {
    mutating func depend(
        _ operation: OperationID,
        _ dependencies: [Dependency],
        settled: [Address: SettledDependency],
        request: RequestID
    ) {
        do throws(Refusal) {
            guard let place = select([.operation(operation)]).first else {
                return conclude(request, .noEffect("\(operation) is finished; a dependency has no effect on it."))
            }
            // Resolve names now: a named operation may finish and be forgotten before the request is handled.
            let named = dependencies.map { dependency in
                guard case .existing(let address) = dependency.target else { return dependency }
                return Dependency(on: .existing(withoutName(address)), condition: dependency.condition)
            }
            let event = Event.depend(operation, named, settled: settled, request: request)
            if putOff(event, request, for: [place]) { return }
            guard nodes[place].stage != .executing else {
                return conclude(
                    request,
                    .noEffect("\(operation) is executing; a dependency has no effect on it.")
                )
            }
            let added = try newDependencies(dependencies, of: place, settled: settled)
            add(added, to: place, settled: settled)
            conclude(request, ChangeReport(changed: added.isEmpty ? 0 : 1))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    mutating func undepend(_ operation: OperationID, _ targets: [Address], request: RequestID) {
        guard let place = select([.operation(operation)]).first else {
            return conclude(request, .noEffect("\(operation) is finished; its dependencies stay as they are."))
        }
        guard nodes[place].stage != .executing else {
            return conclude(request, .noEffect("\(operation) is executing; its dependencies stay as they are."))
        }
        let job = nodes[place].job
        let removed = Set(targets.map { withoutName($0) })
        var kept: [Dependency] = []
        var dropped: [Dependency] = []
        for dependency in dependencies(of: nodes[place]) {
            if removed.contains(address(of: dependency.target, job: job)) {
                dropped.append(dependency)
            } else {
                kept.append(dependency)
            }
        }
        guard !dropped.isEmpty else {
            return conclude(request, .noEffect("\(operation) has no such dependency; nothing was changed."))
        }
        for dependency in dropped { disconnect(place, from: dependency) }
        replaceDependencies(of: place, with: kept)
        updateFailureConditions(of: place, without: dropped)
        if let ending = failureVerdict(of: place) {
            let reason = Reason(
                ending == .notNeeded ? .notNeeded : .dependency,
                "It runs only on a failure, and none of those that are left failed."
            )
            skips.append(Skip(node: nodes.reference(to: place), reason: reason, ending: ending))
        } else if nodes[place].waiting == 0 {
            advance(place, on: .conditionsMet)
        }
        conclude(request, ChangeReport(changed: 1))
    }

    /// The dependencies of a node, including finished ones (DE10).
    func dependencies(of node: OperationNode) -> [Dependency] {
        jobs[node.job].dependencies(ofEntry: Int(node.entry), at: node.index)
    }

    /// Validates dependencies, and returns the dependencies that a node does not have yet (DE11).
    private func newDependencies(
        _ dependencies: [Dependency],
        of place: Int32,
        settled: [Address: SettledDependency]
    ) throws(Refusal) -> [Dependency] {
        let job = nodes[place].job
        let label = id(of: nodes[place]).description
        var known = Set(
            self.dependencies(of: nodes[place]).map { dependency in
                Dependency(
                    on: .existing(address(of: dependency.target, job: job)),
                    condition: dependency.condition
                )
            }
        )
        var added: [Dependency] = []
        for dependency in dependencies {
            guard case .existing(let address) = dependency.target else { continue }
            let target: Dependency.Target
            if let array = array(named: address, in: job) {
                target = .entry(array)
            } else {
                target = .existing(try resolve(address, for: label, settled: settled))
            }
            let resolved = Dependency(on: target, condition: dependency.condition)
            let canonical = Dependency(
                on: .existing(self.address(of: target, job: job)),
                condition: dependency.condition
            )
            guard known.insert(canonical).inserted else { continue }
            if let path = path(from: target, to: place) {
                throw Refusal(
                    .cycle,
                    "\(label) cannot depend on \(address.asShown), because that would create a dependency cycle: "
                        + "\(Refusal.text(ofPath: path)). Nothing was changed.",
                    path: path
                )
            }
            added.append(resolved)
        }
        return added
    }

    private mutating func add(
        _ added: [Dependency],
        to place: Int32,
        settled: [Address: SettledDependency]
    ) {
        guard !added.isEmpty else { return }
        replaceDependencies(of: place, with: dependencies(of: nodes[place]) + added)
        updateFailureConditions(of: place)
        for dependency in added {
            isolateTarget(of: dependency)
            connect(place, to: dependency, settled: settled)
        }
        if nodes[place].waiting > 0 { advance(place, on: .conditionAdded) }
    }

    private mutating func replaceDependencies(of place: Int32, with dependencies: [Dependency]) {
        let node = nodes[place]
        jobs[node.job].changedDependencies[node.index] = dependencies
        emit(.keep(.dependencies(id(of: node), dependencies)))
        noteChange(of: place, .dependencies)
    }

    /// Removes a node from the dependents of a dependency's target, if the target is unfinished.
    private mutating func disconnect(_ place: Int32, from dependency: Dependency) {
        let reference = nodes.reference(to: place)
        let isRemoved: Bool
        switch source(of: dependency.target, job: nodes[place].job) {
        case .gone:
            return
        case .node(let other):
            isRemoved = edges.remove(reference, condition: dependency.condition, from: &nodes[other].dependents)
        case .array(let job, let array):
            isRemoved = edges.remove(
                reference,
                condition: dependency.condition,
                from: &jobs[job].arrays[array].join.dependents
            )
        case .job(let other):
            isRemoved = edges.remove(reference, condition: dependency.condition, from: &jobs[other].join.dependents)
        }
        if isRemoved { nodes[place].waiting -= 1 }
    }

    /// The entry of a job that an address names; nil unless the entry is an array of the job.
    private func array(named address: Address, in job: Int32) -> Int? {
        guard case .named(let number, let name) = address, jobs[job].number == number,
            let entry = jobs[job].entry(named: name), jobs[job].entries[entry].array >= 0
        else { return nil }
        return entry
    }

    /// The address of a dependency's target, in the form of ``withoutName(_:)``.
    ///
    /// The address of an array without a name is the address of its first element.
    private func address(of target: Dependency.Target, job: Int32) -> Address {
        switch target {
        case .existing(let address):
            return address
        case .entry(let entry):
            let live = jobs[job].entries[entry]
            let first = OperationID(job: jobs[job].number, index: live.first)
            let name = jobs[job].names[entry]
            return live.array >= 0 && !name.isEmpty ? .named(first.job, name) : .operation(first)
        }
    }
}

extension ChangeReport {
    /// A report of no change, with the reason.
    fileprivate static func noEffect(_ sentence: String) -> ChangeReport {
        ChangeReport(changed: 0, notes: [sentence])
    }
}
