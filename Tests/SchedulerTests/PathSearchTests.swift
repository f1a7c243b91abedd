import Testing

@testable import BatonScheduler

@Suite("The search for a path")
struct PathSearchTests {
    private static let edges = [1: [2, 3], 2: [4], 3: [4, 5], 4: [1], 5: []]

    private static func path(from starts: [Int], to goal: Int) -> [Int]? {
        var search = PathSearch<Int>()
        return search.path(from: starts, to: { $0 == goal }, through: { edges[$0] ?? [] })
    }

    @Test("A path leads from a start to the goal")
    func paths() {
        #expect(Self.path(from: [1], to: 5) == [1, 3, 5])
        #expect(Self.path(from: [2], to: 5) == [2, 4, 1, 3, 5])
        #expect(Self.path(from: [1], to: 1) == [1])
        #expect(Self.path(from: [5, 2], to: 4) == [2, 4])
    }

    @Test("Without a way to the goal there is no path, also among cycles")
    func none() {
        #expect(Self.path(from: [5], to: 1) == nil)
        #expect(Self.path(from: [1], to: 6) == nil)
        #expect(Self.path(from: [], to: 1) == nil)
    }

    @Test("A later search does not visit nodes again")
    func later() {
        var search = PathSearch<Int>()
        var visits: [Int: Int] = [:]
        for start in 1...5 {
            let path = search.path(from: [start]) { node in
                visits[node, default: 0] += 1
                return false
            } through: {
                Self.edges[$0] ?? []
            }
            #expect(path == nil)
        }
        #expect(visits == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])
    }

    @Test("A chain may have any length")
    func chain() {
        var search = PathSearch<Int>()
        let path = search.path(from: [0], to: { $0 == 1_000_000 }, through: { [$0 + 1] })
        #expect(path?.count == 1_000_001)
    }
}
