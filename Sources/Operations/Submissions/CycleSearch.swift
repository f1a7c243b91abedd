/// A search for a cycle in a graph whose nodes are numbers from 0.
///
/// The search goes in depth, with a stack of its own, so that chains may have any length (DE19).
@_spi(Baton) public struct CycleSearch {
    /// The nodes of the first cycle that was found, with its first node again at the end; nil if there is no cycle.
    public private(set) var cycle: [Int]?
    /// All nodes, each behind the nodes to which it has edges; edges that close cycles do not count.
    public private(set) var order: [Int] = []

    private enum Mark: UInt8 { case unseen, open, done }

    /// Searches a graph.
    ///
    /// - Parameters:
    ///   - nodeCount: the number of nodes from which the search starts; further nodes may be found as successors.
    ///   - successors: the nodes to which a node has edges; called once for each node.
    /// - Complexity: O(nodes + edges).
    public init(nodeCount: Int, successors: (Int) -> ArraySlice<Int>) {
        var marks = [Mark](repeating: .unseen, count: nodeCount)
        order.reserveCapacity(nodeCount)
        var path: [(node: Int, rest: ArraySlice<Int>)] = []
        func enter(_ node: Int) {
            marks[node] = .open
            path.append((node, successors(node)))
        }
        for start in 0..<nodeCount where marks[start] == .unseen {
            enter(start)
            while let last = path.indices.last {
                guard let next = path[last].rest.popFirst() else {
                    marks[path[last].node] = .done
                    order.append(path[last].node)
                    path.removeLast()
                    continue
                }
                while marks.count <= next { marks.append(.unseen) }
                switch marks[next] {
                case .unseen: enter(next)
                case .open where cycle == nil:
                    let nodes = path.map(\.node)
                    cycle = nodes[(nodes.firstIndex(of: next) ?? 0)...] + [next]
                case .open, .done: break
                }
            }
        }
    }
}
