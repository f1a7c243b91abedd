@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@Suite("Jobs that grow, in the record", .timeLimit(.minutes(60)))
struct GrowingTests {
    private static func addition(
        _ first: UInt32,
        _ entries: [Entry],
        queues: [String] = ["default"],
        key: String? = nil,
        earlier: [UInt32] = []
    ) -> JobAddition {
        var submission = Submission(
            key: key,
            queueNames: queues,
            templates: [Template(work: Work(.commands([["added", "\(first)"]])))],
            entries: entries
        )
        submission.keyDigest = key.map { UInt64($0.utf8.count) }
        return JobAddition(
            job: JobNumber(1),
            first: first,
            addedAt: .at(10 + Int64(first)),
            addedBy: "laptop",
            order: 1000 + UInt64(first),
            submission: submission,
            earlier: earlier
        )
    }

    /// A record with an open job that has grown twice.
    private static func grown(_ test: TestStore) throws -> JobRecord {
        var job = JobRecord(1, [Entry(name: "a"), Entry(name: "many", array: .lines(["x", "y"]))])
        job.submission.isOpen = true
        try test.store.commit([.job(job)])
        let first = Self.addition(
            3,
            [
                Entry(name: "b", queue: 1, dependencies: [Dependency(on: .entry(2), condition: .success)]),
                Entry(dependencies: [Dependency(on: .entry(0)), Dependency(on: .entry(3))]),
            ],
            queues: ["default", "images"],
            key: "k",
            earlier: [0, 1]
        )
        let second = Self.addition(
            5,
            [Entry(name: "c", array: .numbers(first: 1, step: 1, count: 4))],
            queues: ["images"]
        )
        try test.store.commit([.addition(first), .addition(second)])
        job.submission.append(first, firsts: [0, 1])
        job.submission.append(second, firsts: [0, 1, 3, 4])
        return job
    }

    @Test(
        "A restart gives back an open job with what was added, and the places of the additions",
        arguments: StoreKind.engines
    )
    func restart(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let job = try Self.grown(test)
        try test.restart()
        let parts = [
            AddedPart(first: 3, operations: 2, addedAt: .at(13), order: 1003, key: "k", keyDigest: 1),
            AddedPart(first: 5, operations: 4, addedAt: .at(15), order: 1005),
        ]
        #expect(test.state.jobs == [RestoredJob(job: job, records: [], additions: parts)])
        let entries = test.state.jobs[0].job.submission.entries
        #expect(Array(entries[2].dependencies) == [Dependency(on: .entry(0), condition: .success)])
        #expect(Array(entries[3].dependencies) == [Dependency(on: .entry(2)), Dependency(on: .entry(1))])
        #expect(try test.store.job(JobNumber(1))?.isOpen == true)
        #expect(try test.store.addition(to: JobNumber(1), withKey: "k") == parts[0])
        #expect(try test.store.addition(to: JobNumber(1), withKey: "x") == nil)
        try test.store.commit([.jobClosed(JobNumber(1))])
        try test.restart()
        #expect(test.state.jobs.first?.job.submission.isOpen == false)
        #expect(try test.store.job(JobNumber(1))?.isOpen == false)
    }

    @Test(
        "The operations of a grown job are read like others, with the times of their additions",
        arguments: StoreKind.engines
    )
    func reading(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        _ = try Self.grown(test)
        let operations = try test.store.operations(of: JobNumber(1), from: 0, limit: 100)
        #expect(operations.map(\.record.id.index) == Array(0..<9))
        #expect(
            operations.map(\.queue) == ["default", "default", "default", "images", "default"]
                + Array(repeating: "images", count: 4)
        )
        #expect(
            operations.map(\.submittedAt) == [.at(1), .at(1), .at(1), .at(13), .at(13)]
                + Array(repeating: .at(15), count: 4)
        )
        #expect(operations[5].template.work.kind == .commands([["added", "5"]]) && operations[5].arrayNumber == 1)
        #expect(operations[3].dependencies.map(\.target) == [.operation(OperationID(1, 0))])
        #expect(operations[4].dependencies.map(\.count) == [1, 2])
        #expect(try test.store.operations(named: "c", in: JobNumber(1)) == 5..<9)
        #expect(try test.store.names(of: JobNumber(1), from: 0, limit: 9).map(\.name) == ["a", "many", "b", "c"])
        let part = try test.store.submittedPart(of: JobNumber(1), from: 3, limit: 9)
        #expect(part?.entries.map(\.queue) == ["images", "default", "images"])
        #expect(part?.entries.first?.dependencies.first?.target == .entry(0, name: "a"))
        #expect(try test.store.job(JobNumber(1))?.operations == 9)
    }

    @Test("A grown job ends and is removed with its additions", arguments: StoreKind.engines)
    func removal(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        _ = try Self.grown(test)
        var changes: [RecordChange] = (0..<9).map { .operation(.finished(1, $0)) }
        changes += [.jobClosed(JobNumber(1)), .jobFinished(JobNumber(1), JobCounts(succeeded: 9), .at(99))]
        try test.store.commit(changes)
        #expect(try test.store.restoredJob(JobNumber(1))?.additions.count == 2)
        #expect(try test.store.addition(to: JobNumber(1), withKey: "k")?.first == 3)
        #expect(try test.store.remove([JobNumber(1)], except: []) == .removed)
        #expect(try test.store.addition(to: JobNumber(1), withKey: "k") == nil)
        while try test.store.removeFinished(beyond: .forever, except: [], at: .at(100)) {}
        #expect(try test.store.job(JobNumber(1)) == nil)
    }

    @Test(
        "A job without operations is kept while it is open, and gets its queue from the first addition",
        arguments: StoreKind.engines
    )
    func empty(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var job = JobRecord(1, [])
        job.submission.isOpen = true
        try test.store.commit([.job(job)])
        try test.restart()
        #expect(test.state.jobs.map(\.job) == [job])
        #expect(try test.store.operations(of: JobNumber(1), from: 0, limit: 9).isEmpty)
        try test.store.commit([.addition(Self.addition(0, [Entry()], queues: ["images"]))])
        #expect(try test.store.job(JobNumber(1))?.queue == "images")
        #expect(try test.store.operations(of: JobNumber(1), from: 0, limit: 9).count == 1)
    }
}
