/// The coordinates of nodes whose layers and order are known.
struct NodePlacement {
    private let order: LayerOrder
    private let graph: AcyclicGraph
    private let measures: LayeredLayout.Measures

    /// The number of times that the nodes of all layers move towards their neighbours.
    private static let passes = 6

    init(order: LayerOrder, graph: AcyclicGraph, measures: LayeredLayout.Measures) {
        self.order = order
        self.graph = graph
        self.measures = measures
    }

    /// The places of the nodes' centres; the smallest coordinates are 0.
    var places: (x: [Int], y: [Int]) {
        var x = Array(repeating: 0, count: graph.nodeCount)
        var y = Array(repeating: 0.0, count: graph.nodeCount)
        var left = 0
        for layer in order.layers {
            let columns = columns(of: layer)
            let rows = (layer.count + columns - 1) / columns
            for (position, node) in layer.enumerated() {
                x[node] = left + position % columns * measures.columnDistance
                let row = Double(position / columns) - Double(rows - 1) / 2
                y[node] = row * Double(measures.rowDistance)
            }
            left += (columns - 1) * measures.columnDistance + measures.layerDistance
        }
        for pass in 0..<Self.passes {
            if pass.isMultiple(of: 2) {
                for layer in order.layers.dropFirst() { move(layer, towards: graph.predecessors, &y) }
            } else {
                for layer in order.layers.dropLast().reversed() { move(layer, towards: graph.successors, &y) }
            }
        }
        let top = y.min() ?? 0
        // Rounding down keeps whole distances.
        return (x, y.map { Int(($0 - top).rounded(.down)) })
    }

    private func columns(of layer: [Int]) -> Int {
        (layer.count + measures.mostRows - 1) / measures.mostRows
    }

    /// Moves the nodes of a layer as near to their neighbours as the order and the distances allow.
    ///
    /// The squares of the distances to the wanted places have the smallest sum: nodes that come too close become a block, which stands at
    /// the mean of what its nodes want.
    ///
    /// - Complexity: O(nodes and edges of the layer).
    private func move(_ layer: [Int], towards neighbours: [[Int]], _ y: inout [Double]) {
        guard columns(of: layer) == 1 else { return }
        var blocks: [(sum: Double, count: Int)] = []
        for (position, node) in layer.enumerated() {
            let others = neighbours[node]
            let mean = others.isEmpty ? y[node] : others.reduce(0) { $0 + y[$1] } / Double(others.count)
            var block = (sum: mean - Double(position * measures.rowDistance), count: 1)
            while let last = blocks.last, last.sum / Double(last.count) >= block.sum / Double(block.count) {
                block = (last.sum + block.sum, last.count + block.count)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        var position = 0
        for block in blocks {
            let start = (block.sum / Double(block.count)).rounded()
            for _ in 0..<block.count {
                y[layer[position]] = start + Double(position * measures.rowDistance)
                position += 1
            }
        }
    }
}
