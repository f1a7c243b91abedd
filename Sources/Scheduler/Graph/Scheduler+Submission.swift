@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Scheduler {
    /// The existing operations and jobs that a submission depends on and that the scheduler does not know, or no longer
    /// knows.
    ///
    /// The shell looks up these addresses in the record. The shell replaces names in finished jobs by addresses in the
    /// submission, and passes the outcomes with ``Event/submit(_:ends:request:)``. The shell does not look up names in
    /// unfinished jobs: if such an operation is finished, the result contains its address.
    public func unknownDependencies(of submission: Submission) -> Set<Address> {
        var unknown: Set<Address> = []
        for position in submission.entries.indices where submission.entries[position].dependencies.haveExisting {
            for case .existing(let address) in submission.entries[position].dependencies.lazy.map(\.target) {
                let target = graph.withoutName(address)
                if !graph.contains(target) { unknown.insert(target) }
            }
        }
        return unknown
    }

    /// The addresses among some targets that the scheduler does not know, or no longer knows.
    public func unknownTargets(_ targets: [Address]) -> [Address] {
        targets.map { graph.withoutName($0) }.filter { !graph.contains($0) }
    }

    /// The unfinished job whose submission, or an addition to it, has a key; the keys of finished jobs are in the record.
    public func job(withKey key: String) -> JobNumber? { graph.keys[key]?.number }

    /// The unfinished jobs whose submissions have keys that begin with a text, by key.
    ///
    /// - Complexity: O(keys of unfinished jobs).
    public func jobs(withKeyPrefix prefix: String) -> [String: JobNumber] { graph.keys.jobs(withPrefix: prefix) }

    /// Takes the next job's number for a submission that is still on its way into the record; nil if all are used up.
    ///
    /// A number that no job gets in the end stays unused.
    public mutating func reserveJob() -> JobNumber? {
        guard recordState.nextJob.rawValue < .max else { return nil }
        defer { recordState.nextJob = JobNumber(recordState.nextJob.rawValue + 1) }
        return recordState.nextJob
    }

    mutating func submit(
        _ validated: ValidatedSubmission,
        ends: [Address: DependencyEnd],
        reserved: JobNumber?,
        request: RequestID
    ) {
        let submission = validated.submission
        if let key = submission.key, let earlier = graph.keys[key] {
            guard !earlier.isAddition, !submission.differs(fromDigest: earlier.digest) else {
                emit(.answer(request, .refused(earlier.refusal(ofKey: key))))
                return
            }
            emit(.answer(request, .job(earlier.number, operations: earlier.operations, isNew: false)))
            return
        }
        var resolved: Submission
        let number: JobNumber
        do throws(Refusal) {
            // The entries of a job that arrives were looked at before its first turn.
            let isTaken = reserved.map { isArriving($0) } ?? false
            resolved =
                try isTaken
                ? submission
                : graph.resolvingNames(of: submission, ends: ends, elementEnds: validated.elementEnds)
            if submission.rejectsUnplaceable, let refusal = unplaceable(submission) { throw refusal }
            try checkRoom(forQueues: resolved.queueNames + resolved.queueChanges.map(\.name))
            if validated.needs.haveRequests { try checkLimits(of: submission.templates) }
            guard let given = reserved ?? reserveJob() else {
                throw Refusal(.storage, "All job numbers are used up. Start the coordinator with a new record.")
            }
            number = given
        } catch {
            emit(.answer(request, .refused(error)))
            return
        }
        resolved.rejectsUnplaceable = false
        // The record has the files of the operation.
        resolved.sent = nil
        if validated.haveElements { resolved.addressElements(in: number) }
        if isArriving(number) { return reveal(number, validated, resolved, request: request) }
        let record = JobRecord(
            number: number,
            submittedAt: now,
            submittedBy: current.requester?.text,
            order: graph.nextSequence,
            submission: resolved,
            areRowsStored: reserved != nil
        )
        for change in resolved.queueChanges { changeQueue(change) }
        let queues = resolved.queueNames.map { queue(named: $0) }
        emit(.commit(.job(record)))
        emit(.confirm(.job(record.number)))

        let job = graph.insert(record, validated.needs)
        graph[job].uncommittedParts = 1
        let operations = graph[job].operationCount
        graph.noteKey(of: resolved, job: job)
        note(.jobSubmitted(record.number, operations: UInt32(operations)))

        graph.makeRoom(forNodes: resolved.entries.count, edges: graph[job].dependencies.count)
        let added = addNodes(of: resolved.entries, to: job, from: 0, in: queues)
        if validated.needs.haveDeadlines { noteDeadlines(of: job, entries: 0..<added.count, since: now) }
        noteDeadline(ofWhole: job, since: now)
        var allEnds = ends
        if validated.haveElements { divide(0..<added.count, of: job, validated.elementEnds, &allEnds) }
        let divided = validated.haveElements ? dividedNodes(among: added, of: job, from: 0) : []
        connect(added, of: job, ends: allEnds)
        for (_, node) in divided { connect(node, ends: allEnds) }
        start(added, of: resolved.entries)
        start(divided, of: resolved.entries)
        if let sent = submission.sent { takeSentFiles(sent, of: job) }
        if !validated.reused.isEmpty { takeResults(validated.reused, of: record.number) }
        answer(request, .job(record.number, operations: operations, isNew: true))
    }

    /// Adds the nodes of new entries, one for each, without dependencies.
    ///
    /// - Parameters:
    ///   - entries: the entries as submitted.
    ///   - base: the number of the job's earlier entries.
    ///   - queues: the queues by their position in the submission.
    mutating func addNodes(
        of entries: [Entry],
        to job: JobIndex,
        from base: Int,
        in queues: [QueueIndex]
    ) -> [NodeIndex] {
        // Read entries by position: a copy of each entry would take as long as its node.
        let added = entries.indices.map { position in
            let live = graph[job].entries[base + position]
            return addNode(
                OperationNode(
                    job: job,
                    entry: Int32(base + position),
                    index: live.first,
                    count: live.count,
                    queue: queues[entries[position].queue],
                    sequence: graph.nextSequence,
                    order: graph.nextSequence,
                    priority: entries[position].priority,
                    isBarrier: entries[position].isBarrier
                )
            )
        }
        for (position, node) in added.enumerated() {
            if entries[position].isHeld { graph[node].hold() }
            if let delay = entries[position].delay, delay > .zero { postpone(node, until: now + delay) }
        }
        return added
    }

    /// The nodes that were split off the nodes of new entries, with the positions of these entries, and without dependencies.
    ///
    /// - Parameter base: the number of the job's earlier entries.
    mutating func dividedNodes(
        among added: [NodeIndex],
        of job: JobIndex,
        from base: Int
    ) -> [(position: Int, node: NodeIndex)] {
        var divided: [(position: Int, node: NodeIndex)] = []
        for (position, first) in added.enumerated()
        where graph[first].count < graph[job].entries[base + position].count {
            for node in graph.unfinishedNodes(of: job, inEntry: base + position) where node != first {
                if graph[node].isHeld { graph[node].hold() }
                if let time = graph[node].notBefore { postpone(node, until: time) }
                divided.append((position, node))
            }
        }
        return divided
    }

    /// Starts the course of new operations that were split off their entries' nodes.
    mutating func start(_ divided: [(position: Int, node: NodeIndex)], of entries: [Entry]) {
        for (position, node) in divided {
            if graph[node].waiting == 0 { advance(node, on: .conditionsMet) }
            if entries[position].isCancelled { advance(node, on: .cancellationRequested) }
        }
    }

    /// Starts the course of new operations, whose dependencies are known.
    mutating func start(_ added: [NodeIndex], of entries: [Entry]) {
        // A million events would take more time and memory than the operations.
        let areToldTogether = added.count > configuration.operationsPerTurn
        if areToldTogether { noteReady(added) }
        let context = TransitionContext(wasTold: areToldTogether)
        for (position, node) in added.enumerated() {
            if graph[node].waiting == 0 { advance(node, on: .conditionsMet, context) }
            // An operation that was cancelled before it was added finishes without running (CA12).
            if entries[position].isCancelled { advance(node, on: .cancellationRequested) }
        }
    }

    /// Tells watchers of the new operations of a job that are about to be ready.
    private mutating func noteReady(_ added: [NodeIndex]) {
        var ready = ReadyRuns()
        for place in added where graph[place].waiting == 0 {
            let node = graph[place]
            ready.append(node)
        }
        guard let first = added.first else { return }
        let job = graph[first].job
        noteReady(ready, of: graph[job].number)
    }

    /// Tells watchers of new operations that are ready: of neighbours in one event.
    mutating func noteReady(_ ready: ReadyRuns, of job: JobNumber) {
        let change = ClusterEvent.OperationChange.state(.ready, outcome: nil, attempt: 0, worker: nil)
        for run in ready.runs {
            let first = OperationID(job: job, index: run.first)
            note(.operations(first, count: run.count, change), in: queues[run.queue].name)
        }
    }

    /// Adds a node with the next age.
    mutating func addNode(_ node: OperationNode) -> NodeIndex {
        let place = graph.insert(node)
        count(node, in: node.state, by: Int(node.count))
        countInSegment(place)
        return place
    }

    /// Makes the nodes of a new job, one node for each entry, wait for their unfinished dependencies.
    private mutating func connect(_ added: [NodeIndex], of job: JobIndex, ends: [Address: DependencyEnd]) {
        // Gather the first edge of each node here: the nodes of a large job are too far apart for visits in random order.
        var dependents = [EdgeTable.Index?](repeating: nil, count: added.count)
        for (entry, node) in added.enumerated() {
            for position in graph[job].dependencyRange(ofEntry: entry) {
                if let (other, condition) = graph[job].ownOperation(ofDependency: position) {
                    graph.addEdge(to: node, condition, in: &dependents[other])
                } else {
                    connect(node, apartTo: graph[job].dependencies[position], ends: ends)
                }
            }
        }
        for (node, first) in zip(added, dependents) where first != nil { graph[node].dependents = first }
    }

    /// Makes a pending node wait for its unfinished dependencies.
    ///
    /// A dependency that can no longer be met is added to ``DeferredWork/skips``. A finished dependency without an entry in `ends` was
    /// met before: the node is a part of a block that already waited.
    mutating func connect(_ node: NodeIndex, ends: [Address: DependencyEnd]) {
        let job = graph[node].job
        guard graph[job].changedDependencies.isEmpty else {
            for dependency in graph.dependencies(of: graph[node]) {
                connect(node, apartTo: dependency, ends: ends)
            }
            return
        }
        for position in graph[job].dependencyRange(ofEntry: Int(graph[node].entry)) {
            // Nearly all dependencies are of this kind, and a large job has millions of them.
            if let (other, condition) = graph[job].ownNode(ofDependency: position) {
                graph.addEdge(from: .node(other), to: node, condition)
            } else {
                let dependency = graph[job].dependencies[position]
                connect(node, apartTo: dependency, ends: ends)
            }
        }
    }

    private mutating func connect(
        _ node: NodeIndex,
        apartTo dependency: Dependency,
        ends: [Address: DependencyEnd]
    ) {
        switch dependency.target {
        case .elements, .existingElements: return connect(node, toElementsOf: dependency, ends: ends)
        case .entry, .existing, .element: break
        }
        isolateTarget(of: dependency)
        connect(node, to: dependency, ends: ends)
    }

    /// Gives an array element that a dependency targets a node of its own.
    ///
    /// - Parameter isConnected: see ``isolate(_:in:isConnected:)``.
    mutating func isolateTarget(of dependency: Dependency, isConnected: Bool = true) {
        if case .existing(.operation(let id)) = dependency.target, let whole = graph.node(for: id) {
            isolate(id, in: whole, isConnected: isConnected)
        }
    }

    mutating func connect(_ node: NodeIndex, to dependency: Dependency, ends: [Address: DependencyEnd]) {
        let reference = graph.reference(to: node)
        let condition = dependency.condition
        let job = graph[node].job
        func skip(_ cause: Ending, for ending: Ending) {
            let reason = graph.unmet(condition, graph.fate(of: dependency.target, job: job, cause), ending)
            deferred.skips.append(Skip(node: reference, reason: reason, ending: ending))
        }
        func meet(_ outcome: DependencyEnd) {
            if outcome.hasResult { graph[node].hasInputs = true }
            if outcome.hasFiles { noteFileInputs(of: node, from: graph.address(of: dependency.target, job: job).job) }
            let ending = outcome.ending
            switch condition {
            case .any: break
            case .success: if ending != .succeeded { skip(ending, for: ending) }
            case .failure:
                guard !ending.isFailure else { break }
                let target = graph.failureTarget(of: dependency.target, job: job)
                if let impossible = graph.ruleOutFailure(of: target, ending, for: node) {
                    skip(ending, for: impossible)
                }
            case .failureOfAll: if !ending.isFailure { skip(ending, for: Graph.skip(afterOnly: ending)) }
            }
        }
        let source = graph.source(of: dependency.target, job: job)
        if case .gone(let address) = source {
            if let outcome = ends[address] { meet(outcome) }
        } else if let join = graph.join(of: source), join.unfinished == 0 {
            meet(join.dependencyEnd)
        } else {
            graph.addEdge(from: source, to: node, condition)
            if condition == .success, let join = graph.join(of: source), join.isRuledOut {
                skip(join.dependencyEnd.ending, for: join.dependencyEnd.ending)
            }
        }
    }
}
