@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Large jobs that come into the record in parts", .timeLimit(.minutes(60)))
struct JobPartsTests {
    /// A random submission without dependencies on other jobs, and its parts.
    private static func submission(_ random: inout SplitMix) throws -> (Submission, JobParts) {
        var submission = random.submission(number: 1)
        for entry in submission.entries.indices {
            let own = submission.entries[entry].dependencies.filter { dependency in
                if case .entry = dependency.target { true } else { false }
            }
            submission.entries[entry].dependencies = EntryDependencies(own)
        }
        return (submission, try #require(JobParts(submission, leastRows: 0)))
    }

    /// The number of rows of a job in all tables but `jobs`.
    private static func rows(of job: UInt32, in test: TestStore) throws -> Int64 {
        try ["templates", "entries", "entry_names", "array_items", "removed_jobs"].reduce(0) { sum, table in
            sum + (try test.store.database?.number("SELECT count(*) FROM \(table) WHERE job = \(job)") ?? 0)
        }
    }

    @Test("A job that comes in parts is found once it is committed, and is then as if it had come as a whole")
    func arrival() throws {
        for seed in UInt64(1)...40 {
            var random = SplitMix(seed: seed)
            let (submission, wholeParts) = try Self.submission(&random)
            var parts = wholeParts
            let test = try TestStore()
            let job = JobNumber(1)
            var steps = 0
            while !parts.areStored {
                try test.store.store(&parts, of: job, rows: random.pick([1, 2, 7, 1000]))
                steps += 1
                #expect(try test.store.job(job) == nil && test.store.restoredJob(job) == nil, "seed \(seed)")
                #expect(try !test.store.jobs(before: nil, limit: 100).contains { $0.number == job }, "seed \(seed)")
                // Nobody removes the rows of a job that is still to come.
                #expect(try !test.store.removeFinished(beyond: .forever, except: [job], at: .at(1)), "seed \(seed)")
                if random.chance(20) { try test.store.commit([.job(JobRecord(UInt32(10 + steps), [Entry()]))]) }
            }
            var record = JobRecord(number: job, submittedAt: .at(1), order: 1, submission: submission)
            record.areRowsStored = !parts.submission.templates.isEmpty || !parts.submission.entries.isEmpty
            try test.store.commit([.job(record)])
            let whole = try TestStore()
            record.areRowsStored = false
            try whole.store.commit([.job(record)])
            for _ in 0..<2 {
                let restored = try test.store.restoredJob(job)
                #expect(try restored == whole.store.restoredJob(job), "seed \(seed)")
                #expect(restored?.job.submission.entries == submission.entries, "seed \(seed)")
                #expect(try Self.rows(of: 1, in: test) == Self.rows(of: 1, in: whole), "seed \(seed)")
                for name in Set(submission.entries.compactMap(\.name)) {
                    let found = try test.store.operations(named: name, in: job)
                    #expect(try found == whole.store.operations(named: name, in: job), "seed \(seed), \(name)")
                }
                #expect(try !test.store.removeFinished(beyond: .forever, except: [], at: .at(1)), "seed \(seed)")
                try test.restart()
            }
        }
    }

    @Test(
        "Of a job that a crash interrupts nothing is left, and its number is not given again",
        arguments: [0, 1, 9, 99]
    )
    func interrupted(afterRows rows: Int) throws {
        let test = try TestStore()
        try test.store.commit([.job(JobRecord(1, [Entry()]))])
        let entries = (0..<50).map { Entry(name: "n\($0)", array: $0 == 7 ? .lines(["a", "b"]) : nil) }
        let submission = JobRecord(2, key: "k", entries).submission
        var parts = try #require(JobParts(submission, leastRows: 2))
        if rows > 0 { try test.store.store(&parts, of: JobNumber(2), rows: rows) }
        #expect(try (Self.rows(of: 2, in: test) > 0) == (rows > 0))
        try test.restart()
        #expect(test.state.nextJob == JobNumber(rows > 0 ? 3 : 2))
        while try test.store.removeFinished(beyond: .forever, except: [], at: .at(1)) {}
        #expect(try Self.rows(of: 2, in: test) == 0)
        #expect(try test.store.job(withKey: "k") == nil)
        try test.restart()
        #expect(test.state.nextJob == JobNumber(rows > 0 ? 3 : 2))
        #expect(test.state.jobs.map(\.job.number) == [JobNumber(1)])
    }

    @Test("A job whose rows were removed is refused instead of being kept without them")
    func removed() throws {
        let test = try TestStore()
        let submission = JobRecord(1, [Entry(name: "a"), Entry(name: "b")]).submission
        var parts = try #require(JobParts(submission, leastRows: 2))
        while !parts.areStored { try test.store.store(&parts, of: JobNumber(1), rows: 1) }
        while try test.store.removeFinished(beyond: .forever, except: [], at: .at(1)) {}
        let record = JobRecord(
            number: JobNumber(1),
            submittedAt: .at(1),
            order: 1,
            submission: submission,
            areRowsStored: true
        )
        #expect(throws: StoreError.self) { try test.store.commit([.job(record)]) }
        #expect(try test.store.job(JobNumber(1)) == nil)
    }

    @Test("A small submission, and one that depends on another job, come as a whole")
    func whole() {
        let other = Dependency(on: .existing(.job(JobNumber(1))))
        let entries = [Entry(), Entry(dependencies: [other]), Entry()]
        #expect(JobParts(JobRecord(2, entries).submission, leastRows: 1) == nil)
        #expect(JobParts(JobRecord(2, [Entry()]).submission) == nil)
        let many = JobRecord(2, Array(repeating: Entry(), count: JobParts.leastRows)).submission
        #expect(JobParts(many) != nil)
    }
}
