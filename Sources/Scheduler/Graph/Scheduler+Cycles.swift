@_spi(Baton) import BatonOperations

/// Refuses a later dependency that would create a cycle, by a search for the operations that an operation waits for, directly or
/// indirectly: dependencies, and barriers of the queue.
extension Scheduler {
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
    /// - Returns: the names of the operations on the path, with the name of the operation both first and last.
    /// - Complexity: O(operations that the target waits for, directly or indirectly).
    private func path(from target: Dependency.Target, to place: NodeIndex) -> [String]? {
        let goal = EdgeSource.node(place)
        var cuts = BarrierCuts()
        var search = PathSearch<EdgeSource>()
        let start = graph.source(of: target, job: graph[place].job)
        let path = search.path(from: [start], to: { $0 == goal }, through: { prerequisites(of: $0, &cuts) })
        return path.map { [label(of: goal)] + $0.map { label(of: $0) } }
    }

    /// Refuses operations that would wait for the end of the job to which they are added (DE16).
    ///
    /// - Throws: ``Refusal`` with the code `cycle` and the path.
    /// - Complexity: O(1) without dependents of the whole job, otherwise O(operations that the new ones wait for, directly or
    ///   indirectly).
    func refuseCycle(of submission: Submission, addedTo job: JobIndex) throws(Refusal) {
        let goal = EdgeSource.job(job)
        let mayWait = graph[job].join.dependents != nil
        var cuts = BarrierCuts()
        var search = PathSearch<EdgeSource>()
        for position in submission.entries.indices {
            let entry = submission.entries[position]
            guard mayWait || entry.dependencies.haveExisting else { continue }
            var starts = entry.dependencies.compactMap { dependency -> EdgeSource? in
                // Entries are those of the addition.
                dependency.target.entry == nil ? graph.source(of: dependency.target, job: job) : nil
            }
            if mayWait, let queue = queues.index(ofName: submission.queueNames[entry.queue]) {
                starts += whatComesBefore(newIn: queue, isBarrier: entry.isBarrier, &cuts).map { .node($0) }
            }
            let path = search.path(from: starts, to: { $0 == goal }) { mayWait ? prerequisites(of: $0, &cuts) : [] }
            if let path {
                throw cycle(of: submission.label(ofEntry: position), through: path.map { label(of: $0) })
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

    /// The nodes that an operation will wait for because of the barriers of its queue.
    private func whatComesBefore(newIn queue: QueueIndex, isBarrier: Bool, _ cuts: inout BarrierCuts) -> [NodeIndex] {
        whatComesBefore(segment: queues[queue].segments.count - 1, of: queue, isBarrier: isBarrier, &cuts)
    }

    /// The nodes that a node waits for because of the barriers of its queue.
    private func whatComesBefore(_ node: OperationNode, at place: NodeIndex, _ cuts: inout BarrierCuts) -> [NodeIndex] {
        guard queues[node.queue].segments.count > 1 else { return [] }
        let segment = queues[node.queue].segments.position(ofAge: node.sequence)
        let found = whatComesBefore(segment: segment, of: node.queue, isBarrier: node.isBarrier, &cuts)
        return found.filter { $0 != place }
    }

    /// The barrier before a segment, and for a barrier behind the segment also the nodes between the two.
    private func whatComesBefore(
        segment: Int,
        of queue: QueueIndex,
        isBarrier: Bool,
        _ cuts: inout BarrierCuts
    ) -> [NodeIndex] {
        let segments = queues[queue].segments
        let first = firstSegment(before: segment, in: segments)
        var result = segments.barrier(before: first).flatMap { graph.resolve($0) }.map { [$0] } ?? []
        guard isBarrier else { return result }
        let members = cuts.members(of: queue) { nodesBySegment(ofQueue: queue) }
        for number in first...segment { result += members[number] }
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

    private func prerequisites(of source: EdgeSource, _ cuts: inout BarrierCuts) -> [EdgeSource] {
        guard case .node(let place) = source else { return graph.nodes(of: source).map { .node($0) } }
        let node = graph[place]
        // A cancelled operation only waits for its queue to resume (CA3, SU4).
        guard node.state != .executing, !node.isCancelled else { return [] }
        let dependencies = graph.dependencies(of: node)
        let sources =
            graph.elementTable.isEmpty
            ? dependencies.map { graph.source(of: $0.target, job: node.job) }
            : dependencies.flatMap { graph.sources(of: $0, for: node) }
        return sources + whatComesBefore(node, at: place, &cuts).map { .node($0) }
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
        prerequisites(of: .node(place), &cuts).flatMap { graph.nodes(of: $0) }
    }

    private func label(of source: EdgeSource) -> String {
        switch source {
        case .node(let place): graph.shortName(of: graph[place])
        case .array(let job, let array): graph[job].address(of: array).description
        case .job(let job): graph[job].number.description
        case .gone(let address): address.description
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
