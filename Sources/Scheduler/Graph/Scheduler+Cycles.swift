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
        // A cancelled barrier that is not executing blocks no operation.
        var first = segment
        while first > 0, let barrier = segments.barrier(before: first).flatMap({ graph.resolve($0) }),
            graph[barrier].isCancelled, graph[barrier].state != .executing
        {
            first -= 1
        }
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
