import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonDrawings

@Suite("The layered layout of a graph", .timeLimit(.minutes(60)))
struct LayeredLayoutTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...60)
    }()

    private static let measures = LayeredLayout.Measures(
        layerDistance: 100,
        rowDistance: 10,
        columnDistance: 30,
        mostRows: 7
    )

    /// A random graph; with cycles, or with edges to later nodes alone.
    private func graph(_ seed: UInt64, hasCycles: Bool) -> (nodes: Int, edges: [(from: Int, to: Int)]) {
        var random = SplitMix(seed: seed)
        let nodes = random.number(1...80)
        let edges = (0..<random.number(0...160)).map { _ in
            let ends = (random.number(0...nodes - 1), random.number(0...nodes - 1))
            return hasCycles ? (from: ends.0, to: ends.1) : (from: min(ends.0, ends.1), to: max(ends.0, ends.1))
        }
        return (nodes, edges)
    }

    @Test("Each edge of a graph without cycles goes to a later layer, which is farther to the right", arguments: seeds)
    func layers(_ seed: UInt64) {
        let (nodes, edges) = graph(seed, hasCycles: false)
        let layout = LayeredLayout(nodeCount: nodes, edges: edges, measures: Self.measures)
        for edge in edges where edge.from != edge.to {
            #expect(layout.layers[edge.from] < layout.layers[edge.to], "BATON_SEED=\(seed) replays it")
            #expect(layout.x[edge.from] < layout.x[edge.to], "BATON_SEED=\(seed) replays it")
        }
        // The layer is the length of a longest path: a predecessor is in the layer before.
        for node in 0..<nodes where layout.layers[node] > 0 {
            let before = edges.contains { $0.to == node && layout.layers[$0.from] == layout.layers[node] - 1 }
            #expect(before, "BATON_SEED=\(seed) replays it")
        }
    }

    @Test("No two nodes overlap, coordinates begin with 0, and the same graph has the same layout", arguments: seeds)
    func places(_ seed: UInt64) {
        let (nodes, edges) = graph(seed, hasCycles: !seed.isMultiple(of: 3))
        let layout = LayeredLayout(nodeCount: nodes, edges: edges, measures: Self.measures)
        #expect(layout == LayeredLayout(nodeCount: nodes, edges: edges, measures: Self.measures))
        #expect(layout.x.min() == 0 && layout.y.min() == 0, "BATON_SEED=\(seed) replays it")
        for one in 0..<nodes {
            for other in 0..<one {
                let apart = abs(layout.x[one] - layout.x[other]) >= 30 || abs(layout.y[one] - layout.y[other]) >= 10
                #expect(apart, "\(one) and \(other) overlap; BATON_SEED=\(seed) replays it")
            }
        }
    }

    @Test("A cycle is cut once, and all nodes have a place")
    func cycle() {
        let edges = [(from: 0, to: 1), (from: 1, to: 2), (from: 2, to: 0), (from: 1, to: 1)]
        let layout = LayeredLayout(nodeCount: 3, edges: edges, measures: Self.measures)
        #expect(layout.layers == [0, 1, 2])
    }

    @Test("Crossing edges are untangled, and a node stands between the nodes that it joins")
    func order() {
        // Two pairs, whose second nodes are numbered the other way round, and a node behind both.
        let edges = [(from: 0, to: 3), (from: 1, to: 2), (from: 2, to: 4), (from: 3, to: 4)]
        let layout = LayeredLayout(nodeCount: 5, edges: edges, measures: Self.measures)
        #expect((layout.y[0] < layout.y[1]) == (layout.y[3] < layout.y[2]))
        #expect(layout.y[4] * 2 == layout.y[2] + layout.y[3])
    }

    @Test("A long layer has several columns before the next layer")
    func columns() {
        let edges = (0..<20).map { (from: $0, to: 20) }
        let layout = LayeredLayout(nodeCount: 21, edges: edges, measures: Self.measures)
        #expect(Set(layout.x[..<20]) == [0, 30, 60])
        #expect(layout.x[20] == 160)
        #expect(Set(layout.y[..<20]).count == 7)
    }

    @Test("No nodes, and one node")
    func small() {
        let none = LayeredLayout(nodeCount: 0, edges: [], measures: Self.measures)
        #expect(none.layers.isEmpty && none.x.isEmpty && none.y.isEmpty)
        let one = LayeredLayout(nodeCount: 1, edges: [(from: 0, to: 0), (from: 0, to: 9)], measures: Self.measures)
        #expect(one.layers == [0] && one.x == [0] && one.y == [0])
    }

    @Test("Chains and fans of 2,000 nodes, and 20,000 random edges among them, are laid out without recursion")
    func large() {
        var random = SplitMix(seed: 7)
        let chain = (1..<2_000).map { (from: $0 - 1, to: $0) }
        #expect(LayeredLayout(nodeCount: 2_000, edges: chain, measures: Self.measures).layers == Array(0..<2_000))
        let fan = (1..<2_000).map { (from: 0, to: $0) }
        #expect(LayeredLayout(nodeCount: 2_000, edges: fan, measures: Self.measures).layers.max() == 1)
        let dense = (0..<20_000).map { _ in
            let ends = (random.number(0...1_999), random.number(0...1_999))
            return (from: min(ends.0, ends.1), to: max(ends.0, ends.1))
        }
        let layout = LayeredLayout(nodeCount: 2_000, edges: dense, measures: Self.measures)
        #expect(dense.allSatisfy { $0.from == $0.to || layout.layers[$0.from] < layout.layers[$0.to] })
    }
}
