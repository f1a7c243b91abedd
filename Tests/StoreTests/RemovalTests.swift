@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the jobs that a retention removes, and of the remaining rows in the record.
@Suite("The removal of finished jobs", .timeLimit(.minutes(60)))
struct RemovalTests {
    /// Adds a job whose operations finish at a time, each with an earlier attempt, an output and a result.
    private func finish(
        _ number: UInt32,
        at time: Timestamp,
        key: String? = nil,
        operations: Int = 1,
        _ test: TestStore
    ) throws {
        let entry = Entry(name: "a", array: .lines((0..<operations).map { "line \($0)" }))
        var changes: [RecordChange] = [.job(JobRecord(number, key: key, [entry]))]
        for index in 0..<UInt32(operations) {
            let output = AttemptOutput(attempt: 1, "out", result: "r")
            changes += [
                .attempt(OperationID(number, index), .failed(1)), .output(OperationID(number, index), output),
                .operation(.finished(number, index, hasResult: true)),
            ]
        }
        let counts = JobCounts(succeeded: operations)
        try test.store.commit(changes + [.jobFinished(JobNumber(number), counts, time)])
    }

    /// Removes all jobs beyond the retention.
    private func remove(
        _ retention: Retention,
        except pinned: Set<JobNumber> = [],
        at now: Timestamp = .at(100),
        _ test: TestStore
    ) throws {
        while try test.store.removeFinished(beyond: retention, except: pinned, at: now) {}
    }

    private func jobs(_ test: TestStore) throws -> [UInt32] {
        try test.store.jobs(before: nil, limit: 1000).map(\.number.rawValue)
    }

    @Test(
        "The removal takes the jobs that finished longer ago than the retention's age, and no others",
        arguments: StoreKind.engines
    )
    func age(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for (number, time) in [(1, 30), (2, 10), (3, 20), (4, 40)] {
            try finish(UInt32(number), at: .at(Int64(time)), test)
        }
        let retention = Retention(age: .seconds(75), operations: nil)
        try remove(retention, at: .at(84), test)
        #expect(try jobs(test) == [4, 3, 2, 1])
        try remove(retention, at: .at(95), test)
        #expect(try jobs(test) == [4, 1])
        try remove(.forever, at: .at(1_000_000), test)
        #expect(try jobs(test) == [4, 1])
        try remove(retention, at: .at(1_000_000), test)
        #expect(try jobs(test).isEmpty)
    }

    @Test(
        "The removal takes the oldest jobs above the limit of operations, and never the last job",
        arguments: StoreKind.engines
    )
    func count(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for number in UInt32(1)...4 { try finish(number, at: .at(Int64(number)), operations: 3, test) }
        try remove(Retention(age: nil, operations: 12), test)
        #expect(try jobs(test) == [4, 3, 2, 1])
        try remove(Retention(age: nil, operations: 11), test)
        #expect(try jobs(test) == [4, 3, 2])
        try remove(Retention(age: nil, operations: 1), test)
        #expect(try jobs(test) == [4])
        for number in UInt32(5)...700 { try finish(number, at: .at(Int64(number)), test) }
        try remove(Retention(age: nil, operations: 10), test)
        #expect(try jobs(test) == (691...700).reversed())
    }

