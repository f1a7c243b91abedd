@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The lines of ready nodes: who stands in line, and who is first (PR2, PR3, BA1).
extension Scheduler {
    /// Puts a ready node in its queue's line, or parks the node behind a barrier.
    mutating func enqueue(_ place: NodeIndex) {
        let node = graph[place]
        guard node.reservations == 0 else { return }
        let queue = node.queue
        guard isFirst(node) else {
            // Barriers are not parked: `leaveSegment(_:)` puts a barrier in line when its turn comes.
            if !node.isBarrier && !node.isParked {
                queues[queue].segments.park(graph.reference(to: place), age: node.sequence)
                graph[place].isParked = true
            }
            return
        }
        let requirement = graph.requirement(of: node)
        if node.isInLine {
            // The node had left the line and is back: its stale entry is current again.
            queues[queue].changeLine(for: requirement) { $0.staleEntries -= 1 }
        } else {
            graph[place].isInLine = true
            let entry = ReadyEntry(rank: node.rank, node: graph.reference(to: place))
            queues[queue].changeLine(for: requirement) { $0.entries.insert(entry) }
        }
        queues.serve(node.queue)
        // Workers that run types hold no attempts sent ahead that would have to give way.
        if requirement?.type == nil { recallLowerPriorities(than: place) }
        resolveClaim(on: place)
        // At the end of the event: the caller may have the node in hand, and nothing is sent before.
        if node.hasInputs, !files.isComplete { deferred.files.ready.append(graph.reference(to: place)) }
        if isRerun(node) { deferred.files.doubtful.append(graph.id(of: node)) }
    }

    /// Recalls attempts sent ahead that have a lower priority than a node of the same queue (PR9).
    private mutating func recallLowerPriorities(than place: NodeIndex) {
        let queue = graph[place].queue
        if queues[queue].sentCount > 0 { recallPrefetched(ofQueue: queue, steps: 0..<graph[place].priority.step) }
    }

    /// Takes the first operation of a node out of a line.
    ///
    /// - Parameter first: the node at the front of the line.
    mutating func takeFirst(_ first: NodeIndex, inLineOf queue: QueueIndex, for requirement: Requirement?) -> NodeIndex
    {
        if graph[first].count > 1 { return takeFirst(of: first) }
        removeFirst(first, inLineOf: queue, for: requirement)
        return first
    }

    /// Removes the entry of the node at the front of a line.
    mutating func removeFirst(_ first: NodeIndex, inLineOf queue: QueueIndex, for requirement: Requirement?) {
        queues[queue].changeLine(for: requirement) { line in
            let taken = line.entries.removeMin()
            invariant(taken?.node.index == first, "Another operation leaves a line than its first one.")
        }
        graph[first].isInLine = false
        if requirement != nil { removeStaleEntries(inLineOf: queue, for: requirement) }
    }

    /// Puts a ready node back in its queue's line that had stood there before, at its old place; nobody learns of it anew.
    mutating func putBack(_ place: NodeIndex) {
        let node = graph[place]
        guard node.stage == .ready, !node.isInLine, !node.isParked, node.reservations == 0 else { return }
        guard isFirst(node) else { return enqueue(place) }
        graph[place].isInLine = true
        let entry = ReadyEntry(rank: node.rank, node: graph.reference(to: place))
        queues[node.queue].changeLine(for: graph.requirement(of: node)) { $0.entries.insert(entry) }
        queues.serve(node.queue)
    }

    /// The first current node in a line of a queue; stale entries before the node are removed.
    mutating func first(inLineOf queue: QueueIndex, for requirement: Requirement?) -> NodeIndex? {
        while let entry = frontEntry(inLineOf: queue, for: requirement) {
            if isCurrent(entry) {
                // The checks come first: a copy of the node costs every dispatch.
                let isSetAside = graph.limitedJobs > 0 && isAtArrayLimit(graph[entry.node.index])
                guard isSetAside || !graph.reruns.isEmpty && isKeptApart(entry.node.index) else {
                    return entry.node.index
                }
                queues[queue].changeLine(for: requirement) { $0.entries.removeMin() }
                if isSetAside { setAside(entry) } else { keepApart(entry) }
                continue
            }
            queues[queue].changeLine(for: requirement) { line in
                line.entries.removeMin()
                line.staleEntries -= 1
            }
            forget(entry)
        }
        return nil
    }

    /// The first entry of a line, current or stale.
    ///
    /// Only the line is read, because reading a whole queue costs a copy.
    @inline(__always)
    private func frontEntry(inLineOf queue: QueueIndex, for requirement: Requirement?) -> ReadyEntry? {
        guard let requirement else { return queues[queue].line.entries.min }
        return queues[queue].specialLines[requirement]?.entries.min
    }

    /// Notes that an entry has left its line, unless the node has changed its priority since the entry was made.
    private mutating func forget(_ entry: ReadyEntry) {
        if let place = graph.resolve(entry.node), graph[place].rank == entry.rank { graph[place].isInLine = false }
    }

    /// Counts a node's entry as stale; once most entries of a line are stale, removes the stale entries.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleEntry(of node: OperationNode) {
        let queue = node.queue
        let requirement = graph.requirement(of: node)
        queues[queue].changeLine(for: requirement) { $0.staleEntries += 1 }
        removeStaleEntries(inLineOf: queue, for: requirement)
        if graph.limitedJobs > 0 { bringBackAnother(than: node) }
    }

    /// Removes the stale entries of a line if they are the majority, or if a special line has no other entries.
    private mutating func removeStaleEntries(inLineOf queue: QueueIndex, for requirement: Requirement?) {
        let line = queues[queue].line(for: requirement)
        let areMost = line.staleEntries > 64 && line.staleEntries > line.entries.count / 2
        guard areMost || requirement != nil && line.staleEntries > 0 && !line.hasCurrentEntries else { return }
        var current: [ReadyEntry] = []
        for entry in line.entries.elements {
            if isCurrent(entry) { current.append(entry) } else { forget(entry) }
        }
        queues[queue].changeLine(for: requirement) { $0 = ReadyLine(entries: BinaryHeap(current)) }
    }

    /// Whether an entry of a line still stands for an unsent node with the same rank.
    @inline(__always)
    func isCurrent(_ entry: ReadyEntry) -> Bool {
        guard let index = graph.resolve(entry.node) else { return false }
        let node = graph[index]
        return node.hasTurn && node.rank == entry.rank
    }
}
