@_spi(Baton) public import BatonOperations

/// Detection of waits by running operations that can never end (WA3).
@_spi(Baton) extension Scheduler {
    /// The reason why an awaited operation can never end while a set of operations waits.
    private enum Obstacle {
        /// The operation itself belongs to the waiting operations.
        case waits
        /// The operation needs a slot, and waiting operations occupy all slots.
        case slot
        /// The operation needs resources that waiting operations have taken.
        case room
        /// The operation's queue is at its limit, and only waiting operations execute in the queue.
        case limit(queue: String, Int)
        /// The operation's array is at its limit, and only waiting operations of the array are at workers.
        case arrayLimit(array: String, Int)
        /// The operation takes units of a shared limit that waiting operations hold.
        case sharedLimit(String, Int)
    }

    /// Detects whether a wait by a running operation would be a deadlock.
    ///
    /// In a deadlock, an awaited operation cannot end before the waiting operation ends or gives up its slot, its place
    /// within the queue's limit, or its place before a barrier.
    ///
    /// - Parameters:
    ///   - waiter: the operation that asks; an operation that is not executing may wait for any operation.
    ///   - selections: the operations that the waiter wants to wait for.
    ///   - waiters: the running operations that already wait, with the operations awaited by each.
    /// - Returns: nil if the wait may begin; otherwise the refusal, whose path names the loop.
    /// - Complexity: O(awaited operations, direct or indirect, times the square of the number of waiters).
    public func deadlock(
        of waiter: OperationID,
        for selections: [OperationSelection],
        among waiters: [OperationID: [OperationSelection]]
    ) -> Refusal? {
        guard let place = graph.node(for: waiter), graph[place].stage == .executing else { return nil }
        var waits: [NodeIndex: [OperationSelection]] = [:]
        for (other, targets) in waiters {
            if let other = graph.node(for: other), graph[other].stage == .executing { waits[other] = targets }
        }
        waits[place] = nil
        // Remove other waiters whose own wait can end; each removal may let further waiters go on.
        var stuck = Set(waits.keys)
        stuck.insert(place)
        var cuts = BarrierCuts()
        var isChanged = true
        while isChanged {
            isChanged = false
            for (other, targets) in waits where stuck.contains(other) {
                if obstacle(for: targets, stuck: stuck, &cuts) == nil {
                    stuck.remove(other)
                    isChanged = true
                }
            }
        }
        guard let (obstacle, path) = obstacle(for: selections, stuck: stuck, &cuts) else { return nil }
        return refusal(of: place, obstacle, path)
    }

    /// The first obstacle found while some operations wait, with the path of nodes to the obstacle.
    private func obstacle(
        for selections: [OperationSelection],
        stuck: Set<NodeIndex>,
        _ cuts: inout BarrierCuts
    ) -> (Obstacle, [NodeIndex])? {
        var taken = taken(byWaiting: stuck)
        var search = PathSearch<NodeIndex>()
        var found: Obstacle?
        let path = search.path(
            from: selections.flatMap { nodes(in: $0) },
            to: { node in
                found = obstacle(at: node, &taken)
                return found != nil
            },
            through: { nodesAwaited(by: $0, &cuts) }
        )
        guard let found, let path else { return nil }
        return (found, path)
    }

    private func obstacle(at place: NodeIndex, _ taken: inout TakenByWaiting) -> Obstacle? {
        let node = graph[place]
        guard node.stage != .executing else { return taken.waiting.contains(place) ? .waits : nil }
        // A cancelled operation needs no slot: the operation finishes when its queue resumes (SU4).
        guard !node.isCancelled else { return nil }
        let queue = queues[node.queue]
        if taken.fullQueues.contains(node.queue) {
            return .limit(queue: queue.name, queue.settings.maxConcurrent ?? 0)
        }
        if let (array, limit, _) = arrayLimit(of: node), taken.fullArrays.contains(.init(job: node.job, array: array)) {
            return .arrayLimit(array: graph[node.job].address(of: array).asShown, limit)
        }
        if let (name, units) = limitHeld(from: node, beside: taken) { return .sharedLimit(name, units) }
        guard findsNoWorker(place, beside: &taken) else { return nil }
        return graph.request(of: node) == nil ? .slot : .room
    }

    private func refusal(of waiter: NodeIndex, _ obstacle: Obstacle, _ path: [NodeIndex]) -> Refusal {
        let own = graph.shortName(of: graph[waiter])
        let names = path.map { graph.shortName(of: graph[$0]) }
        let last = names.last ?? own
        let because: String
        switch obstacle {
        case .waits where path.last == waiter && path.count == 1:
            because = "it would wait for itself"
        case .waits where path.last == waiter:
            because = "\(names[0]) cannot end before \(own) has ended"
        case .waits:
            because = "\(last) waits itself for something that cannot end before \(own) has ended"
        case .slot:
            because = "\(last) needs a slot, and all slots are taken by operations that wait, \(own) among them"
        case .room:
            because =
                "\(last) needs what operations that wait have taken at each worker that could run it, \(own) among them"
        case .limit(let queue, let limit):
            because =
                "the queue \"\(queue)\" executes at most \(limit) at once, and \(last) cannot start before \(own) has ended"
        case .arrayLimit(let array, let limit):
            because =
                "the array \(array) executes at most \(limit) at once, and \(last) cannot start before \(own) has ended"
        case .sharedLimit(let name, let units):
            because =
                "of the \(units) units of the limit \"\(name)\", operations that wait hold what \(last) takes, \(own) among them"
        }
        let loop = [own] + names + (path.last == waiter ? [] : [own])
        return Refusal(
            .deadlock,
            "\(own) would wait for ever: \(because) (\(Refusal.text(ofPath: loop))). Nothing was waited for.",
            path: loop
        )
    }
}
