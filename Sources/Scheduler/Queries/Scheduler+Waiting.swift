@_spi(Baton) public import BatonOperations

/// What holds the rest of a job up.
@_spi(Baton) extension Scheduler {
    /// The most unfinished nodes of a job that are looked at.
    static let mostWaitingNodes = 10_000
    /// The most dependencies of all these nodes that are looked at.
    private static let mostWaitingDependencies = 50_000
    /// The most workers that are looked at for all operations with needs of their own.
    static let mostWaitingWorkers = 3_000
    /// The most segments of a queue whose operations are told apart.
    private static let mostWaitingSegments = 50

    /// The unfinished operations of a job that do not execute, by what they wait for.
    ///
    /// An operation counts once: as held, else under its dependencies, else under its start time, else as ready. Ready operations
    /// of one category count together under the impediment of the first. Only the first nodes of a job are examined; an array
    /// without a started element is one node.
    ///
    /// - Parameter limit: the most groups.
    /// - Returns: nil if the scheduler does not know the job.
    /// - Complexity: O(entries of the job + workers), and some thousand steps for the nodes.
    public func waiting(in number: JobNumber, limit: Int) -> WaitingOperations? {
        guard let job = graph.job(number) else { return nil }
        var tally = WaitingTally(dependencySteps: Self.mostWaitingDependencies)
        for place in graph.unfinishedNodes(of: job, limit: Self.mostWaitingNodes) {
            let node = graph[place]
            guard node.state != .executing else { continue }
            count(node, at: place, &tally)
        }
        var groups: [WaitingGroup] = []
        var workersToLookAt = max(Self.mostWaitingWorkers, workers.count)
        for part in tally.parts.sorted(by: WaitingTally.Part.isBefore).prefix(limit) {
            let wait: CommonWait
            if part.category.requirement == nil {
                wait = self.wait(of: part)
            } else {
                wait = workersToLookAt >= workers.count ? self.wait(of: part) : .worker
                workersToLookAt -= workers.count
            }
            let queue = queues[graph[part.first].queue].name
            // Operations with different needs may wait for the same thing.
            if let same = groups.firstIndex(where: { $0.queue == queue && $0.wait == wait }) {
                groups[same].count += part.count
                groups[same].operation = min(groups[same].operation, graph.id(at: part.first))
            } else {
                groups.append(
                    WaitingGroup(operation: graph.id(at: part.first), count: part.count, queue: queue, wait: wait)
                )
            }
        }
        groups.sort { ($1.count, $0.operation) < ($0.count, $1.operation) }
        let told = groups.reduce(0) { $0 + $1.count }
        return WaitingOperations(groups: groups, more: graph[job].counts.pending + graph[job].counts.ready - told)
    }

    /// Counts the operations of a node where they belong.
    private func count(_ node: OperationNode, at place: NodeIndex, _ tally: inout WaitingTally) {
        var category = WaitingTally.Category(queue: node.queue)
        var dependency: WaitingTally.FirstDependency?
        switch node.stage {
        case .executing, .finished: return
        case .pending where node.isCancelled, .ready where node.isCancelled: category.stage = .cancelled
        case .sent where fetch(of: node) != nil: category.stage = .fetching
        case .sent:
            let isAway = node.worker.map { workers[$0].isAbsent } ?? false
            category.stage = .sent(isRecalled: node.isRecalled, isAway: isAway)
        case .pending where node.isHeld: category.stage = .held
        case .pending where graph.fileWaits[place] != nil: category.stage = .lackingFiles
        case .pending where node.waiting > (node.notBefore == nil ? 0 : 1):
            dependency = firstDependency(of: node, &tally.dependencySteps)
            let job = dependency?.address.job
            category.stage = .waiting(for: job == graph[node.job].number ? nil : job)
        case .pending where node.notBefore != nil:
            category.stage = lackingRoom(of: place).isEmpty ? .delayed(isRetry: node.attempt > 0) : .lackingRoom
        case .pending: category.stage = .unhindered
        case .ready: complete(&category, for: node, &tally)
        }
        tally.count(node, at: place, in: category, dependency)
    }

