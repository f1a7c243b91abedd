@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonDrawings

@Suite("The graph of a job", .timeLimit(.minutes(60)))
struct JobGraphTests {
    @Test("A small job has a node for each operation, and an edge for each dependency between operations")
    func operations() throws {
        var page = HistoryPage.sample(operations: 5)
        page.entries = [
            HistoryEntry(first: 0, name: "fetch"),
            HistoryEntry(
                first: 1,
                count: 3,
                name: "parts",
                numbering: .steps(first: 1, step: 1),
                dependencies: [HistoryDependency(first: 0, condition: .success)],
                changes: [HistoryEntry.Change(operation: 2, dependencies: [])]
            ),
            HistoryEntry(first: 4, dependencies: [HistoryDependency(first: 1, count: 3)]),
        ]
        var executing = OperationHistory(first: 1, state: .executing)
        executing.attempt = 1
        page.operations = [
            .finished(0), executing, OperationHistory(first: 2, count: 2, state: .ready), OperationHistory(first: 4),
        ]
        var graph = JobGraph()
        graph.add(page)
        let document = try #require(graph.document)
        #expect(document.level == .operations && document.job == JobNumber(12) && document.name == "sweep")
        #expect(document.nodes.map(\.id.description) == ["12/0", "12/1", "12/2", "12/3", "12/4"])
        #expect(document.nodes.map(\.name) == ["fetch", "parts.1", "parts.2", "parts.3", nil])
        #expect(document.nodes.map(\.state) == [.finished, .executing, .ready, .ready, .pending])
        #expect(document.nodes.map(\.outcome) == [.succeeded, nil, nil, nil, nil])
        #expect(document.nodes.map(\.layer) == [0, 1, 0, 1, 2])
        let edges = document.edges.map { "\($0.from.index)-\($0.to.index) \($0.condition) \($0.count)" }
        #expect(edges == ["0-1 success 1", "0-3 success 1", "1-4 any 1", "2-4 any 1", "3-4 any 1"])
    }

    @Test("A skipped operation has its own outcome, and a group that of a job")
    func skipped() throws {
        var page = HistoryPage.sample(operations: 2)
        page.entries = [HistoryEntry(first: 0), HistoryEntry(first: 1)]
        var skipped = OperationHistory.finished(1, .skipped)
        skipped.isSkippedAfterFailure = true
        page.operations = [.finished(0, .failed), skipped]
        var graph = JobGraph()
        graph.add(page)
        #expect(graph.document?.nodes.map(\.outcome) == [.failed, .skipped])
    }

    @Test("A job of over 2,000 operations is shown in groups, whose names are folded, over several pages")
    func groups() throws {
        var graph = JobGraph()
        var first = HistoryPage.sample(operations: 12_004)
        first.entries = [
            HistoryEntry(first: 0, name: "tile_1"), HistoryEntry(first: 1, name: "tile_22"),
            // A dependency on an entry of a later page.
            HistoryEntry(first: 2, name: "start", dependencies: [HistoryDependency(first: 12_003)]),
            HistoryEntry(
                first: 3,
                count: 12_000,
                name: "sweep7",
                numbering: .steps(first: 0, step: 1),
                dependencies: [
                    HistoryDependency(first: 0, condition: .success), HistoryDependency(first: 1, condition: .success),
                ]
            ),
        ]
        first.operations = [
            .finished(0), .finished(1, .failed), OperationHistory(first: 2),
            OperationHistory(first: 3, count: 1_997, state: .ready),
        ]
        first.next = 2_000
        var second = HistoryPage.sample(operations: 12_004, from: 2_000)
        second.entries = [
            HistoryEntry(first: 3, count: 12_000, name: "sweep7", numbering: .steps(first: 0, step: 1)),
            HistoryEntry(first: 12_003, dependencies: [HistoryDependency(first: 3, count: 12_000)]),
        ]
        second.operations = [
            OperationHistory(first: 2_000, count: 10_003, state: .ready), OperationHistory(first: 12_003),
        ]
        graph.add(first)
        graph.add(second)
        let document = try #require(graph.document)
        #expect(document.level == .groups)
        #expect(document.nodes.map(\.name) == ["tile_*", "start", "sweep7", nil])
        #expect(document.nodes.map(\.size) == [2, 1, 12_000, 1])
        #expect(document.nodes.map(\.outcome) == [.failed, nil, nil, nil])
        #expect(document.nodes[2].counts?.ready == 12_000)
        let edges = document.edges.map { "\($0.from.index)-\($0.to.index) \($0.condition) \($0.count)" }
        #expect(edges == ["0-3 success 24000", "3-12003 any 1", "12003-2 any 1"])
        #expect(document.nodes.map(\.layer) == [0, 3, 1, 2])
    }

