public import BatonOperations

extension Scheduler {
    /// The existing operations and jobs that a submission depends on and that the scheduler does not hold, or no longer
    /// holds.
    ///
    /// The shell looks up these addresses in the record. The shell replaces names in finished jobs by addresses in the
    /// submission, and passes the outcomes with ``Event/submit(_:settled:request:)``. The shell does not look up names in
    /// unfinished jobs: if such an operation is finished, the result contains its address.
    public func unheldDependencies(of submission: Submission) -> Set<Address> {
        var unheld: Set<Address> = []
        for position in submission.entries.indices where submission.entries[position].dependencies.haveExisting {
            for case .existing(let address) in submission.entries[position].dependencies.lazy.map(\.target) {
                let target = withoutName(address)
                if !isHeld(target) { unheld.insert(target) }
            }
        }
        return unheld
    }

    /// The addresses among some targets that the scheduler does not hold, or no longer holds.
    public func unheldTargets(_ targets: [Address]) -> [Address] {
        targets.map { withoutName($0) }.filter { !isHeld($0) }
    }

    /// The unfinished job with a key; the keys of finished jobs are in the record.
    public func job(withKey key: String) -> JobNumber? { keys[key]?.job }

    mutating func submit(
        _ submission: Submission,
        settled: [Address: SettledDependency],
        request: RequestID
    ) {
        if let key = submission.key, let (job, operations, digest) = keys[key] {
            guard !submission.differs(fromDigest: digest) else {
                emit(.answer(request, .refused(.otherSubmission(withKey: key, ofJob: job))))
                return
            }
            emit(.answer(request, .job(job, operations: operations, isNew: false)))
            return
        }
        let resolved: Submission
        do throws(Refusal) {
            resolved = try resolvingNames(of: submission, settled: settled)
            try checkRoom(forQueues: resolved.queueNames + resolved.queueChanges.map(\.name))
            guard nextJob.rawValue < .max else {
                throw Refusal(.storage, "All job numbers are used up. Start the coordinator with a new record.")
            }
        } catch {
            emit(.answer(request, .refused(error)))
            return
        }
        let record = JobRecord(number: nextJob, submittedAt: now, order: nextSequence, submission: resolved)
        nextJob = JobNumber(nextJob.rawValue + 1)
        for change in resolved.queueChanges { changeQueue(change) }
        let queues = resolved.queueNames.map { queue(named: $0) }
        emit(.keep(.job(record)))
        emit(.confirm(.job(record.number)))

        let job = takeIn(record)
        jobs[job].isKept = false
        let operations = jobs[job].operationCount
        if let key = resolved.key { keys[key] = (record.number, operations, resolved.keyDigest) }
        note(.jobSubmitted(record.number, operations: UInt32(operations)))

        nodes.makeRoom(for: resolved.entries.count)
        edges.makeRoom(for: jobs[job].dependencies.count)
        // Read entries by position: a copy of each entry would take as long as its node.
        let entries = resolved.entries
        let added = entries.indices.map { position in
            let live = jobs[job].entries[position]
            return addNode(
                OperationNode(
                    job: job,
                    entry: Int32(position),
                    index: live.first,
                    count: live.count,
                    queue: queues[entries[position].queue],
                    sequence: nextSequence,
                    order: nextSequence,
                    priority: entries[position].priority,
                    isBarrier: entries[position].isBarrier
                )
            )
        }
        for (position, node) in added.enumerated() {
            if entries[position].isHeld { hold(node) }
            if let delay = entries[position].delay, delay > .zero { postpone(node, until: now + delay) }
        }
        connect(added, of: job, settled: settled)
        for (position, node) in added.enumerated() {
            if nodes[node].waiting == 0 { advance(node, on: .conditionsMet) }
            // An operation that was cancelled before submission finishes without running (CA12).
            if entries[position].isCancelled { advance(node, on: .cancellationRequested) }
        }
        answer(request, .job(record.number, operations: operations, isNew: true))
    }

    /// Makes a pending node wait for its release.
    mutating func hold(_ node: Int32) {
        nodes[node].isHeld = true
        nodes[node].waiting += 1
    }

    /// Adds a job without nodes.
    mutating func takeIn(_ record: JobRecord) -> Int32 {
        let place = jobs.insert(LiveJob(record))
        jobPlaces[record.number] = place
        return place
    }

    /// Adds a node with the next age.
    mutating func addNode(_ node: OperationNode) -> Int32 {
        let place = nodes.insert(node)
        nextSequence += UInt64(node.count)
        register(place)
        count(node, in: node.state, by: Int(node.count))
        countInSegment(place)
        return place
    }

    /// Makes the nodes of a new job, one node for each entry, wait for their unfinished dependencies.
    private mutating func connect(_ added: [Int32], of job: Int32, settled: [Address: SettledDependency]) {
        // Gather the first edge of each node here: the nodes of a large job are too far apart for visits in random order.
        var dependents = [Int32](repeating: -1, count: added.count)
        for (entry, node) in added.enumerated() {
            let reference = nodes.reference(to: node)
            for position in jobs[job].dependencyRange(ofEntry: entry) {
                if let (other, condition) = jobs[job].ownOperation(ofDependency: position) {
                    edges.add(reference, condition: condition, to: &dependents[other])
                    nodes[node].waiting += 1
                } else {
                    connect(node, apartTo: jobs[job].dependencies[position], settled: settled)
                }
            }
        }
        for (node, first) in zip(added, dependents) where first >= 0 { nodes[node].dependents = first }
    }

