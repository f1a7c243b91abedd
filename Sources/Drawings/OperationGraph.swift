@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The graph of a job's operations.
struct OperationGraph {
    private struct Edge: Hashable {
        var from: UInt32
        var to: UInt32
        var condition: DependencyCondition
    }

    private var operations: [(index: UInt32, name: String?, counts: JobCounts)] = []
    private var edges: Set<Edge> = []

    /// Whether the graph has more nodes or edges than a graph of operations may have.
    private(set) var isTooLarge = false

    mutating func add(_ index: UInt32, name: String?, _ counts: JobCounts) {
        operations.append((index, name, counts))
    }

    mutating func add(_ dependencies: [HistoryDependency], of operation: UInt32) {
        for dependency in dependencies {
            let end = dependency.first + min(dependency.count, .max - dependency.first)
            for parent in dependency.first..<end {
                guard edges.count < JobGraph.mostEdges else {
                    isTooLarge = true
                    return
                }
                edges.insert(Edge(from: parent, to: operation, condition: dependency.condition))
            }
        }
    }

    func nodes(of job: JobNumber) -> [JobGraphDocument.Node] {
        operations.sorted { $0.index < $1.index }.map { operation in
            JobGraphDocument.Node(
                operation: OperationID(job: job, index: operation.index),
                name: operation.name,
                counts: operation.counts
            )
        }
    }

    func edges(of job: JobNumber) -> [JobGraphDocument.Edge] {
        edges.sorted { ($0.from, $0.to, $0.condition.rawValue) < ($1.from, $1.to, $1.condition.rawValue) }.map { edge in
            JobGraphDocument.Edge(
                from: OperationID(job: job, index: edge.from),
                to: OperationID(job: job, index: edge.to),
                condition: edge.condition,
                count: 1
            )
        }
    }
}
