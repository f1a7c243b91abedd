@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of what happened in a job, by its record.
@Suite("The history of a job", .timeLimit(.minutes(60)))
struct HistoryTests {
    /// A job with a first operation, three arrays and a last operation, of which some have run.
    private func commit(to store: any Store) throws {
        let picked = ArrayValues.picked([
            .init(number: 40, item: "a"), .init(number: 2, item: "b"), .init(number: 9, item: "c"),
        ])
        let entries = [
            Entry(name: "fetch"),
            Entry(
                name: "parts",
                dependencies: [Dependency(on: .entry(0), condition: .success)],
                array: .numbers(first: 10, step: 5, count: 4)
            ),
            Entry(name: "some", dependencies: [Dependency(on: .entry(1), condition: .failure)], array: picked),
            Entry(array: .lines(["x", "y"])),
            Entry(dependencies: [Dependency(on: .entry(2)), Dependency(on: .existing(.job(JobNumber(1))))]),
        ]
        try store.commit([.job(JobRecord(1, [Entry()])), .job(JobRecord(2, name: "study", entries))])
        var ran = OperationRecord.finished(2, 0)
        (ran.worker, ran.readyAt, ran.startedAt, ran.finishedAt) = ("w1", .at(1), .at(2), .at(3))
        ran.attempt = 3
        var executing = OperationRecord(id: OperationID(2, 2), state: .executing)
        (executing.worker, executing.readyAt, executing.startedAt, executing.attempt) = ("w2", .at(3), .at(4), 1)
        try store.commit([
            .operation(ran), .attempt(OperationID(2, 0), .failed(1)), .attempt(OperationID(2, 0), .failed(2)),
            .operation(executing), .operation(.finished(2, 5, count: 3, .skipped)),
            .attempt(OperationID(2, 4), .failed(1)),
            .dependencies(
                OperationID(2, 3),
                [
                    Dependency(on: .existing(.operation(OperationID(2, 0)))),
                    Dependency(on: .existing(.named(JobNumber(2), "some"))),
                ]
            ),
        ])
    }

    @Test("A part has entries with their dependencies, records and earlier attempts", arguments: StoreKind.engines)
    func whole(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try commit(to: test.store)
        let part = try #require(try test.store.history(of: JobNumber(2), from: 0, limit: 100))
        #expect(part.range == 0..<11 && part.count == 11 && part.next == nil)
        #expect(part.entries.map(\.first) == [0, 1, 5, 8, 10] && part.entries.map(\.count) == [1, 4, 3, 2, 1])
        #expect(part.entries.map(\.name) == ["fetch", "parts", "some", nil, nil])
        #expect(part.entries[1].name(of: 2) == "parts.15" && part.entries[2].name(of: 6) == "some.2")
        #expect(part.entries[3].numbering == .steps(first: 0, step: 1) && part.entries[4].numbering == .none)
        #expect(
            part.entries.map(\.dependencies) == [
                [], [HistoryDependency(first: 0, condition: .success)],
                [HistoryDependency(first: 1, count: 4, condition: .failure)], [],
                [HistoryDependency(first: 5, count: 3)],
            ]
        )
        let change = HistoryEntry.Change(
            operation: 3,
            dependencies: [HistoryDependency(first: 0), HistoryDependency(first: 5, count: 3)]
        )
        #expect(part.entries.map(\.changes) == [[], [change], [], [], []])
        #expect(part.operations.map(\.first) == [0, 2, 5] && part.operations.map(\.count) == [1, 1, 3])
        #expect(part.attempts.map(\.operation) == [0, 0, 4] && part.attempts.map(\.attempt) == [1, 2, 1])
        #expect(part.attempts[1].exitStatus == 3 && part.attempts[1].reason == .exit)
    }

    @Test("Parts of any length together are the whole", arguments: [1, 2, 3, 7])
    func parts(_ limit: Int) throws {
        let test = try TestStore()
        try commit(to: test.store)
        var next: UInt32? = 0
        var names: [String?] = []
        var attempts: [UInt32] = []
        var dependencies = 0
        while let from = next {
            let part = try #require(try test.store.history(of: JobNumber(2), from: from, limit: limit))
            #expect(part.range.lowerBound == from && (1...limit).contains(part.range.count))
            for index in part.range { names.append(part.entries.first { $0.range.contains(index) }?.name(of: index)) }
            #expect(part.operations.allSatisfy { $0.range.overlaps(part.range) })
            #expect(part.entries.allSatisfy { $0.range.overlaps(part.range) })
            attempts += part.attempts.map(\.operation)
            dependencies += part.entries.reduce(0) { $0 + $1.dependencies.count + $1.changes.count }
            next = part.next
        }
        let expected: [String?] = [
            "fetch", "parts.10", "parts.15", "parts.20", "parts.25", "some.40", "some.2", "some.9", nil, nil, nil,
        ]
        #expect(names == expected && attempts == [0, 0, 4] && dependencies == 4)
    }

    @Test("A missing job has no history, and behind the end there is nothing", arguments: StoreKind.engines)
    func ends(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try commit(to: test.store)
        #expect(try test.store.history(of: JobNumber(3), from: 0, limit: 9) == nil)
        let behind = try #require(try test.store.history(of: JobNumber(2), from: 99, limit: 9))
        #expect(behind.range == 11..<11 && behind.next == nil && behind.entries.isEmpty)
        #expect(try test.store.history(of: JobNumber(2), from: 0, limit: 0)?.range.isEmpty == true)
    }

    @Test("Many dependencies or attempts make a part shorter", arguments: StoreKind.engines)
    func long(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let first = (0..<HistoryPage.mostDependencies / 2).map { _ in Entry() }
        let many = first.indices.map { Dependency(on: .entry($0)) }
        let entries = first + [Entry(dependencies: many), Entry(dependencies: many), Entry(dependencies: many)]
        try test.store.commit([.job(JobRecord(1, entries))])
        let start = UInt32(first.count)
        #expect(try test.store.history(of: JobNumber(1), from: start, limit: 9)?.range == start..<start + 2)
        let last = try #require(try test.store.history(of: JobNumber(1), from: start + 2, limit: 9))
        #expect(last.range == start + 2..<start + 3 && last.entries.map(\.dependencies.count) == [first.count])

        let perOperation = AttemptRecord.maximumCount
        let operations = HistoryPage.mostAttempts / perOperation
        try test.store.commit(
            (0...UInt32(operations)).flatMap { index in
                (1...UInt32(perOperation)).map { .attempt(OperationID(1, index), .failed($0)) }
            }
        )
        let part = try #require(try test.store.history(of: JobNumber(1), from: 0, limit: 5_000))
        #expect(part.range == 0..<UInt32(operations) && part.attempts.count == HistoryPage.mostAttempts)
    }
}
