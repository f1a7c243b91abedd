/// The places of a graph's nodes in a drawing: each edge goes to a later layer, and no two nodes overlap.
///
/// The layers are columns from left to right. The layer of a node is the number of edges on the longest path to the node. Some sweeps
/// put the nodes of a layer near the nodes that they have edges with. In a graph with cycles, the edges that close a cycle go back.
///
/// The same graph always has the same layout.
@_spi(Baton) public struct LayeredLayout: Hashable, Sendable {
    /// The sizes of a drawing, in any unit.
    public struct Measures: Hashable, Sendable {
        /// The distance of neighbouring layers.
        public var layerDistance: Int
        /// The distance of neighbouring nodes of a layer in one column.
        public var rowDistance: Int
        /// The distance of neighbouring columns of one layer.
        public var columnDistance: Int
        /// The most nodes of a column; a longer layer has several columns.
        public var mostRows: Int

        /// Describes sizes.
        public init(layerDistance: Int, rowDistance: Int, columnDistance: Int, mostRows: Int) {
            self.layerDistance = layerDistance
            self.rowDistance = rowDistance
            self.columnDistance = columnDistance
            self.mostRows = max(1, mostRows)
        }
    }

    /// The layer of each node, from 0.
    public private(set) var layers: [Int]
    /// The horizontal place of each node's centre, from 0.
    public private(set) var x: [Int]
    /// The vertical place of each node's centre, from 0.
    public private(set) var y: [Int]

    /// The number of times that the order of all layers is improved.
    private static let sweeps = 8

    /// Lays a graph out.
    ///
    /// - Parameters:
    ///   - nodeCount: the number of nodes.
    ///   - edges: the edges, each from a node to a node; edges of a node with itself and repeated edges have no effect.
    ///   - measures: the sizes.
    /// - Complexity: O((nodes + edges) · log (nodes + edges)).
    public init(nodeCount: Int, edges: [(from: Int, to: Int)], measures: Measures) {
        let graph = AcyclicGraph(nodeCount: nodeCount, edges: edges)
        layers = graph.longestPaths
        x = []
        y = []
        var order = LayerOrder(layers: layers, graph: graph)
        order.improve(sweeps: Self.sweeps)
        (x, y) = NodePlacement(order: order, graph: graph, measures: measures).places
    }
}
