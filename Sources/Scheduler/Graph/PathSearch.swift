/// A search for a path through a graph.
///
/// The search goes in depth, with a stack of its own, so that chains may have any length (DE19).
struct PathSearch<Node: Hashable> {
    /// The node from which each visited node was reached; a start was reached from itself.
    private var origins: [Node: Node] = [:]

    /// Searches from some nodes, without those that an earlier call has visited.
    ///
    /// - Parameters:
    ///   - starts: the nodes at which the path may begin.
    ///   - isGoal: whether the path may end at a node; called once for each node.
    ///   - successors: the nodes to which a node has edges.
    /// - Returns: the nodes of the path from a start to the first goal; nil if no goal can be reached.
    /// - Complexity: O(visited nodes and their edges).
    mutating func path(
        from starts: some Sequence<Node>,
        to isGoal: (Node) -> Bool,
        through successors: (Node) -> [Node]
    ) -> [Node]? {
        var open: [Node] = []
        for start in starts where origins[start] == nil {
            origins[start] = start
            open.append(start)
        }
        while let node = open.popLast() {
            if isGoal(node) { return path(to: node) }
            for next in successors(node) where origins[next] == nil {
                origins[next] = node
                open.append(next)
            }
        }
        return nil
    }

    private func path(to goal: Node) -> [Node] {
        var path = [goal]
        var step = goal
        while let origin = origins[step], origin != step {
            path.append(origin)
            step = origin
        }
        return path.reversed()
    }
}