    /// Sets what decides when a ready node can start: the segment of the queue, the array at its limit, or the requirement.
    private func complete(
        _ category: inout WaitingTally.Category,
        for node: OperationNode,
        _ tally: inout WaitingTally
    ) {
        category.stage = .ready
        // The whole queue waits.
        if queues[node.queue].isGated || queues[node.queue].settings.isSuspended { return }
        if queues[node.queue].segments.count > 1 {
            let segment = queues[node.queue].segments.position(ofAge: node.sequence)
            // Operations behind many barriers wait for the first of these, too.
            if segment > 0 || node.isBarrier { category.segment = min(segment, Self.mostWaitingSegments) }
            category.isBarrier = node.isBarrier
            if category.segment != nil, !isFirst(node) { return }
        }
        if isAtArrayLimit(node) {
            category.array = graph[node.job].entries[Int(node.entry)].array
            return
        }
        // At the limit, at the rate, and behind a place that is kept, it does not matter what workers offer.
        guard queues[node.queue].isBelowLimit, !queues[node.queue].gates.contains(.rate) else { return }
        if queues[node.queue].isLastPlaceKept {
            category.isBehindKeptPlace = tally.isBehindKeptPlace(node) {
                reservations.reservation(ofQueue: node.queue).flatMap { firstReserved($0) }.map { graph[$0].rank }
            }
        }
        if !category.isBehindKeptPlace { category.requirement = graph.requirement(of: node) }
    }

    /// What a node waits for first: an operation, an array or a job that has not ended; nil beyond the number of steps.
    private func firstDependency(of node: OperationNode, _ steps: inout Int) -> WaitingTally.FirstDependency? {
        /// The target of a dependency; nil if the target has ended.
        func unfinished(_ dependency: Dependency) -> WaitingTally.FirstDependency? {
            guard let source = graph.firstSource(of: dependency, for: node) else { return nil }
            switch source {
            case .gone: return nil
            case .node(let other):
                let entry = Int(node.entry)
                guard let element = graph.element(dependency.target, for: node.index, inEntry: entry, of: node.job)
                else { return .init(address: .operation(graph.id(at: other)), isShared: true) }
                return .init(address: .operation(element), isShared: node.count == 1)
            case .array(let job, let array):
                guard graph[job].arrays[array.offset].join.unfinished > 0 else { return nil }
                return .init(address: graph[job].address(of: array), isShared: true)
            case .job(let job): return .init(address: .job(graph[job].number), isShared: true)
            }
        }
        if !graph[node.job].changedDependencies.isEmpty,
            let changed = graph[node.job].changedDependencies[node.index]
        {
            for dependency in changed {
                guard steps > 0 else { return nil }
                steps -= 1
                if let first = unfinished(dependency) { return first }
            }
            return nil
        }
        for position in graph[node.job].dependencyRange(ofEntry: Int(node.entry)) {
            guard steps > 0 else { return nil }
            steps -= 1
            if let first = unfinished(graph[node.job].dependencies[position]) { return first }
        }
        return nil
    }

    /// What the operations of a part wait for.
    private func wait(of part: WaitingTally.Part) -> CommonWait {
        let node = graph[part.first]
        let queue = queues[node.queue]
        switch part.category.stage {
        case .cancelled: return .impediment(.cancelled(queue: queue.name))
        case .sent(let isRecalled, let isAway):
            return .impediment(.sent(worker: workerName(of: node), isRecalled: isRecalled, isAway: isAway))
        case .fetching: return shownFetch(of: node).map { .impediment($0) } ?? .nothing
        case .held: return .impediment(.hold)
        case .waiting:
            if part.isOnlyDependency, case .job(let number)? = part.dependency, let job = graph.job(number),
                graph[job].isOpen, graph[job].counts.unfinished == 0
            {
                return .impediment(.openJob(number))
            }
            return .dependencies(first: part.dependency, isOnly: part.isOnlyDependency)
        case .lackingFiles: return lackingFiles(of: part.first, depth: 1).first.map { .impediment($0) } ?? .nothing
        case .lackingRoom: return lackingRoom(of: part.first).first.map { .impediment($0) } ?? .nothing
        case .delayed(let isRetry): return part.from.map { .delays(from: $0, isRetry: isRetry) } ?? .nothing
        case .unhindered: return .nothing
        case .ready:
            if let restart = restart(of: node) { return .impediment(restart) }
            if queue.settings.isSuspended { return .impediment(.suspended(queue: queue.name)) }
            let impediment = barrier(of: node, told: 0) ?? shortage(for: node, isBrief: true).first
            return impediment.map { .impediment($0) } ?? .nothing
        }
    }
}
