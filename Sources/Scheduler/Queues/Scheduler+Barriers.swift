@_spi(Baton) import BatonOperations

/// Barriers: which nodes may start, and which nodes a finished node lets start (BA1, BA2).
extension Scheduler {
    /// Counts a new node in the youngest segment of its queue; a barrier begins a new segment.
    mutating func countInSegment(_ place: NodeIndex) {
        let node = graph[place]
        if node.isBarrier {
            queues[node.queue].segments.begin(with: graph.reference(to: place), age: node.sequence)
        } else {
            queues[node.queue].segments.add(Int(node.count))
        }
    }

    /// Whether a node may start as far as barriers are concerned: no other operation has to finish first.
    // In line, because each operation that becomes ready asks: a call would copy the whole scheduler.
    @inline(__always)
    func isFirst(_ node: OperationNode) -> Bool {
        guard queues[node.queue].segments.count > 1 else { return true }
        return queues[node.queue].segments.isFirst(age: node.sequence, isBarrier: node.isBarrier)
    }

    /// Removes a finished node from its segment, and puts nodes in line that barriers no longer block.
    mutating func leaveSegment(_ node: OperationNode) {
        let freed: SlabReference<OperationNode>?
        if node.isBarrier {
            let (parked, next) = queues[node.queue].segments.removeBarrier(age: node.sequence)
            for reference in parked {
                guard let place = graph.resolve(reference) else { continue }
                graph[place].isParked = false
                if graph[place].stage == .ready { enqueue(place) }
            }
            freed = next
        } else {
            freed = queues[node.queue].segments.remove(Int(node.count), age: node.sequence)
        }
        guard let freed, let barrier = graph.resolve(freed), graph[barrier].stage == .ready, !graph[barrier].hasTurn
        else { return }
        enqueue(barrier)
    }
}

/// Barriers beside finished operations that run again because their files were lost (BA1, FI6).
///
/// Such a rerun belongs to no segment: what came behind its operation has gone on, and it waits for no barrier that has not been sent,
/// which may need its files. But no barrier is at a worker together with a rerun of its queue. Both end by themselves. Who waits
/// for the other stands in no line.
extension Scheduler {
    /// Whether a node may not be sent because of what its queue has at workers: a rerun beside a barrier, or a barrier beside reruns.
    ///
    /// Nor is a rerun sent before the worker that had its files, and is back, has told what it has.
    ///
    /// - Complexity: O(1).
    func isKeptApart(_ place: NodeIndex) -> Bool {
        guard !graph.reruns.isEmpty else { return false }
        let node = graph[place]
        if node.isBarrier { return files.reruns.count(in: node.queue) > 0 }
        let isBesideBarrier = barrierAtWorker(ofQueue: node.queue) != nil
        guard isBesideBarrier || !files.areReported, isRerun(node) else { return false }
        return isBesideBarrier || awaitsReport(node)
    }

    /// The barrier of a queue that was sent to a worker and has not ended, if any.
    func barrierAtWorker(ofQueue queue: QueueIndex) -> NodeIndex? {
        guard queues[queue].segments.count > 1,
            let barrier = queues[queue].segments.barrier(before: 1).flatMap({ graph.resolve($0) })
        else { return nil }
        return graph[barrier].token == nil ? nil : barrier
    }

    /// Whether a node was taken out of its line because it is kept apart.
    func isApart(_ place: NodeIndex) -> Bool {
        let node = graph[place]
        return !node.isInLine && files.reruns.apart(in: node.queue).contains(graph.reference(to: place))
    }

    /// Keeps the node at the front of a line in mind that may not run beside what is at workers, and whose entry has been removed.
    mutating func keepApart(_ entry: ReadyEntry) {
        let place = entry.node.index
        graph[place].isInLine = false
        files.reruns.keepApart(entry.node, in: graph[place].queue)
        // The line has an element less.
        if graph.limitedJobs > 0 { bringBackAnother(than: graph[place]) }
    }

    /// Counts a rerun that is now at a worker.
    mutating func countRerun(_ node: OperationNode) { files.reruns.add(1, in: node.queue) }

    /// Puts the nodes in line again that had to wait for an attempt to leave its worker.
    ///
    /// - Parameters:
    ///   - place: the node that leaves its worker; what comes next for it is decided elsewhere.
    ///   - node: the same before it left.
    mutating func endKeepingApart(from place: NodeIndex, _ node: OperationNode) {
        let queue = node.queue
        if isRerun(node) {
            files.reruns.add(-1, in: queue)
            guard files.reruns.count(in: queue) == 0 else { return }
        } else if !node.isBarrier {
            return
        }
        endKeepingApart(in: queue, but: place)
    }

    /// Puts the nodes of a queue in line again that stood in none; those that have to wait still leave it again.
    ///
    /// - Parameter place: a node that stays as it is.
    mutating func endKeepingApart(in queue: QueueIndex, but place: NodeIndex?) {
        for reference in files.reruns.takeApart(in: queue) {
            guard let other = graph.resolve(reference), other != place, graph[other].stage == .ready,
                !graph[other].isInLine, graph[other].reservations == 0
            else { continue }
            enqueue(other)
        }
    }
}
