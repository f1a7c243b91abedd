@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// An edge from a dependency to a dependent node.
struct DependencyEdge {
    /// The waiting node, possibly finished by other means meanwhile.
    var dependent: SlabReference<OperationNode>
    /// The condition to be met by the dependency.
    var condition: DependencyCondition
    /// The next edge from the same dependency; nil at the end.
    @Narrow var next: EdgeTable.Index?
}

/// All edges, in one linked list for each dependency, with reuse of free indexes.
struct EdgeTable {
    /// The position of an edge, in 4 bytes.
    struct Index: Hashable, Sendable {
        fileprivate let position: Int32
    }

    private var edges: [DependencyEdge] = []
    private var free: Index?

    /// The most indexes that an empty table keeps.
    private static let keptIndexes = 4096

    /// The number of edges in all lists.
    private(set) var count = 0

    /// Reserves space for more edges at once.
    mutating func makeRoom(for number: Int) {
        edges.makeRoom(for: count + number - edges.count)
    }

    /// Puts an edge in front of a list.
    ///
    /// - Parameter head: the list's first edge; becomes the new edge.
    mutating func add(
        _ dependent: SlabReference<OperationNode>,
        condition: DependencyCondition,
        to head: inout Index?
    ) {
        let edge = DependencyEdge(dependent: dependent, condition: condition, next: head)
        if let index = free {
            head = index
            invariant(count < edges.count, "An edge takes a place, and none is free.")
            free = edges[Int(index.position)].next
            edges[Int(index.position)] = edge
        } else {
            invariant(count == edges.count, "An edge takes a new place, and others are lost.")
            head = Index(position: Int32(edges.count))
            edges.append(edge)
        }
        count += 1
    }

    /// Removes the first edge of a list.
    ///
    /// - Parameter head: the list's first edge; becomes the next edge.
    mutating func removeFirst(from head: inout Index?) -> DependencyEdge? {
        guard let index = head else { return nil }
        let edge = edges[Int(index.position)]
        head = edge.next
        free(index)
        return edge
    }

    private mutating func free(_ index: Index) {
        invariant(count > 0, "An edge is removed from an empty table.")
        count -= 1
        if count == 0, edges.count > Self.keptIndexes {
            // Free the space that a large job took.
            edges = []
            free = nil
        } else {
            edges[Int(index.position)].next = free
            free = index
        }
    }

    /// Removes the edge with a dependent and a condition from a list.
    ///
    /// - Returns: whether the list had the edge.
    /// - Complexity: O(list).
    mutating func remove(
        _ dependent: SlabReference<OperationNode>,
        condition: DependencyCondition,
        from head: inout Index?
    ) -> Bool {
        var previous: Index?
        var next = head
        while let index = next {
            let edge = edges[Int(index.position)]
            if edge.dependent == dependent, edge.condition == condition {
                if let previous { edges[Int(previous.position)].next = edge.next } else { head = edge.next }
                free(index)
                return true
            }
            previous = index
            next = edge.next
        }
        return false
    }

    /// The edges of a list; the list stays unchanged.
    func list(from head: Index?) -> some Sequence<DependencyEdge> {
        sequence(state: head) { [edges] next -> DependencyEdge? in
            guard let index = next else { return nil }
            let edge = edges[Int(index.position)]
            next = edge.next
            return edge
        }
    }
}

extension EdgeTable.Index: HasUnusedValue {
    /// The index before the first edge.
    static var unused: Self { Self(position: -1) }
}
