@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests that every store knows arrays that depend on others element by element.
@Suite("Elements in every store", .timeLimit(.minutes(60)))
struct ElementStoreTests {
    private static let numbers = ArrayValues.numbers(first: 1, step: 1, count: 3)

    private func dependent(on target: Dependency.Target) -> Entry {
        Entry(dependencies: [Dependency(on: target, condition: .success)], array: Self.numbers)
    }

    @Test(
        "EL1 A store keeps dependencies on elements, and gives each element its own, also after a restart",
        arguments: StoreKind.engines
    )
    func dependencies(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let first = JobRecord(1, [Entry(name: "sim", array: Self.numbers), dependent(on: .elements(0))])
        let range = Address.operations(JobNumber(1), 3..<6)
        let second = JobRecord(2, [Entry(), dependent(on: .existingElements(range))])
        try test.store.commit([.job(first), .job(second)])
        for _ in 0..<2 {
            let own = try test.store.operations(of: JobNumber(1), from: 0, limit: 10).map(\.dependencies)
            let other = try test.store.operations(of: JobNumber(2), from: 2, limit: 2).map(\.dependencies)
            func stored(_ index: UInt32) -> [StoredDependency] {
                [StoredDependency(target: .operation(OperationID(1, index)), count: 1, condition: .success)]
            }
            #expect(own == [[], [], [], stored(0), stored(1), stored(2)])
            #expect(other == [stored(4), stored(5)])
            let submitted = try test.store.submittedPart(of: JobNumber(1), from: 3, limit: 10)
            #expect(submitted?.entries.first?.dependencies == [.init(.elements(0, name: "sim"), .success)])
            try test.restart()
            #expect(test.state.jobs.map(\.job.submission.entries) == [first, second].map(\.submission.entries))
            #expect(test.state.elementEnds == [range: ElementEnds()])
        }
    }

    @Test(
        "A job as submitted names its own operations by their entries, and elements of arrays by their numbers",
        arguments: StoreKind.engines
    )
    func ownElements(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(name: "sim", array: .numbers(first: 10, step: 5, count: 3))
        let last = Entry(
            dependencies: [
                Dependency(on: .existing(.operation(OperationID(1, 2))), condition: .success),
                Dependency(on: .existing(.operation(OperationID(1, 3)))),
                Dependency(on: .existing(.operation(OperationID(7, 0)))),
            ]
        )
        let whole = dependent(on: .existingElements(.operations(JobNumber(1), 0..<3)))
        let part = dependent(on: .existingElements(.operations(JobNumber(1), 5..<8)))
        let long = Entry(array: .numbers(first: 1, step: 1, count: 9))
        try test.store.commit([.job(JobRecord(1, [array, Entry(), last, long, whole, part]))])
        let submitted = try test.store.submittedPart(of: JobNumber(1), from: 4, limit: 1)
        let expected: [SubmittedEntry.Dependency] = [
            .init(.element(0, name: "sim", number: 20), .success), .init(.entry(3, name: nil), .any),
            .init(.existing(.operation(OperationID(7, 0))), .any),
        ]
        #expect(submitted?.entries.first?.dependencies == expected)
        let others = try test.store.submittedPart(of: JobNumber(1), from: 14, limit: 9)
        #expect(others?.entries.first?.dependencies == [.init(.elements(0, name: "sim"), .success)])
        let operations = Address.operations(JobNumber(1), 5..<8)
        #expect(others?.entries.last?.dependencies == [.init(.existingElements(operations), .success)])
    }

    @Test("EL2 Operations that were skipped together each have their own root", arguments: StoreKind.engines)
    func roots(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let job = JobRecord(1, [Entry(name: "sim", array: Self.numbers), dependent(on: .elements(0))])
        try test.store.commit([.job(job)])
        var cancelled = OperationRecord(id: OperationID(1, 0), count: 3, state: .finished)
        (cancelled.outcome, cancelled.isCancelled) = (.cancelled, true)
        var skipped = OperationRecord(id: OperationID(1, 3), count: 3, state: .finished)
        (skipped.outcome, skipped.reason) = (.skipped, Reason(.dependency, "It needs what was cancelled."))
        (skipped.skippedFor, skipped.rootsFollow) = (.cancelled(OperationID(1, 0)), true)
        try test.store.commit([.operation(cancelled), .operation(skipped)])
        let read = try test.store.operations(of: JobNumber(1), from: 3, limit: 3).map(\.record.skippedFor)
        let roots: [Ending?] = [0, 1, 2].map { .cancelled(OperationID(1, $0)) }
        #expect(read == roots)
        let elements = try #require(try test.store.elements(of: .named(JobNumber(1), "sim")))
        #expect(elements.range == 0..<3)
        #expect(elements.ends.end(of: 2)?.ending == .cancelled(OperationID(1, 2)))
        #expect(try test.store.elements(of: .operations(JobNumber(1), 3..<6))?.ends.runs.count == 1)
        #expect(try test.store.elements(of: .job(JobNumber(1)))?.range == nil)
        #expect(try test.store.elements(of: .operations(JobNumber(1), 3..<7)) == nil)
        #expect(try test.store.elements(of: .job(JobNumber(2))) == nil)
        try test.restart()
        #expect(test.state.jobs.first?.records.last?.rootsFollow == true)
    }
}
