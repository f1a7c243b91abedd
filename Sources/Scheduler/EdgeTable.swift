import BatonOperations

/// An edge from a dependency to a dependent node.
struct DependencyEdge {
    /// The waiting node, possibly finished by other means meanwhile.
    var dependent: Slab<OperationNode>.Reference
    /// The condition to be met by the dependency.
    var condition: DependencyCondition
    /// The next edge from the same dependency; -1 at the end.
    var next: Int32
}

/// All edges, in one linked list for each dependency, with reuse of free places.
struct EdgeTable {
    private var edges: [DependencyEdge] = []
    private var free: Int32 = -1

    /// The most places that an empty table keeps.
    private static let keptPlaces = 4096

    /// The number of edges in all lists.
    private(set) var count = 0

    /// Reserves space for more edges at once.
    mutating func makeRoom(for number: Int) {
        edges.makeRoom(for: count + number - edges.count)
    }

    /// Puts an edge in front of a list.
    ///
    /// - Parameter head: the list's first edge, or -1; becomes the new edge.
    mutating func add(
        _ dependent: Slab<OperationNode>.Reference,
        condition: DependencyCondition,
        to head: inout Int32
    ) {
        let edge = DependencyEdge(dependent: dependent, condition: condition, next: head)
        if free >= 0 {
            head = free
            free = edges[Int(head)].next
            edges[Int(head)] = edge
        } else {
            head = Int32(edges.count)
            edges.append(edge)
        }
        count += 1
    }

    /// Removes the first edge of a list.
    ///
    /// - Parameter head: the list's first edge, or -1; becomes the next edge.
    mutating func removeFirst(from head: inout Int32) -> DependencyEdge? {
        guard head >= 0 else { return nil }
        let place = head
        let edge = edges[Int(place)]
        head = edge.next
        release(place)
        return edge
    }

    private mutating func release(_ place: Int32) {
        count -= 1
        if count == 0, edges.count > Self.keptPlaces {
            // Free the space that a large job took.
            edges = []
            free = -1
        } else {
            edges[Int(place)].next = free
            free = place
        }
    }

    /// Removes the edge with a dependent and a condition from a list.
    ///
    /// - Returns: whether the list had the edge.
    /// - Complexity: O(list).
    mutating func remove(
        _ dependent: Slab<OperationNode>.Reference,
        condition: DependencyCondition,
        from head: inout Int32
    ) -> Bool {
        var previous: Int32 = -1
        var place = head
        while place >= 0 {
            let edge = edges[Int(place)]
            if edge.dependent == dependent, edge.condition == condition {
                if previous < 0 { head = edge.next } else { edges[Int(previous)].next = edge.next }
                release(place)
                return true
            }
            previous = place
            place = edge.next
        }
        return false
    }

    /// The edges of a list; the list stays unchanged.
    func list(from head: Int32) -> some Sequence<DependencyEdge> {
        sequence(state: head) { [edges] place -> DependencyEdge? in
            guard place >= 0 else { return nil }
            let edge = edges[Int(place)]
            place = edge.next
            return edge
        }
    }
}
