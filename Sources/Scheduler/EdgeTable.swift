import BatonOperations

/// One thing that depends on another: an edge from a dependency to its dependent.
struct DependencyEdge {
    /// The node that waits; it may have been finished by other means.
    var dependent: Slab<OperationNode>.Reference
    /// What it waits for.
    var condition: DependencyCondition
    /// The next edge of the same dependency; -1 at the end.
    var next: Int32
}

/// All edges, in linked lists that start at their dependencies; freed ones are used again.
struct EdgeTable {
    private var edges: [DependencyEdge] = []
    private var free: Int32 = -1

    /// How many places an empty table keeps at most.
    private static let keptPlaces = 4096

    /// How many edges are in some list.
    private(set) var count = 0

    /// Gets the space for some more edges at once.
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

    /// Takes the first edge out of a list.
    ///
    /// - Parameter head: the list's first edge, or -1; becomes the next one.
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
            // What a large job took is not kept for the next.
            edges = []
            free = -1
        } else {
            edges[Int(place)].next = free
            free = place
        }
    }

    /// Takes the edge of a dependent and a condition out of a list.
    ///
    /// - Returns: whether there was one.
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

    /// The edges of a list, without taking them out.
    func list(from head: Int32) -> some Sequence<DependencyEdge> {
        sequence(state: head) { [edges] place -> DependencyEdge? in
            guard place >= 0 else { return nil }
            let edge = edges[Int(place)]
            place = edge.next
            return edge
        }
    }
}
