@_spi(Baton) import BatonOperations

/// Refuses a later dependency that would create a cycle, by a search for the operations that an operation waits for, directly or
/// indirectly: dependencies, and barriers of the queue.
extension Scheduler {
    /// An operation, array or job that another operation waits for.
    private enum WaitTarget: Hashable {
        case node(NodeIndex)
        case array(job: JobIndex, array: ArrayIndex)
        case job(JobIndex)
    }

    /// Refuses a new dependency of an operation on a target that waits for the operation (DE16).
    ///
    /// - Parameters:
    ///   - target: the target of the new dependency.
    ///   - address: the target's address in the request.
    ///   - place: the operation that is to depend on the target.
    /// - Throws: ``Refusal`` with the code `cycle` and the path.
    /// - Complexity: O(operations that the target waits for, directly or indirectly).
    func refuseCycle(
        through target: Dependency.Target,
        named address: Address,
        from place: NodeIndex
    ) throws(Refusal) {
        guard let path = path(from: target, to: place) else { return }
        let label = graph.id(of: graph[place]).description
        throw Refusal(
            .cycle,
            "\(label) cannot depend on \(address.asShown), because that would create a dependency cycle: "
                + "\(Refusal.text(ofPath: path)). Nothing was changed.",
            path: path
        )
    }

    /// The path along which a target waits for an operation; nil if the target does not wait for the operation.
    ///
    /// A depth-first search with an explicit stack, so that chains may have any length (DE19).
    ///
    /// - Returns: the names of the operations on the path, with the name of the operation both first and last.
    /// - Complexity: O(operations that the target waits for, directly or indirectly).
    private func path(from target: Dependency.Target, to goal: NodeIndex) -> [String]? {
        let start: WaitTarget
        switch graph.source(of: target, job: graph[goal].job) {
        case .gone: return nil
        case .node(let place): start = .node(place)
        case .array(let job, let array): start = .array(job: job, array: array)
        case .job(let job): start = .job(job)
        }
        var cuts = BarrierCuts()
        // The predecessor of each target on the path from the start.
        var origins: [WaitTarget: WaitTarget] = [start: start]
        var open = [start]
        while let current = open.popLast() {
            if current == .node(goal) {
                var path = [label(of: current)]
                var step = current
                while let origin = origins[step], origin != step {
                    path.append(label(of: origin))
                    step = origin
                }
                return [label(of: .node(goal))] + path.reversed()
            }
            for next in prerequisites(of: current, &cuts) where origins[next] == nil {
                origins[next] = current
                open.append(next)
            }
        }
        return nil
    }

    /// Refuses operations that would wait for the end of the job to which they are added (DE16).
    ///
    /// - Throws: ``Refusal`` with the code `cycle` and the path.
    /// - Complexity: O(1) without dependents of the whole job, otherwise O(operations that the new ones wait for, directly or
    ///   indirectly).
    func refuseCycle(of submission: Submission, addedTo job: JobIndex) throws(Refusal) {
        let goal = WaitTarget.job(job)
        let mayWait = graph[job].join.dependents != nil
        var cuts = BarrierCuts()
        var origins: [WaitTarget: WaitTarget] = [:]
        for position in submission.entries.indices {
            let entry = submission.entries[position]
            guard mayWait || entry.dependencies.haveExisting else { continue }
            var starts = entry.dependencies.compactMap { waitTarget(of: $0.target, job: job) }
            if mayWait, let queue = queues.index(ofName: submission.queueNames[entry.queue]) {
                starts += whatComesBefore(newIn: queue, isBarrier: entry.isBarrier, &cuts).map { .node($0) }
            }
            var open: [WaitTarget] = []
            for start in starts where origins[start] == nil {
                origins[start] = start
                open.append(start)
            }
            while let current = open.popLast() {
                guard current != goal else {
                    throw cycle(of: submission.label(ofEntry: position), through: path(to: goal, origins))
                }
                guard mayWait else { continue }
                for next in prerequisites(of: current, &cuts) where origins[next] == nil {
                    origins[next] = current
                    open.append(next)
                }
            }
        }
    }

    private func cycle(of label: String, through path: [String]) -> Refusal {
        let whole = [label] + path + [label]
        return Refusal(
            .cycle,
            "\(label.asShown) cannot be added to job \(path.last ?? ""), because it would wait for the end of that job: "
                + "\(Refusal.text(ofPath: whole)). Nothing was added.",
            path: whole
        )
    }

    /// The names on the way to a target, by the predecessors of each target.
    private func path(to goal: WaitTarget, _ origins: [WaitTarget: WaitTarget]) -> [String] {
        var path = [label(of: goal)]
        var step = goal
        while let origin = origins[step], origin != step {
            path.append(label(of: origin))
            step = origin
        }
        return path.reversed()
    }