    @Test(
        "A removed job leaves nothing in the record, its number is never reused, and its key is free again",
        arguments: StoreKind.engines
    )
    func traces(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try finish(1, at: .at(1), test)
        try finish(2, at: .at(2), key: "k", operations: 700, test)
        // Step by step: a job that is only partly removed is gone all the same.
        var steps = 0
        while try test.store.removeFinished(beyond: Retention(age: .zero), except: [JobNumber(1)], at: .at(100)) {
            steps += 1
            #expect(try test.store.job(JobNumber(2)) == nil)
            #expect(try test.store.job(withKey: "k") == nil)
            #expect(try test.store.operations(of: JobNumber(2), from: 0, limit: 10).isEmpty)
            #expect(try test.store.operations(named: "a", in: JobNumber(2)) == nil)
            #expect(try test.store.attempts(of: OperationID(2, 699)).isEmpty)
            #expect(try test.store.output(of: OperationID(2, 699), attempt: nil) == nil)
            #expect(try test.store.output(of: OperationID(2, 699), attempt: 1) == nil)
            #expect(try test.store.result(of: OperationID(2, 699)) == nil)
            for address in [.job(JobNumber(2)), .operation(OperationID(2, 699)), .named(JobNumber(2), "a")] as [Address]
            {
                #expect(try test.store.dependencyEnd(of: address) == nil)
            }
            #expect(try test.store.restoredJob(JobNumber(2)) == nil)
            try test.restart()
            #expect(test.state.nextJob == JobNumber(3))
            #expect(test.state.finished == JobCounts(succeeded: 701))
        }
        #expect(steps > 0)
        try finish(3, at: .at(101), key: "k", test)
        #expect(try test.store.job(withKey: "k")?.number == JobNumber(3))
        #expect(try test.store.dependencyEnd(of: .job(JobNumber(1))) != nil)
    }

    @Test(
        "The removal keeps unfinished jobs, their dependencies, and jobs with a hook that has not run",
        arguments: StoreKind.engines
    )
    func needed(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for number in UInt32(1)...4 { try finish(number, at: .at(Int64(number)), test) }
        let hooked = JobRecord(5, onFinish: ["true"], [Entry()])
        let hook = try #require(hooked.hook(of: hooked.submission.entries[0], 0))
        try test.store.commit([
            .job(hooked), .operation(.finished(5, 0)), .hook(hook),
            .jobFinished(JobNumber(5), JobCounts(succeeded: 1), .at(5)),
        ])
        let dependent = JobRecord(6, [Entry(dependencies: [Dependency(on: .existing(.operation(OperationID(1, 0))))])])
        try test.store.commit([.job(dependent), .job(JobRecord(7, [Entry()]))])
        try test.store.commit([.dependencies(OperationID(7, 0), [Dependency(on: .existing(.job(JobNumber(2))))])])
        let all = Retention(age: .zero)
        for _ in 0..<2 {
            try remove(all, except: [JobNumber(3)], test)
            #expect(try jobs(test) == [7, 6, 5, 3, 2, 1])
            try test.restart()
            #expect(test.state.hooks == [hook])
        }
        try test.store.commit([
            .operation(.finished(6, 0)), .jobFinished(JobNumber(6), JobCounts(succeeded: 1), .at(9)),
            .hookDone(OperationID(5, 0), .succeeded),
        ])
        try remove(all, test)
        #expect(try jobs(test) == [7, 2])
        try remove(all, at: .at(1_000_000), test)
        #expect(try jobs(test) == [7, 2])
    }

    @Test("The removal keeps the file from growing, and shrinks it after a large job")
    func size() throws {
        let test = try TestStore()
        var number: UInt32 = 0
        var pages: [Int64] = []
        for _ in 0..<30 {
            for _ in 0..<10 {
                number += 1
                try finish(number, at: .at(Int64(number)), operations: 40, test)
            }
            try remove(Retention(age: nil, operations: 400), at: .at(Int64(number)), test)
            pages.append(try #require(try test.store.database?.number("PRAGMA page_count")))
        }
        let bound = try #require(pages.prefix(5).max())
        #expect(pages.allSatisfy { $0 <= bound + bound / 10 }, "\(pages)")

        try finish(number + 1, at: .at(Int64(number) + 1), operations: 60_000, test)
        let database = try #require(test.store.database)
        let largest = try #require(try database.number("PRAGMA page_count"))
        try remove(Retention(age: .zero), at: .at(1_000_000), test)
        let left = try #require(try database.number("PRAGMA page_count"))
        #expect(left < largest - largest / 3, "\(largest), \(left)")
        #expect(try #require(try database.number("PRAGMA freelist_count")) <= 1024)
        let tables = [
            "outputs", "attempts", "operations", "operation_commands", "array_items", "entries", "templates", "jobs",
            "removed_jobs",
        ]
        for table in tables {
            #expect(try database.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }
}
