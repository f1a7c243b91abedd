@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

/// Tests of the names of input files, with results of dependencies (DE20).
@Suite("Names of inputs in every store", .timeLimit(.minutes(60)))
struct InputNamesTests {
    private func on(_ targets: Dependency.Target...) -> [Dependency] { targets.map { Dependency(on: $0) } }

    /// Records the success of a job's operations, with results.
    private func leaveResults(_ job: UInt32, _ indices: UInt32..., in test: TestStore) throws {
        try test.store.commit(indices.map { .operation(.finished(job, $0, hasResult: true)) })
    }

    /// Records a job that retries the failed and skipped operations of another job.
    private func retry(_ job: UInt32, as number: UInt32, in test: TestStore) throws {
        let restored = try #require(try test.store.restoredJob(JobNumber(job)))
        let submission = try #require(try Submission.retrying(JobToRetry(restored)))
        try test.store.commit([.job(JobRecord(number, submission.entries))])
    }

    private func names(
        _ job: UInt32,
        _ index: UInt32,
        by naming: InputNaming = .number,
        in test: TestStore
    ) throws -> [String] {
        try test.store.dependenciesWithResults(of: OperationID(job, index), calledBy: naming).map(\.fileName)
    }

    @Test(
        "Inputs from elements of an array have the array's name and the element's number",
        arguments: StoreKind.engines
    )
    func elements(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let picked = [9, -4, 7].map { ArrayValues.Element(number: $0, item: "x") }
        let entries = [
            Entry(name: "sum", dependencies: on(.entry(1), .entry(2), .entry(3))),
            Entry(name: "n", array: .numbers(first: 10, step: 5, count: 3)),
            Entry(name: "l", array: .lines(["a", "b", "c"])), Entry(name: "p", array: .picked(picked)),
        ]
        try test.store.commit([.job(JobRecord(1, entries))])
        try leaveResults(1, 1, 3, 4, 6, 8, 9, in: test)
        #expect(try names(1, 0, in: test) == ["n.10", "n.20", "l.0", "l.2", "p.-4", "p.7"])
    }

    @Test(
        "DE20 Inputs named by items have the items of the elements, where two are the same the number of the second",
        arguments: StoreKind.engines
    )
    func byItem(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let picked = [9, -4].map { ArrayValues.Element(number: $0, item: "p\($0)") }
        let entries = [
            Entry(name: "sum", dependencies: on(.entry(1), .entry(2), .entry(3), .entry(4), .entry(5))),
            Entry(name: "n", array: .numbers(first: 10, step: 5, count: 2)),
            Entry(name: "l", array: .lines(["unit", "src/a.c", "unit", String(repeating: "x", count: 255), ".."])),
            Entry(name: "p", array: .picked(picked)), Entry(name: "one"), Entry(array: .lines(["unnamed"])),
        ]
        try test.store.commit([.job(JobRecord(1, entries))])
        try leaveResults(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, in: test)
        let items = ["n.10", "n.15", "l.unit", "l.src%2Fa.c", "l.2", "l.3", "l.%2E.", "p.p9", "p.p-4", "one", "11"]
        #expect(try names(1, 0, by: .item, in: test) == items)
        let numbers = ["n.10", "n.15", "l.0", "l.1", "l.2", "l.3", "l.4", "p.9", "p.-4", "one", "11"]
        #expect(try names(1, 0, in: test) == numbers)
        // Of another job, and of a part of the array.
        let other = [
            Entry(dependencies: on(.existing(.job(JobNumber(1))))),
            Entry(dependencies: on(.existing(.operation(OperationID(1, 4))))),
        ]
        try test.store.commit([.job(JobRecord(2, other))])
        #expect(try names(2, 0, by: .item, in: test).prefix(4) == ["1.n.10", "1.n.15", "1.l.unit", "1.l.src%2Fa.c"])
        #expect(try names(2, 1, by: .item, in: test) == ["l.src%2Fa.c"])
    }

    @Test(
        "Inputs from elements of a long picked array have the numbers of the picked elements",
        arguments: StoreKind.engines
    )
    func manyPicked(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let picked = (0..<1000).map { ArrayValues.Element(number: $0 * 3, item: "line \($0)") }
        let entries = [Entry(dependencies: on(.entry(2))), Entry(), Entry(name: "p", array: .picked(picked))]
        try test.store.commit([.job(JobRecord(1, entries))])
        try leaveResults(1, 2, 257, 258, 1001, in: test)
        #expect(try names(1, 0, in: test) == ["p.0", "p.765", "p.768", "p.2997"])
        let other = Entry(dependencies: on(.existing(.operation(OperationID(1, 258)))))
        try test.store.commit([.job(JobRecord(2, [other]))])
        #expect(try names(2, 0, in: test) == ["p.768"])
    }

