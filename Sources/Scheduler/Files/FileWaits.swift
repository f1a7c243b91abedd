@_spi(Baton) import BatonOperations

/// The operations that wait for files whose last copies are gone, and the finished operations for which they wait.
///
/// The wait is one condition of a node, as a hold is.
struct FileWaits: Sendable {
    /// The finished operations for which each node waits.
    private var lost: [NodeIndex: Set<OperationID>] = [:]
    /// The nodes that wait for each finished operation.
    private var waiting: [OperationID: Set<NodeIndex>] = [:]

    /// Whether no node waits.
    @inline(__always) var isEmpty: Bool { lost.isEmpty }

    /// The waiting nodes.
    var nodes: some Collection<NodeIndex> { lost.keys }

    /// The finished operations for which nodes wait, in order.
    var awaited: [OperationID] { waiting.keys.sorted() }

    /// The finished operations for which a node waits; nil for a node that does not wait.
    subscript(place: NodeIndex) -> Set<OperationID>? { lost[place] }

    /// Whether a node waits for a finished operation.
    func isAwaited(_ id: OperationID) -> Bool { waiting[id] != nil }

    /// The nodes that wait for a finished operation, in order.
    func waiting(for id: OperationID) -> [NodeIndex] { (waiting[id] ?? []).sorted() }

    /// Lets a node wait for finished operations, in place of those for which it waited before.
    mutating func set(_ place: NodeIndex, to ids: Set<OperationID>) {
        for id in (lost[place] ?? []).subtracting(ids) { remove(place, from: id) }
        for id in ids { waiting[id, default: []].insert(place) }
        lost[place] = ids.isEmpty ? nil : ids
    }

    /// Ends the wait of a node.
    ///
    /// - Returns: the finished operations for which it waited, in order.
    mutating func end(_ place: NodeIndex) -> [OperationID] {
        guard let ids = lost.removeValue(forKey: place) else { return [] }
        for id in ids { remove(place, from: id) }
        return ids.sorted()
    }

    /// Ends the wait of all nodes for a finished operation.
    ///
    /// - Returns: the nodes that wait for no other, in order.
    mutating func end(waitFor id: OperationID) -> [NodeIndex] {
        var free: [NodeIndex] = []
        for place in waiting.removeValue(forKey: id) ?? [] {
            lost[place]?.remove(id)
            guard lost[place]?.isEmpty == true else { continue }
            lost[place] = nil
            free.append(place)
        }
        return free.sorted()
    }

    private mutating func remove(_ place: NodeIndex, from id: OperationID) {
        waiting[id]?.remove(place)
        if waiting[id]?.isEmpty == true { waiting[id] = nil }
    }
}
