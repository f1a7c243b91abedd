@_spi(Baton) import BatonOperations
import Testing

@Suite("The search for a cycle")
struct CycleSearchTests {
    private static func search(_ edges: [[Int]], nodeCount: Int? = nil) -> CycleSearch {
        CycleSearch(nodeCount: nodeCount ?? edges.count) { edges[$0][...] }
    }

    @Test("Without a cycle, each node is in the order once, behind the nodes to which it has edges")
    func order() {
        let search = Self.search([[1, 2], [3], [3, 1], [], [0]])
        #expect(search.cycle == nil)
        #expect(search.order == [3, 1, 2, 0, 4])
        #expect(Self.search([]).order.isEmpty)
    }

    @Test("The first cycle has its path without the way to it, and does not end the search")
    func cycle() {
        let search = Self.search([[1], [2], [3], [1, 4], [4]])
        #expect(search.cycle == [1, 2, 3, 1])
        #expect(search.order == [4, 3, 2, 1, 0])
        #expect(Self.search([[0]]).cycle == [0, 0])
    }

    @Test("Nodes beyond the starts are found as successors, each once")
    func found() {
        var visits: [Int: Int] = [:]
        let edges = [[3], [3], [], [4, 2], [1]]
        let search = CycleSearch(nodeCount: 1) { node in
            visits[node, default: 0] += 1
            return edges[node][...]
        }
        #expect(search.cycle == [3, 4, 1, 3])
        #expect(visits == [0: 1, 1: 1, 2: 1, 3: 1, 4: 1])
    }

    @Test("DE19 A chain may have any length, and so may a cycle")
    func chain() {
        let length = 1_000_000
        let next = (0..<length).map { [($0 + 1) % length] }
        #expect(CycleSearch(nodeCount: length) { $0 + 1 < length ? next[$0][...] : [] }.order.first == length - 1)
        #expect(Self.search(next).cycle?.count == length + 1)
    }
}