    @Test(
        "Inputs from another job have its number in their names if the dependency is on the whole job",
        arguments: StoreKind.engines
    )
    func otherJobs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let many = Entry(name: "many", array: .numbers(first: 1, step: 1, count: 2))
        try test.store.commit([.job(JobRecord(1, [Entry(name: "a"), Entry(name: "b"), Entry(), many]))])
        try leaveResults(1, 0, 1, 2, 3, 4, in: test)
        let whole = Entry(dependencies: on(.existing(.job(JobNumber(1)))))
        let single = Entry(
            dependencies: on(.existing(.named(JobNumber(1), "b")), .existing(.operation(OperationID(1, 2))))
        )
        let array = Entry(dependencies: on(.existing(.named(JobNumber(1), "many"))))
        let both = Entry(dependencies: Array(whole.dependencies + single.dependencies))
        try test.store.commit([.job(JobRecord(2, [whole, single, array, both]))])
        #expect(try names(2, 0, in: test) == ["1.a", "1.b", "1.2", "1.many.1", "1.many.2"])
        #expect(try names(2, 1, in: test) == ["b", "1.2"])
        #expect(try names(2, 2, in: test) == ["many.1", "many.2"])
        #expect(try names(2, 3, in: test) == ["b", "1.2", "1.a", "1.many.1", "1.many.2"])
    }

    @Test(
        "Inputs of the same name from several jobs carry the other jobs' numbers, whichever of them left a result",
        arguments: StoreKind.engines
    )
    func sameNames(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let many = Entry(name: "many", array: .lines(["x", "y"]))
        for job in UInt32(1)...2 {
            try test.store.commit([.job(JobRecord(job, [Entry(name: "a"), Entry(name: "b"), many]))])
        }
        let entries = [
            Entry(
                dependencies: on(.existing(.named(JobNumber(1), "a")), .existing(.operation(OperationID(2, 0))))
                    + on(.existing(.named(JobNumber(2), "b")))
            ),
            Entry(
                dependencies: on(.existing(.named(JobNumber(1), "many")), .entry(3))
                    + on(.entry(2), .existing(.named(JobNumber(2), "b")))
            ),
            Entry(name: "b"), many,
        ]
        try test.store.commit([.job(JobRecord(3, entries))])
        try leaveResults(1, 0, in: test)
        #expect(try names(3, 0, in: test) == ["1.a"])
        try leaveResults(2, 0, 1, in: test)
        #expect(try names(3, 0, in: test) == ["1.a", "2.a", "b"])
        #expect(try names(3, 1, in: test) == ["2.b"])
        try leaveResults(1, 3, in: test)
        try leaveResults(3, 2, 3, 4, in: test)
        #expect(try names(3, 1, in: test) == ["1.many.1", "many.0", "many.1", "b", "2.b"])
    }

    @Test(
        "Inputs of a retried operation keep their names, whichever of the jobs left them",
        arguments: StoreKind.engines
    )
    func retried(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let entries = [
            Entry(name: "many", array: .numbers(first: 1, step: 1, count: 5)), Entry(name: "one"), Entry(name: "two"),
            Entry(
                name: "sum",
                dependencies: on(.entry(0), .entry(1), .entry(2), .existing(.named(JobNumber(1), "early")))
            ),
        ]
        try test.store.commit([.job(JobRecord(1, [Entry(name: "early")])), .job(JobRecord(2, entries))])
        try leaveResults(1, 0, in: test)
        try leaveResults(2, 0, 2, 4, 5, in: test)
        for index: UInt32 in [1, 3, 6] { try test.store.commit([.operation(.finished(2, index, .failed))]) }
        try test.store.commit([.operation(.finished(2, 7, .skipped))])
        #expect(try names(2, 7, in: test) == ["many.1", "many.3", "many.5", "one", "early"])

        // Elements 2 and 4 and the operation "two"; then element 4 alone, which fails once more.
        try retry(2, as: 3, in: test)
        try leaveResults(3, 0, 2, in: test)
        try test.store.commit([.operation(.finished(3, 1, .failed)), .operation(.finished(3, 3, .skipped))])
        #expect(Set(try names(3, 3, in: test)) == ["many.1", "many.2", "many.3", "many.5", "one", "two", "early"])

        try retry(3, as: 4, in: test)
        try leaveResults(4, 0, in: test)
        let all = ["many.1", "many.2", "many.3", "many.4", "many.5", "one", "two", "early"]
        let inputs = try test.store.dependenciesWithResults(of: OperationID(4, 1), calledBy: .number)
        #expect(inputs.map(\.fileName).sorted() == all.sorted())
        let jobs = Dictionary(uniqueKeysWithValues: inputs.map { ($0.fileName, $0.operation.job.rawValue) })
        #expect(all.map { jobs[$0] } == [2, 3, 2, 4, 2, 2, 3, 1])
    }

    @Test("Inputs whose names would clash get distinct names", arguments: StoreKind.engines)
    func clashes(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let twice = [3, 3].map { ArrayValues.Element(number: $0, item: "x") }
        let entries = [
            Entry(name: "many", array: .lines(["x"])), Entry(name: "many.0"), Entry(name: "p", array: .picked(twice)),
            Entry(dependencies: on(.entry(0), .entry(1), .entry(2))),
        ]
        try test.store.commit([.job(JobRecord(1, entries))])
        try leaveResults(1, 0, 1, 2, 3, in: test)
        #expect(try names(1, 4, in: test) == ["many.0", "1.1", "p.3", "1.3"])
    }
}
