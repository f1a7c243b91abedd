@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The graph of a job's operations.
struct OperationGraph {
    private struct Edge: Hashable {
        var from: UInt32
        var to: UInt32
        var condition: DependencyCondition
    }

    /// The number of bytes of a document of the graph that may not be exceeded.
    private let mostBytes: Int
    /// The most bytes that the nodes and edges so far have in a document, if their names need no escapes.
    private var byteCount = 0
    private var operations: [(index: UInt32, name: String?, counts: JobCounts)] = []
    private var edges: Set<Edge> = []

    /// Whether the graph has more edges, or bytes in a document, than a graph of operations may have.
    private(set) var isTooLarge = false

    /// Begins a graph.
    ///
    /// - Parameter mostBytes: the most bytes of a document of the graph, about.
    init(mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    mutating func add(_ index: UInt32, name: String?, _ counts: JobCounts, of job: JobNumber) {
        operations.append((index, name, counts))
        count(Self.nodeBytes + Self.length(index, of: job) + (name?.utf8.count ?? 2))
    }

    /// The bytes of a node besides its address and its name, with the longest words and with places of usual lengths.
    private static let nodeBytes =
        #"{"id":"","name":"","state":"finished","outcome":"succeeded","size":1,"counts":null,"layer":99,"x":99999,"y":9999},"#
        .utf8.count

    /// The bytes of an edge besides its addresses.
    private static let edgeBytes = #"{"from":"","to":"","condition":"success","count":1},"#.utf8.count

    /// The bytes of the address of an operation.
    private static func length(_ index: UInt32, of job: JobNumber) -> Int {
        OperationID(job: job, index: index).description.utf8.count
    }

    private mutating func count(_ bytes: Int) {
        byteCount += bytes
        if byteCount > mostBytes { isTooLarge = true }
    }

    mutating func add(_ dependencies: [HistoryDependency], of operation: UInt32, _ job: JobNumber) {
        for dependency in dependencies {
            let end = dependency.first + min(dependency.count, .max - dependency.first)
            for parent in dependency.first..<end {
                guard edges.count < JobGraph.mostEdges, !isTooLarge else {
                    isTooLarge = true
                    return
                }
                let edge = Edge(from: parent, to: operation, condition: dependency.condition)
                guard edges.insert(edge).inserted else { continue }
                count(Self.edgeBytes + Self.length(parent, of: job) + Self.length(operation, of: job))
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