    /// What a dependency of one of a job's operations waits for; nil for a target that is gone, and for an entry of an addition.
    private func waitTarget(of target: Dependency.Target, job: JobIndex) -> WaitTarget? {
        if case .entry = target { return nil }
        return switch graph.source(of: target, job: job) {
        case .gone: nil
        case .node(let other): .node(other)
        case .array(let job, let array): .array(job: job, array: array)
        case .job(let job): .job(job)
        }
    }

    /// The nodes that an operation will wait for because of the barriers of its queue.
    private func whatComesBefore(newIn queue: QueueIndex, isBarrier: Bool, _ cuts: inout BarrierCuts) -> [NodeIndex] {
        let segments = queues[queue].segments
        let last = segments.count - 1
        let first = firstSegment(before: last, in: segments)
        var result = segments.barrier(before: first).flatMap { graph.resolve($0) }.map { [$0] } ?? []
        guard isBarrier else { return result }
        let members = cuts.members(of: queue) { nodesBySegment(ofQueue: queue) }
        for number in first...last { result += members[number] }
        return result
    }

    /// The segment before which a barrier blocks the operations of a segment: a cancelled barrier that is not executing blocks
    /// no operation.
    private func firstSegment(before segment: Int, in segments: BarrierSegments) -> Int {
        var first = segment
        while first > 0, let barrier = segments.barrier(before: first).flatMap({ graph.resolve($0) }),
            graph[barrier].isCancelled, graph[barrier].state != .executing
        {
            first -= 1
        }
        return first
    }

    private func prerequisites(of target: WaitTarget, _ cuts: inout BarrierCuts) -> [WaitTarget] {
        switch target {
        case .array(let job, let array):
            return graph.nodes(of: array, in: job).map { .node($0) }
        case .job(let job):
            return graph.unfinishedNodes(of: job).map { .node($0) }
        case .node(let place):
            let node = graph[place]
            // A cancelled operation only waits for its queue to resume (CA3, SU4).
            guard node.state != .executing, !node.isCancelled else { return [] }
            return dependencyTargets(of: node) + whatComesBefore(node, at: place, &cuts).map { .node($0) }
        }
    }

    private func dependencyTargets(of node: OperationNode) -> [WaitTarget] {
        graph.dependencies(of: node).compactMap { dependency in
            switch graph.source(of: dependency.target, job: node.job) {
            case .gone: nil
            case .node(let other): .node(other)
            case .array(let job, let array): .array(job: job, array: array)
            case .job(let job): .job(job)
            }
        }
    }

    /// The nodes that a node waits for because of the barriers of its queue.
    private func whatComesBefore(_ node: OperationNode, at place: NodeIndex, _ cuts: inout BarrierCuts) -> [NodeIndex] {
        let segments = queues[node.queue].segments
        guard segments.count > 1 else { return [] }
        let segment = segments.position(ofAge: node.sequence)
        let first = firstSegment(before: segment, in: segments)
        var result = segments.barrier(before: first).flatMap { graph.resolve($0) }.map { [$0] } ?? []
        guard node.isBarrier else { return result }
        let members = cuts.members(of: node.queue) { nodesBySegment(ofQueue: node.queue) }
        for number in first...segment { result += members[number].lazy.filter { $0 != place } }
        return result
    }

    /// The nodes of a queue, grouped by segment.
    private func nodesBySegment(ofQueue queue: QueueIndex) -> [[NodeIndex]] {
        var members = [[NodeIndex]](repeating: [], count: queues[queue].segments.count)
        for place in graph.nodeIndexes where graph[place].queue == queue {
            members[queues[queue].segments.position(ofAge: graph[place].sequence)].append(place)
        }
        return members
    }

    /// The nodes that must finish before a node can start.
    func nodesAwaited(by place: NodeIndex, _ cuts: inout BarrierCuts) -> [NodeIndex] {
        prerequisites(of: .node(place), &cuts).flatMap { target -> [NodeIndex] in
            switch target {
            case .node(let other): [other]
            case .array(let job, let array):
                graph.nodes(of: array, in: job)
            case .job(let job): graph.unfinishedNodes(of: job)
            }
        }
    }

    private func label(of target: WaitTarget) -> String {
        switch target {
        case .node(let place):
            return graph.shortName(of: graph[place])
        case .array(let job, let array):
            return graph[job].address(of: array).description
        case .job(let job):
            return graph[job].number.description
        }
    }
}

/// The nodes between the barriers of queues, cached for the duration of one search.
struct BarrierCuts {
    private var queues: [QueueIndex: [[NodeIndex]]] = [:]

    /// The nodes of a queue, grouped by segment; computed on the first call for the queue.
    mutating func members(of queue: QueueIndex, _ find: () -> [[NodeIndex]]) -> [[NodeIndex]] {
        if let members = queues[queue] { return members }
        let members = find()
        queues[queue] = members
        return members
    }
}
