@_spi(Baton) import BatonOperations

/// A graph without the edges that close cycles.
struct AcyclicGraph {
    /// The number of nodes.
    let nodeCount: Int
    /// The nodes from which each node has edges, in ascending order.
    private(set) var predecessors: [[Int]]
    /// The nodes to which each node has edges, in ascending order.
    private(set) var successors: [[Int]]
    /// The nodes, each behind its predecessors.
    private(set) var topologicalOrder: [Int] = []

    /// Takes the edges of a graph; edges with nodes that are not there have no effect.
    init(nodeCount: Int, edges: [(from: Int, to: Int)]) {
        self.nodeCount = nodeCount
        predecessors = Array(repeating: [], count: nodeCount)
        successors = Array(repeating: [], count: nodeCount)
        let nodes = 0..<nodeCount
        var all = Array(repeating: [Int](), count: nodeCount)
        for edge in edges where edge.from != edge.to && nodes.contains(edge.from) && nodes.contains(edge.to) {
            all[edge.from].append(edge.to)
        }
        for node in nodes { all[node] = Self.distinct(all[node]) }
        topologicalOrder = CycleSearch(nodeCount: nodeCount, successors: { all[$0][...] }).order.reversed()
        var places = Array(repeating: 0, count: nodeCount)
        for (place, node) in topologicalOrder.enumerated() { places[node] = place }
        for node in nodes {
            // An edge against the order closes a cycle.
            successors[node] = all[node].filter { places[node] < places[$0] }
            for successor in successors[node] { predecessors[successor].append(node) }
        }
    }

    /// The number of edges on the longest path to each node.
    var longestPaths: [Int] {
        var lengths = Array(repeating: 0, count: nodeCount)
        for node in topologicalOrder {
            for successor in successors[node] { lengths[successor] = max(lengths[successor], lengths[node] + 1) }
        }
        return lengths
    }

    private static func distinct(_ nodes: [Int]) -> [Int] {
        var distinct: [Int] = []
        for node in nodes.sorted() where node != distinct.last { distinct.append(node) }
        return distinct
    }
}
