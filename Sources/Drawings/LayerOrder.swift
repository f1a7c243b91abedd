/// The order of the nodes within their layers.
struct LayerOrder {
    /// The nodes of each layer, in order.
    private(set) var layers: [[Int]]
    /// The relative place of each node in its layer, from 0 to 1.
    private var places: [Double]
    private let graph: AcyclicGraph

    /// Orders the nodes by their numbers.
    init(layers: [Int], graph: AcyclicGraph) {
        self.graph = graph
        self.layers = Array(repeating: [], count: (layers.max() ?? -1) + 1)
        places = Array(repeating: 0, count: layers.count)
        for (node, layer) in layers.enumerated() { self.layers[layer].append(node) }
        for layer in self.layers.indices { notePlaces(of: layer) }
    }

    /// Puts the nodes nearer to the nodes that they have edges with, layer by layer to and fro, and keeps the best order.
    mutating func improve(sweeps: Int) {
        var best = (order: layers, length: edgeLength)
        for sweep in 0..<sweeps {
            if sweep.isMultiple(of: 2) {
                for layer in layers.indices.dropFirst() { sort(layer, by: graph.predecessors) }
            } else {
                for layer in layers.indices.dropLast().reversed() { sort(layer, by: graph.successors) }
            }
            let length = edgeLength
            if length < best.length { best = (layers, length) }
        }
        layers = best.order
        for layer in layers.indices { notePlaces(of: layer) }
    }

    /// The lengths of all edges across the layers: short edges cross less.
    private var edgeLength: Double {
        var length = 0.0
        for node in 0..<graph.nodeCount {
            for successor in graph.successors[node] { length += abs(places[node] - places[successor]) }
        }
        return length
    }

    /// Sorts a layer by the mean place of each node's neighbours; a node without neighbours keeps its place.
    private mutating func sort(_ layer: Int, by neighbours: [[Int]]) {
        var keys: [(mean: Double, position: Int, node: Int)] = []
        for (position, node) in layers[layer].enumerated() {
            let others = neighbours[node]
            let sum = others.reduce(0) { $0 + places[$1] }
            keys.append((others.isEmpty ? places[node] : sum / Double(others.count), position, node))
        }
        keys.sort { ($0.mean, $0.position) < ($1.mean, $1.position) }
        layers[layer] = keys.map(\.node)
        notePlaces(of: layer)
    }

    private mutating func notePlaces(of layer: Int) {
        let count = Double(layers[layer].count)
        for (position, node) in layers[layer].enumerated() { places[node] = (Double(position) + 0.5) / count }
    }
}
