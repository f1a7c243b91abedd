@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Tables emptied after a large job")
struct LettingGoTests {
    private static let large = 10_000

    @Test("An emptied slab resolves no earlier reference, also after a new insertion")
    func emptiedSlab() {
        var slab = Slab<OperationNode>()
        let places = (0..<Self.large).map { _ in slab.insert(.vacant) }
        let references = places.map { slab.reference(to: $0) }
        for place in places { slab.remove(at: place) }
        #expect(slab.count == 0)
        #expect(references.allSatisfy { slab.resolve($0) == nil })
        let place = slab.insert(.vacant)
        #expect(references.allSatisfy { slab.resolve($0) == nil })
        #expect(slab.resolve(slab.reference(to: place)) == place)
        #expect(Array(slab.indexes) == [place])
    }

    @Test("An emptied table of edges takes new edges")
    func emptiedEdges() {
        var edges = EdgeTable()
        let dependent = SlabReference<OperationNode>(index: .unused, generation: 1)
        var head: EdgeTable.Index?
        for _ in 0..<Self.large { edges.add(dependent, condition: .any, to: &head) }
        for _ in 0..<Self.large { #expect(edges.removeFirst(from: &head) != nil) }
        #expect(head == nil && edges.count == 0)
        edges.add(dependent, condition: .failure, to: &head)
        #expect(edges.list(from: head).map(\.condition) == [.failure])
    }

    @Test("The scheduler keeps no nodes and edges after a large job was cancelled, and accepts the next one")
    func jobs() {
        var scheduler = Scheduler()
        let now = Timestamp(rawValue: 0)
        let request = RequestID(rawValue: 1)
        let entries = (0..<Self.large).map { Entry(dependencies: $0 > 0 ? [Dependency(on: .entry($0 - 1))] : []) }
        for number in 1...3 {
            _ = scheduler.submit(Submission(templates: [.noOperation], entries: entries), request: request, at: now)
            #expect(scheduler.violations().isEmpty)
            _ = scheduler.apply(.cancel([.job(JobNumber(UInt32(number)))], request: request), at: now)
            #expect(scheduler.violations().isEmpty)
            #expect(scheduler.graph.nodeCount == 0 && scheduler.graph.edgeCount == 0)
            let removed = scheduler.takeRemovedJobs()
            #expect(removed != nil, "somebody else frees the job")
            let others = scheduler.takeRemovedJobs()
            #expect(others == nil)
        }
        #expect(scheduler.counts[.cancelled] == 3 * Self.large)
    }
}
