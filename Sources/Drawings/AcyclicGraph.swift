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
        search(all)
        for node in nodes {
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

    /// Searches the graph in depth, keeps the edges that close no cycle, and orders the nodes.
    private mutating func search(_ all: [[Int]]) {
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: nodeCount)
        var finished: [Int] = []
        // An array in place of recursion: a chain may be as long as the graph.
        var path: [(node: Int, next: Int)] = []
        for start in 0..<nodeCount where marks[start] == .new {
            marks[start] = .open
            path.append((start, 0))
            while let (node, next) = path.last {
                guard next < all[node].count else {
                    marks[node] = .done
                    finished.append(node)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let successor = all[node][next]
                // An edge to a node of the present path closes a cycle.
                guard marks[successor] != .open else { continue }
                successors[node].append(successor)
                if marks[successor] == .new {
                    marks[successor] = .open
                    path.append((successor, 0))
                }
            }
        }
        topologicalOrder = finished.reversed()
    }
}
