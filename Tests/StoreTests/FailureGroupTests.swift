@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the groups of alike failures.
@Suite("Groups of failures", .timeLimit(.minutes(60)))
struct FailureGroupTests {
    private let job = JobNumber(1)

    /// The changes of an operation that fails with a status and a text on standard error.
    private func failure(_ index: UInt32, _ status: Int32, _ error: String = "") -> [RecordChange] {
        var record = OperationRecord.finished(1, index, .failed)
        record.exitStatus = status
        record.reason = Reason(.exit, "It exited with status \(status).")
        let id = record.id
        return [.operation(record), .output(id, AttemptOutput(attempt: 1, "", error: error))]
    }

    private func store(_ kind: StoreKind = .memory, operations: Int = 100) throws -> TestStore {
        let test = try TestStore(kind)
        let entry = Entry(array: .numbers(first: 0, step: 1, count: operations))
        try test.store.commit([.job(JobRecord(1, [entry]))])
        return test
    }

    @Test(
        "Failures with the same reason and the same last line apart from numbers are one group, the largest group first",
        arguments: StoreKind.engines
    )
    func groups(_ kind: StoreKind) throws {
        let test = try store(kind)
        try test.store.commit(failure(3, 1, "reading\nrow 3 is bad\n\n") + failure(50, 2, "row 50 is bad"))
        try test.store.commit(failure(7, 1, "row 71234 is bad\u{1B}\n") + [.operation(.finished(1, 8))])
        try test.store.commit(failure(9, 1) + failure(10, 1) + failure(11, 1) + failure(20, 1, "no disk"))
        let groups = try test.store.failureGroups(of: job)
        #expect(groups.map(\.count) == [3, 2, 1, 1])
        #expect(groups.map(\.first) == [[9, 10, 11], [3, 7], [20], [50]])
        #expect(groups.map(\.kind.line) == ["It exited with status #.", "row # is bad", "no disk", "row # is bad"])
        #expect(groups.map(\.kind.exitStatus) == [1, 1, 1, 2])
        #expect(try test.store.failures(of: job, inGroup: 1) == [9..<12])
        #expect(try test.store.failures(of: job, inGroup: 2) == [3..<4, 7..<8])
        for number in [0, 5] { #expect(try test.store.failures(of: job, inGroup: number) == nil) }
        #expect(try test.store.failureGroups(of: JobNumber(2)).isEmpty)
    }

    @Test("An operation that is recorded twice counts once", arguments: StoreKind.engines)
    func countsOnce(_ kind: StoreKind) throws {
        let test = try store(kind)
        try test.store.commit(failure(3, 1, "bad"))
        try test.store.commit(failure(3, 1, "bad"))
        try test.restart()
        try test.store.commit(failure(3, 1, "bad") + failure(4, 1, "bad"))
        #expect(try test.store.failureGroups(of: job).map(\.count) == [2])
        #expect(try test.store.failures(of: job, inGroup: 1) == [3..<5])
    }

    @Test(
        "A group lists its first operations, and neither an attempt that is made again nor another end is a failure",
        arguments: StoreKind.engines
    )
    func listsTheFirst(_ kind: StoreKind) throws {
        let test = try store(kind)
        var retried = OperationRecord(id: OperationID(1, 0))
        retried.reason = Reason(.exit, "It exited with status 1.")
        retried.failures = 1
        retried.attempt = 1
        try test.store.commit([.operation(retried), .attempt(retried.id, .failed(1))])
        try test.store.commit([.operation(.finished(1, 1, .cancelled)), .operation(.finished(1, 2, .skipped))])
        #expect(try test.store.failureGroups(of: job).isEmpty)
        try test.store.commit((10..<40).reversed().flatMap { failure($0, 1) })
        #expect(try test.store.failureGroups(of: job).map(\.first) == [Array(10..<20)])
        #expect(try test.store.failures(of: job, inGroup: 1) == [10..<40])
    }

    @Test(
        "Failures of one commit are grouped like those of many, in any order and by jobs",
        arguments: 1...6 as ClosedRange<UInt64>,
        StoreKind.engines
    )
    func groupsAtOnce(seed: UInt64, _ kind: StoreKind) throws {
        var random = SplitMix(seed: seed)
        let tests = [try TestStore(), try TestStore(kind)]
        let entry = Entry(array: .numbers(first: 0, step: 1, count: 200))
        for test in tests { try test.store.commit([.job(JobRecord(1, [entry])), .job(JobRecord(2, [entry]))]) }
        var changes: [[RecordChange]] = []
        for index in (0..<198 as Range<UInt32>).shuffled(using: &random) {
            let number = UInt32.random(in: 1...2, using: &random)
            var record = OperationRecord.finished(number, index, count: index == 197 ? 3 : 1, .failed)
            record.exitStatus = Int32.random(in: 1...2, using: &random)
            record.reason = Reason(.exit, "It exited.")
            let error = random.pick(["", "one\n", "two", "row 7\n"])
            let output = AttemptOutput(attempt: record.attempt, "", error: error)
            changes.append([.operation(record), .output(record.id, output)])
        }
        // The first store gets each failure alone, the other all of them in a few commits.
        for change in changes { try tests[0].store.commit(change) }
        var rest = changes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...120, using: &random))
            try tests[1].store.commit(part.flatMap { $0 })
            rest = rest.dropFirst(part.count)
        }
        for number in [job, JobNumber(2)] {
            let groups = try tests.map { try $0.store.failureGroups(of: number) }
            #expect(groups[0] == groups[1] && groups[0].count > 3, "seed \(seed)")
            for place in 1...groups[0].count {
                let members = try tests.map { try $0.store.failures(of: number, inGroup: place) }
                #expect(members[0] == members[1], "seed \(seed)")
            }
        }
    }

    @Test("A job has a bounded number of groups with lines of their own", arguments: StoreKind.engines)
    func isBounded(_ kind: StoreKind) throws {
        let test = try store(kind, operations: 1000)
        let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        func word(_ number: UInt32) -> String { String(number).map { letters[Int(String($0)) ?? 0] }.joined() }
        try test.store.commit((0..<1000).flatMap { failure($0, 1, word($0)) })
        let groups = try test.store.failureGroups(of: job)
        #expect(groups.count == 501 && groups[0].count == 500 && groups[0].kind.line.isEmpty)
        #expect(groups.dropFirst().allSatisfy { $0.count == 1 && !$0.kind.line.isEmpty })
    }

    @Test("A removed job leaves no groups")
    func isRemoved() throws {
        let test = try store()
        try test.store.commit(failure(0, 1) + [.operation(.finished(1, 1, count: 99))])
        try test.store.commit([
            .jobFinished(job, JobCounts(succeeded: 99, failed: 1), .at(100)), .clock(.at(100), at: .at(100)),
        ])
        let retention = Retention(age: .seconds(1))
        while try test.store.removeFinished(beyond: retention, except: [], at: .at(1000)) {}
        let database = try #require(test.store.database)
        for table in ["failures", "failure_groups"] {
            #expect(try database.number("SELECT count(*) FROM \(table)") == 0)
        }
    }
}
