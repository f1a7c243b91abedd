@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the totals in the record.
@Suite("Totals in the record", .timeLimit(.minutes(60)))
struct TotalRecordTests {
    /// Totals whose numbers all differ.
    private static func totals(_ number: UInt64, _ queues: [String: Int]) -> ClusterTotals {
        var totals = ClusterTotals()
        totals.attempts.started = number + 1
        totals.attempts.succeeded = number + 2
        totals.attempts.failed = number + 3
        totals.attempts.cancelled = number + 4
        totals.attempts.lost = number + 5
        totals.attempts.givenBack = number + 6
        totals.attempts.stopped = number + 7
        totals.jobs.succeeded = Int(number) + 8
        totals.jobs.failed = Int(number) + 9
        totals.jobs.cancelled = Int(number) + 10
        totals.others = ends(Int(number) + 11)
        totals.queues = queues.mapValues { ends($0) }
        return totals
    }

    private static func ends(_ number: Int) -> EndCounts {
        var ends = EndCounts()
        (ends.succeeded, ends.failed, ends.cancelled, ends.skipped) = (number, number + 1, number + 2, number + 3)
        return ends
    }

    @Test(
        "The last totals are kept over restarts, and those of queues until there are others",
        arguments: StoreKind.allCases
    )
    func kept(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(test.state.totals == ClusterTotals())
        try test.store.commit([.totals(Self.totals(100, ["a": 1, "b c": 2, "ä": 3]))])
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1, "b c": 2, "ä": 3]))
        // Several batches may be one commit.
        try test.store.commit([
            .totals(Self.totals(200, ["a": 7])), .totals(Self.totals(300, ["ä": 9])),
            .totals(Self.totals(400, ["a": 8])),
        ])
        try test.restart()
        #expect(test.state.totals == Self.totals(400, ["a": 8, "b c": 2, "ä": 9]))
        try test.store.commit([.totals(Self.totals(500, [:]))])
        try test.restart()
        #expect(test.state.totals == Self.totals(500, ["a": 8, "b c": 2, "ä": 9]))
    }

    @Test(
        "The totals of a deleted queue stay until they are dropped",
        arguments: StoreKind.allCases
    )
    func deletedQueues(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let queues = ["a", "b", "ä"]
        try test.store.commit(queues.map { .queue($0, QueueRecord()) })
        try test.store.commit([.totals(Self.totals(100, ["a": 1, "b": 2, "ä": 3]))])
        try test.store.commit([.queueDeleted("ä")])
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1, "b": 2, "ä": 3]))
        #expect(test.state.queues.keys.sorted() == ["a", "b"])
        // Several batches may be one commit: `b` is dropped and made again, and `c` the other way round.
        var second = Self.totals(200, ["a": 4, "c": 5])
        second.dropped = ["b", "a\u{308}"]
        var third = Self.totals(300, ["b": 6])
        third.dropped = ["c"]
        try test.store.commit([.totals(second), .totals(third)])
        try test.restart()
        #expect(test.state.totals == Self.totals(300, ["a": 4, "b": 6]))
        // In a commit of its own, too.
        var last = Self.totals(400, [:])
        last.dropped = ["a"]
        try test.store.commit([.totals(last)])
        try test.restart()
        #expect(test.state.totals == Self.totals(400, ["b": 6]))
    }

    @Test("Totals near the largest number are kept")
    func largeTotals() throws {
        let test = try TestStore(.sqlite)
        let totals = Self.totals(1 << 61, ["a": 1 << 61])
        try test.store.commit([.totals(totals)])
        try test.restart()
        #expect(test.state.totals == totals)
    }

    @Test("A commit that fails changes no totals")
    func rolledBack() throws {
        let test = try TestStore(.sqlite)
        let job = JobRecord(1, [Entry()])
        try test.store.commit([.job(job), .totals(Self.totals(100, ["a": 1]))])
        // The number of the job is taken.
        #expect(throws: StoreError.self) {
            try test.store.commit([.totals(Self.totals(200, ["a": 2, "b": 3])), .job(job)])
        }
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1]))
    }

    @Test("A record of version 21 begins with totals of 0, and takes some")
    func migration() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("baton.db")
        try Migration.migrate(Database(path: path), with: Array(Migration.all.prefix(21)))
        let store = try SQLiteStore(path: path)
        #expect(try store.open().totals == ClusterTotals())
        #expect(try store.database?.number("PRAGMA user_version") == TestStore.newestVersion)
        try store.commit([.totals(Self.totals(7, ["a": 1]))])
        #expect(try store.open().totals == Self.totals(7, ["a": 1]))
    }

    @Test(
        "The first hundred queues of a record of version 22 keep their totals, and those of all others are added up",
        arguments: [0, 1, 99, 100, 101, 130]
    )
    func migrationOfQueues(_ count: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("baton.db")
        let database = try Database(path: path)
        try Migration.migrate(database, with: Array(Migration.all.prefix(22)))
        // A queue whose name is the label of the sum, and one in three without an end.
        let names = (0..<count).map { "q\(1000 + $0)" } + ["other"]
        for name in names.shuffled() { try database.execute("INSERT INTO queues (name) VALUES ('\(name)')") }
        var expected = ClusterTotals()
        for (position, name) in names.enumerated() {
            let ends = position % 3 == 1 ? EndCounts() : Self.ends(position + 1)
            if position % 3 != 1 {
                let counts = Outcome.allCases.map { "\(ends[$0])" }.joined(separator: ", ")
                try database.execute("INSERT INTO queue_totals VALUES ('\(name)', \(counts))")
            }
            if position < 100, name != "other" {
                expected.queues[name] = ends
            } else {
                expected.others = expected.others + ends
            }
        }
        if expected.others.sum > 0 || count > 0 {
            try database.execute("INSERT INTO totals VALUES (1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)")
            (expected.attempts.started, expected.attempts.succeeded, expected.attempts.failed) = (1, 2, 3)
            (expected.attempts.cancelled, expected.attempts.lost, expected.attempts.givenBack) = (4, 5, 6)
            (expected.attempts.stopped, expected.jobs.succeeded, expected.jobs.failed) = (7, 8, 9)
            expected.jobs.cancelled = 10
        }
        let store = try SQLiteStore(path: path)
        let state = try store.open()
        #expect(state.totals == expected)
        #expect(state.queues.count == count + 1)
        #expect(try store.database?.number("PRAGMA user_version") == TestStore.newestVersion)
    }

    @Test(
        "Totals that cannot be are damage",
        arguments: [
            "UPDATE totals SET attempts_lost = -1", "UPDATE totals SET jobs_failed = 9223372036854775807",
            "UPDATE totals SET others_failed = -2", "UPDATE queue_totals SET skipped = -5",
            "UPDATE queue_totals SET succeeded = 4611686018427387904",
        ]
    )
    func damage(_ statement: String) throws {
        let test = try TestStore(.sqlite)
        try test.store.commit([.totals(Self.totals(7, ["a": 1]))])
        test.store.close()
        try Database(path: test.path).execute(statement)
        let store = try SQLiteStore(path: test.path)
        #expect(throws: StoreError.self) { _ = try store.open() }
    }
}
