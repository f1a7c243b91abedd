@_spi(Baton) import BatonOperations

/// Elements that became ready one by one and wait for a worker: neighbours share a node, so that a million of them take one.
///
/// Such a node has no moment of readiness. The moments of its elements are in the ``ElementTable``, in 8 bytes each, and an element
/// gets its own when it is sent.
extension Scheduler {
    /// Joins an element that has just become ready with its ready neighbours.
    mutating func joinNeighbours(of place: NodeIndex) {
        let node = graph[place]
        guard mayBeJoined(place), let array = graph[node.job].entries[Int(node.entry)].array,
            graph[node.job].arrays[array.offset].limit == nil
        else { return }
        let entry = graph[node.job].entries[Int(node.entry)]
        var first = place
        if node.index > entry.first,
            let before = graph.node(ofEntry: Int(node.entry), at: node.index - 1, in: node.job), areAlike(before, place)
        {
            join(place, to: before, in: array)
            first = before
        }
        let end = node.index + node.count
        if end < entry.first + entry.count,
            let behind = graph.node(ofEntry: Int(node.entry), at: end, in: node.job), areAlike(first, behind)
        {
            join(behind, to: first, in: array)
        }
    }

    /// Whether a node stands in line, and is known by nothing but its address.
    private func mayBeJoined(_ place: NodeIndex) -> Bool {
        let node = graph[place]
        // A skip of the present event names its node.
        return node.hasTurn && node.state == .ready && node.cancellation == .notRequested && node.dependents == nil
            && node.notBefore == nil && node.attempt == 0 && node.failures == 0 && node.losses == 0
            && deferred.skips.isEmpty && graph.failureConditions[place] == nil
            && graph[node.job].changedDependencies[node.index] == nil
            && graph[node.job].changedCommands[node.index] == nil
    }

    /// Whether neighbouring nodes may share a node.
    private func areAlike(_ place: NodeIndex, _ next: NodeIndex) -> Bool {
        guard mayBeJoined(place), mayBeJoined(next) else { return false }
        let (node, other) = (graph[place], graph[next])
        return node.index + node.count == other.index && node.priority == other.priority
            && node.order + UInt64(node.count) == other.order && node.hasInputs == other.hasInputs
            && node.isRecordedFirst == other.isRecordedFirst && node.isUnsent == other.isUnsent
    }

    private mutating func join(_ second: NodeIndex, to first: NodeIndex, in array: ArrayIndex) {
        for place in [first, second] {
            let node = graph[place]
            guard let moment = node.readyAt else { continue }
            let entry = graph[node.job].entries[Int(node.entry)]
            let position = Int(node.index - entry.first)
            graph.elementTable.noteReady(
                moment,
                at: position..<position + Int(node.count),
                in: array,
                of: node.job,
                count: Int(entry.count)
            )
            graph[place].readyAt = nil
        }
        let node = graph[second]
        graph.join(second, to: first)
        noteStaleEntry(of: node)
    }

    /// When an operation of a node became ready that has shared a node with others; nil for any other.
    ///
    /// - Parameter index: the index of the operation; nil for the first one.
    func sharedReadyMoment(of node: OperationNode, at index: UInt32? = nil) -> Timestamp? {
        guard node.state == .ready, let array = graph[node.job].entries[Int(node.entry)].array else { return nil }
        let position = Int((index ?? node.index) - graph[node.job].entries[Int(node.entry)].first)
        return graph.elementTable.readyMoment(at: position, in: array, of: node.job)
    }

    /// Gives an operation that is sent the moment at which it became ready, if it has shared a node with others.
    ///
    /// - Returns: that moment, or the present one if none is known.
    @inline(never)
    mutating func recallReadyMoment(of place: NodeIndex) -> Timestamp {
        let node = graph[place]
        guard let moment = sharedReadyMoment(of: node) else { return now }
        graph[place].readyAt = moment
        return moment
    }
}
