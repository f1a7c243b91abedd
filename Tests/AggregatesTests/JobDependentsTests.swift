@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

@_spi(Baton) @testable import BatonAggregates

@Suite("Dependents of an operation", .timeLimit(.minutes(60)))
struct JobDependentsTests {
    private typealias Dependent = DependentsDocument.Dependent

    private static let job = JobNumber(12)

    /// A job whose history is read page by page, as a coordinator gives it.
    private struct Job {
        var entries: [HistoryEntry]
        /// The histories of all operations, in order; neighbours may be together.
        var operations: [OperationHistory]
        var finishedAt: Int64?

        var count: UInt32 { entries.last?.range.upperBound ?? 0 }

        func page(from: UInt32, limit: UInt32) -> HistoryPage {
            var page = HistoryPage.sample(finishedAt: finishedAt, from: from)
            let range = from..<min(count, from + min(limit, .max - from))
            for history in operations { history.add(to: &page.counts, number: history.range.count) }
            page.entries = entries.filter { $0.range.overlaps(range) }.map { entry in
                var entry = entry
                if entry.first < from { entry.dependencies = [] }
                entry.changes = entry.changes.filter { range.contains($0.operation) }
                return entry
            }
            page.operations = operations.filter { $0.range.overlaps(range) }.map { history in
                let part = history.range.clamped(to: range)
                var history = history
                (history.first, history.count) = (part.lowerBound, UInt32(part.count))
                return history
            }
            page.next = range.upperBound < count ? range.upperBound : nil
            return page
        }

        /// The dependents of an operation, and the pages that were read.
        func dependents(
            of index: UInt32,
            limit: Int = 100,
            pageLength: UInt32 = UInt32(HistoryPage.mostOperations)
        ) -> (document: DependentsDocument, read: [UInt32]) {
            var dependents = JobDependents(of: OperationID(job: job, index: index), limit: limit)
            var page = page(from: 0, limit: pageLength)
            var read: [UInt32] = [0]
            dependents.add(page)
            while let next = dependents.next(after: page) {
                page = self.page(from: next, limit: pageLength)
                read.append(next)
                dependents.add(page)
            }
            return (dependents.document, read)
        }
    }

    private static func dependent(
        _ first: UInt32,
        _ name: String? = nil,
        _ state: OperationState = .pending,
        _ outcome: Outcome? = nil,
        _ condition: DependencyCondition = .any,
        size: Int = 1
    ) -> Dependent {
        Dependent(
            operation: OperationID(job: job, index: first),
            name: name,
            state: state,
            outcome: outcome,
            condition: condition,
            size: size
        )
    }