    @Test("Few operations with too many dependencies between them are shown in groups")
    func manyEdges() throws {
        var page = HistoryPage.sample(operations: 400)
        page.entries = [
            HistoryEntry(first: 0, count: 200, name: "a", numbering: .steps(first: 0, step: 1)),
            HistoryEntry(
                first: 200,
                count: 200,
                name: "b",
                numbering: .steps(first: 0, step: 1),
                dependencies: [HistoryDependency(first: 0, count: 200)]
            ),
        ]
        page.operations = [OperationHistory(first: 0, count: 400)]
        var graph = JobGraph()
        graph.add(page)
        let document = try #require(graph.document)
        #expect(document.level == .groups && document.nodes.map(\.size) == [200, 200])
        #expect(document.edges.map(\.count) == [200])
    }

    @Test("Nodes of operations have no counts, and those of groups have", arguments: [(3, false), (2_001, true)])
    func counts(count: UInt32, isOfGroups: Bool) throws {
        var page = HistoryPage.sample(operations: Int(count))
        page.entries = (0..<count).map { HistoryEntry(first: $0, name: "n\($0)") }
        page.operations = (0..<count).map { .finished($0) }
        var graph = JobGraph()
        graph.add(page)
        let document = try #require(graph.document)
        #expect(document.nodes.count == (isOfGroups ? 1 : 3))
        #expect(document.nodes.allSatisfy { ($0.counts != nil) == isOfGroups && $0.outcome == .succeeded })
        #expect(String(decoding: document.json, as: UTF8.self).contains("\"counts\":null") == !isOfGroups)
    }

    @Test("Behind 1,000 groups, the rest is one group, and dependencies without an edge are counted")
    func manyGroups() throws {
        var page = HistoryPage.sample(operations: 2_100)
        page.entries = (0..<2_100).map { index in
            // Letters in place of digits, which would be folded.
            let name = String(
                decoding: [97 + index / 676, 97 + index / 26 % 26, 97 + index % 26].map { UInt8($0) },
                as: UTF8.self
            )
            let first = UInt32(index)
            return HistoryEntry(
                first: first,
                name: name,
                dependencies: (1...12).compactMap { back in first >= back ? HistoryDependency(first: first - back) : nil
                }
            )
        }
        page.operations = [OperationHistory(first: 0, count: 2_100)]
        var graph = JobGraph()
        graph.add(page)
        let document = try #require(graph.document)
        #expect(document.nodes.count == 1_001 && document.nodes.last?.size == 1_100 && document.nodes.last?.name == nil)
        #expect(document.edges.count == 1_000)
        let shown = document.edges.reduce(0) { $0 + $1.count }
        #expect(shown + document.moreDependencies == (0..<2_100).reduce(0) { $0 + min($1, 12) })
    }
}

extension HistoryPage {
    /// A page of job 12 without operations.
    static func sample(operations: Int, from: UInt32 = 0) -> HistoryPage {
        var counts = JobCounts()
        counts.pending = operations
        return HistoryPage(
            job: JobNumber(12),
            name: "sweep",
            coordinator: "tcp://127.0.0.1:7461",
            version: "1",
            submittedAt: Timestamp(rawValue: 1_000_000),
            finishedAt: nil,
            moment: Timestamp(rawValue: 2_000_000),
            counts: counts,
            from: from
        )
    }
}

extension OperationHistory {
    /// A finished operation.
    static func finished(_ index: UInt32, _ outcome: Outcome = .succeeded) -> OperationHistory {
        var operation = OperationHistory(first: index, state: .finished)
        operation.outcome = outcome
        return operation
    }
}
