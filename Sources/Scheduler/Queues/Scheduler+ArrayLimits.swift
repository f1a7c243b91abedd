@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Limits of arrays: at most so many elements of an array are at workers at once, in the whole cluster.
///
/// A limited array at its limit keeps no place at the front of a line: an element that reaches the front is set aside, and comes back
/// as soon as another element has left its worker. So the elements set aside cost nothing, and others of the queue pass them.
extension Scheduler {
    /// The limited array of a node; nil for a node without a limit.
    private func limitedArray(of node: OperationNode) -> ArrayIndex? {
        guard graph[node.job].hasArrayLimits, let array = graph[node.job].entries[Int(node.entry)].array else {
            return nil
        }
        return graph[node.job].arrays[array.offset].limit == nil ? nil : array
    }

    /// The limit of a node's array, and the number of its elements at workers; nil for a node without a limit.
    func arrayLimit(of node: OperationNode) -> (array: ArrayIndex, limit: Int, taken: Int)? {
        guard let array = limitedArray(of: node), let limit = graph[node.job].arrays[array.offset].limit else {
            return nil
        }
        return (array, Int(limit), Int(graph[node.job].arrays[array.offset].taken))
    }

    /// Whether a node's array has as many elements at workers as its limit allows.
    func isAtArrayLimit(_ node: OperationNode) -> Bool {
        guard let (_, limit, taken) = arrayLimit(of: node) else { return false }
        return taken >= limit
    }

    /// Whether a ready node is set aside because of its array's limit.
    func isSetAside(_ place: NodeIndex) -> Bool {
        let node = graph[place]
        guard !node.isInLine, let array = limitedArray(of: node) else { return false }
        let reference = graph.reference(to: place)
        return graph[node.job].arrays[array.offset].setAside.elements.contains { $0.node == reference }
    }

    /// Counts an element that is now at a worker.
    mutating func takeArrayPlace(for node: OperationNode) {
        guard let array = limitedArray(of: node) else { return }
        invariant(node.count == 1, "A block of elements is sent to a worker.")
        graph[node.job].arrays[array.offset].taken += 1
    }

    /// Counts an element that has left its worker, and puts a waiting element back in line.
    mutating func leaveArrayPlace(of place: NodeIndex) {
        let node = graph[place]
        guard let array = limitedArray(of: node) else { return }
        invariant(graph[node.job].arrays[array.offset].taken > 0, "More elements leave the workers than were there.")
        graph[node.job].arrays[array.offset].taken -= 1
        bringBack(ofArray: array, in: node.job, except: place)
    }

    /// Lets another element back into its line after an element has left its line without being sent.
    mutating func bringBackAnother(than node: OperationNode) {
        if let array = limitedArray(of: node) { bringBack(ofArray: array, in: node.job, except: nil) }
    }

    /// Sets aside the node at the front of a line, whose entry has been removed.
    mutating func setAside(_ entry: ReadyEntry) {
        let place = entry.node.index
        guard let array = limitedArray(of: graph[place]) else { return }
        graph[place].isInLine = false
        graph[graph[place].job].arrays[array.offset].setAside.insert(entry)
    }

    /// - Parameter leaving: the node that is leaving its worker; what comes next for it is decided elsewhere.
    /// - Complexity: O(log elements set aside), amortised.
    private mutating func bringBack(ofArray array: ArrayIndex, in job: JobIndex, except leaving: NodeIndex?) {
        while let entry = graph[job].arrays[array.offset].setAside.min {
            graph[job].arrays[array.offset].setAside.removeMin()
            // The node may have gone, or may have come back another way.
            guard let place = graph.resolve(entry.node), place != leaving, graph[place].stage == .ready,
                !graph[place].isInLine, graph[place].reservations == 0
            else { continue }
            return enqueue(place)
        }
    }
}