    @Test("Operations and arrays are listed with their states and conditions, after changes too", arguments: 1...9)
    func kinds(pageLength: UInt32) {
        var many = HistoryEntry(
            first: 3,
            count: 4,
            name: "many",
            numbering: .steps(first: 0, step: 1),
            dependencies: [HistoryDependency(first: 1, condition: .success)]
        )
        // Element 3 depends on another operation now, and element 5 on the failure of the same one.
        many.changes = [
            .init(operation: 3, dependencies: [HistoryDependency(first: 0)]),
            .init(operation: 5, dependencies: [HistoryDependency(first: 1, condition: .failure)]),
        ]
        var changed = HistoryEntry(first: 8, dependencies: [HistoryDependency(first: 1)])
        changed.changes = [.init(operation: 8, dependencies: [])]
        let job = Job(
            entries: [
                HistoryEntry(first: 0, name: "zero", dependencies: [HistoryDependency(first: 1)]),
                HistoryEntry(first: 1, count: 2, name: "pair", numbering: .steps(first: 0, step: 1)), many,
                HistoryEntry(
                    first: 7,
                    name: "last",
                    dependencies: [
                        HistoryDependency(first: 1, count: 2), HistoryDependency(first: 1, condition: .success),
                    ]
                ), changed,
            ],
            operations: [
                .ran(0, "w1", 0, 9), .ran(1, "w1", 0, 9), OperationHistory(first: 2, count: 2),
                .ran(4, "w1", 0, 9, .failed), .executing(5, "w1", 5),
                OperationHistory(first: 6, count: 3, state: .ready),
            ]
        )
        let all = job.dependents(of: 1, pageLength: pageLength).document
        let expected = [
            Self.dependent(0, "zero", .finished, .succeeded),
            Self.dependent(4, "many", .executing, nil, .success, size: 3),
            Self.dependent(7, "last", .ready, nil, .success),
        ]
        #expect(all.dependents == expected && all.more == 0)
        let two = job.dependents(of: 1, limit: 2, pageLength: pageLength).document
        #expect(two.dependents == Array(expected[..<2]) && two.more == 1)
        // The element of an array is waited for with the array.
        #expect(
            job.dependents(of: 2, pageLength: pageLength).document.dependents == [Self.dependent(7, "last", .ready)]
        )
        #expect(job.dependents(of: 8, pageLength: pageLength).document.dependents == [])
        #expect(
            job.dependents(of: 0, pageLength: pageLength).document.dependents
                == [Self.dependent(3, "many", .pending)]
        )
    }

    @Test("The inside of a large array is not read, and what comes behind it is found")
    func largeArray() {
        let job = Job(
            entries: [
                HistoryEntry(first: 0, name: "setup"),
                HistoryEntry(
                    first: 1,
                    count: 1_000_000,
                    name: "tiles",
                    numbering: .steps(first: 0, step: 1),
                    dependencies: [HistoryDependency(first: 0, condition: .success)]
                ),
                HistoryEntry(
                    first: 1_000_001,
                    name: "merge",
                    dependencies: [HistoryDependency(first: 1, count: 1_000_000)]
                ),
            ],
            operations: [
                .ran(0, "w1", 0, 9), OperationHistory(first: 1, count: 1_000_001),
            ]
        )
        let setup = job.dependents(of: 0)
        #expect(setup.document.dependents == [Self.dependent(1, "tiles", .pending, nil, .success, size: 1_000_000)])
        #expect(setup.read.count < 30 && setup.read.last == 1_000_001 && setup.read.contains(996_001), "\(setup.read)")
        let tile = job.dependents(of: 700_000)
        #expect(tile.document.dependents == [Self.dependent(1_000_001, "merge")])
        #expect(tile.read.count < 30 && tile.read.last == 1_000_001, "\(tile.read)")
        // Nothing follows an array at the end.
        let alone = Job(
            entries: [HistoryEntry(first: 0, count: 1_000_000, numbering: .steps(first: 0, step: 1))],
            operations: [OperationHistory(first: 0, count: 1_000_000)]
        )
        #expect(alone.dependents(of: 5).document.dependents == [] && alone.dependents(of: 5).read.count < 30)
    }

    @Test("A large array whose ends are finished is as the job is")
    func unreadElements() {
        var finished = OperationHistory(first: 1, count: 500_000, state: .finished)
        finished.outcome = .succeeded
        func job(_ middle: OperationHistory, finishedAt: Int64? = nil) -> Job {
            var (first, last) = (finished, finished)
            first.count = 200_000
            (last.first, last.count) = (300_001, 200_000)
            return Job(
                entries: [
                    HistoryEntry(first: 0),
                    HistoryEntry(
                        first: 1,
                        count: 500_000,
                        numbering: .steps(first: 0, step: 1),
                        dependencies: [HistoryDependency(first: 0)]
                    ),
                ],
                operations: [.ran(0, "w1", 0, 9), first, middle, last],
                finishedAt: finishedAt
            )
        }
        var done = finished
        (done.first, done.count) = (200_001, 100_000)
        #expect(
            job(OperationHistory(first: 200_001, count: 100_000, state: .executing)).dependents(of: 0).document
                .dependents
                == [Self.dependent(1, nil, .executing, size: 500_000)]
        )
        #expect(
            job(done, finishedAt: 99).dependents(of: 0).document.dependents
                == [Self.dependent(1, nil, .finished, .succeeded, size: 500_000)]
        )
    }

    @Test("The list is that of all operations one by one", arguments: 0..<200)
    func reference(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let job = Self.job(&random)
        for index in 0..<job.count {
            let limit = Int.random(in: 1...12, using: &random)
            let found = job.dependents(of: index, limit: limit, pageLength: .random(in: 1...40, using: &random))
            let expected = Self.reference(job, index)
            #expect(found.document.dependents == Array(expected.prefix(limit)), "seed \(seed), operation \(index)")
            #expect(found.document.more == max(0, expected.count - limit), "seed \(seed), operation \(index)")
        }
    }

    private static func job(_ random: inout SplitMix) -> Job {
        let count = Int.random(in: 1...14, using: &random)
        var ranges: [Range<UInt32>] = []
        for _ in 0..<count {
            let first = ranges.last?.upperBound ?? 0
            ranges.append(first..<first + (Bool.random(using: &random) ? 1 : .random(in: 2...9, using: &random)))
        }
        func dependencies() -> [HistoryDependency] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let range = ranges.randomElement(using: &random) ?? 0..<1
                let isWhole = Bool.random(using: &random)
                return HistoryDependency(
                    first: isWhole ? range.lowerBound : .random(in: range, using: &random),
                    count: isWhole ? UInt32(range.count) : 1,
                    condition: DependencyCondition.allCases.randomElement(using: &random) ?? .any
                )
            }
        }
        let entries = ranges.map { range in
            var entry = HistoryEntry(
                first: range.lowerBound,
                count: UInt32(range.count),
                name: Bool.random(using: &random) ? "n\(range.lowerBound)" : nil,
                numbering: range.count > 1 ? .steps(first: 0, step: 1) : .none,
                dependencies: dependencies()
            )
            for operation in range where Int.random(in: 0..<6, using: &random) == 0 {
                entry.changes.append(.init(operation: operation, dependencies: dependencies()))
            }
            return entry
        }
        var operations: [OperationHistory] = []
        let end = ranges.last?.upperBound ?? 0
        while (operations.last?.range.upperBound ?? 0) < end {
            let first = operations.last?.range.upperBound ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: operations.append(.executing(first, "w1", 3))
            case 1: operations.append(.ran(first, "w1", 0, 9, Bool.random(using: &random) ? .succeeded : .failed))
            default:
                let most = min(6, end - first)
                let state: OperationState = Bool.random(using: &random) ? .ready : .pending
                let count = UInt32.random(in: 1...most, using: &random)
                operations.append(OperationHistory(first: first, count: count, state: state))
            }
        }
        return Job(entries: entries, operations: operations)
    }

    private static func reference(_ job: Job, _ index: UInt32) -> [Dependent] {
        job.entries.compactMap { entry in
            var counts = JobCounts()
            var first: (operation: UInt32, condition: DependencyCondition)?
            var outcome: Outcome?
            for operation in entry.range {
                let changed = entry.changes.first { $0.operation == operation }
                let matching = (changed?.dependencies ?? entry.dependencies).filter {
                    ($0.first..<$0.first + $0.count).contains(index)
                }
                guard let condition = (matching.first { $0.condition != .any } ?? matching.first)?.condition,
                    let history = job.operations.first(where: { $0.range.contains(operation) })
                else { continue }
                history.add(to: &counts, number: 1)
                outcome = history.outcome
                if first == nil { first = (operation, condition) }
            }
            guard let first else { return nil }
            return dependent(
                first.operation,
                entry.name,
                counts.state,
                counts.total > 1 ? counts.outcome : outcome,
                first.condition,
                size: counts.total
            )
        }
    }
}