    /// Makes a pending node wait for its unfinished dependencies.
    ///
    /// A dependency that can no longer be met is added to ``skips``. A finished dependency without an entry in `settled` was
    /// met before: the node is a part of a block that already waited.
    mutating func connect(_ node: Int32, settled: [Address: SettledDependency]) {
        let job = nodes[node].job
        guard jobs[job].changedDependencies.isEmpty else {
            for dependency in dependencies(of: nodes[node]) { connect(node, apartTo: dependency, settled: settled) }
            return
        }
        for position in jobs[job].dependencyRange(ofEntry: Int(nodes[node].entry)) {
            // Nearly all dependencies are of this kind, and a large job has millions of them.
            if let (other, condition) = jobs[job].ownNode(ofDependency: position) {
                addEdge(from: other, to: node, condition)
            } else {
                let dependency = jobs[job].dependencies[position]
                connect(node, apartTo: dependency, settled: settled)
            }
        }
    }

    private mutating func connect(
        _ node: Int32,
        apartTo dependency: Dependency,
        settled: [Address: SettledDependency]
    ) {
        isolateTarget(of: dependency)
        connect(node, to: dependency, settled: settled)
    }

    private mutating func addEdge(from other: Int32, to node: Int32, _ condition: DependencyCondition) {
        edges.add(nodes.reference(to: node), condition: condition, to: &nodes[other].dependents)
        nodes[node].waiting += 1
    }

    /// Gives an array element that a dependency targets a node of its own.
    mutating func isolateTarget(of dependency: Dependency) {
        if case .existing(.operation(let id)) = dependency.target, let whole = self.node(for: id) {
            isolate(id, in: whole)
        }
    }

    mutating func connect(_ node: Int32, to dependency: Dependency, settled: [Address: SettledDependency]) {
        let reference = nodes.reference(to: node)
        let condition = dependency.condition
        let job = nodes[node].job
        func skip(_ cause: Ending, for ending: Ending) {
            let reason = unmet(condition, fate(of: dependency.target, job: job, cause), ending)
            skips.append(Skip(node: reference, reason: reason, ending: ending))
        }
        func meet(_ outcome: SettledDependency) {
            if outcome.hasResult { nodes[node].hasInputs = true }
            let ending = outcome.ending
            switch condition {
            case .any: break
            case .success: if ending != .succeeded { skip(ending, for: ending) }
            case .failure:
                guard !ending.isFailure else { break }
                let target = failureTarget(of: dependency.target, job: job)
                if let impossible = ruleOutFailure(of: target, ending, for: node) { skip(ending, for: impossible) }
            }
        }
        func join(_ join: inout Join) {
            if join.unfinished == 0 { return meet(join.settled) }
            edges.add(reference, condition: condition, to: &join.dependents)
            nodes[node].waiting += 1
            if condition == .success, join.isRuledOut { skip(join.settled.ending, for: join.settled.ending) }
        }
        switch source(of: dependency.target, job: job) {
        case .node(let other):
            addEdge(from: other, to: node, condition)
        case .array(let other, let array):
            var state = jobs[other].arrays[array].join
            join(&state)
            jobs[other].arrays[array].join = state
        case .job(let other):
            var state = jobs[other].join
            join(&state)
            jobs[other].join = state
        case .gone(let address):
            if let outcome = settled[address] { meet(outcome) }
        }
    }

    /// Replaces names of existing operations by addresses, drops repeated dependencies, and refuses unknown addresses.
    private func resolvingNames(
        of submission: Submission,
        settled: [Address: SettledDependency]
    ) throws(Refusal) -> Submission {
        let affected = submission.entries.indices.filter { position in
            submission.entries[position].dependencies.haveExisting
                || submission.entries[position].dependencies.haveRepetition
        }
        // Do not copy a large job if no entry needs a change.
        guard !affected.isEmpty else { return submission }
        var resolved = submission
        for position in affected {
            let dependencies = submission.entries[position].dependencies
            for (number, dependency) in dependencies.enumerated() {
                guard case .existing(let address) = dependency.target else { continue }
                let target = try resolve(address, for: submission.label(ofEntry: position), settled: settled)
                resolved.entries[position].dependencies[number].target = .existing(target)
            }
            // A repeated dependency counts once (DE11).
            if dependencies.haveRepetition {
                var seen: Set<Dependency> = []
                resolved.entries[position].dependencies.removeAll { !seen.insert($0).inserted }
            }
        }
        return resolved
    }

    func resolve(
        _ address: Address,
        for label: String,
        settled: [Address: SettledDependency]
    ) throws(Refusal) -> Address {
        let target = withoutName(address)
        guard isHeld(target) || settled[target] != nil else {
            throw Refusal(
                .unknownDependency,
                "\(label.asShown) depends on \(address.asShown), which does not exist. See \"baton list\" and \"baton show\"."
            )
        }
        return target
    }

    /// Replaces the name of a single operation in an unfinished job by an address with its index; an array keeps its name.
    func withoutName(_ address: Address) -> Address {
        guard case .named(let job, let name) = address, let place = jobPlaces[job],
            let entry = jobs[place].entry(named: name), jobs[place].entries[entry].array < 0
        else { return address }
        return .operation(OperationID(job: job, index: jobs[place].entries[entry].first))
    }
}
